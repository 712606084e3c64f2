package spirv

import "math"

// floatValue gives the value of the bits of a float of 16, 32 or 64 bits.
func floatValue(bits uint64, width int) float64 {
	switch width {
	case 16:
		return halfValue(uint16(bits))
	case 32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// floatBits rounds x to a float of 16, 32 or 64 bits, to nearest even.
func floatBits(x float64, width int) uint64 {
	switch width {
	case 16:
		return uint64(halfBits(x))
	case 32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func halfValue(h uint16) float64 {
	sign := 1.0
	if h&0x8000 != 0 {
		sign = -1
	}
	e, m := int(h>>10&0x1f), float64(h&0x3ff)
	switch {
	case e == 0x1f && m != 0:
		return math.NaN()
	case e == 0x1f:
		return math.Inf(int(sign))
	case e == 0:
		return sign * math.Ldexp(m, -24)
	}
	return sign * math.Ldexp(1024+m, e-25)
}

func halfBits(x float64) uint16 {
	sign := uint16(0)
	if math.Signbit(x) {
		sign = 0x8000
	}
	x = math.Abs(x)
	switch {
	case x != x:
		return sign | 0x7e00
	case x >= 65520: // halfway between the largest half and the next power of two
		return sign | 0x7c00
	case x == 0:
		return sign
	}
	_, e := math.Frexp(x)
	last := max(e-11, -24) // exponent of the last place
	// Normals start at 1024 units, which counts as the exponent's lowest bit.
	return sign | (uint16(last+24)<<10 + uint16(math.RoundToEven(math.Ldexp(x, -last))))
}

// intToFloat rounds an integer given by magnitude and sign.
func intToFloat(magnitude uint64, negative bool, width int) uint64 {
	var bits uint64
	switch width {
	case 32: // in one rounding
		bits = uint64(math.Float32bits(float32(magnitude)))
	default: // integers that float64 rounds are infinite as halves
		bits = floatBits(float64(magnitude), width)
	}
	if negative {
		bits |= 1 << (width - 1)
	}
	return bits
}

// quantize rounds x to the nearest half, and to zero below the least normal
// half.
func quantize(x float64, width int) uint64 {
	h := halfBits(x)
	if h&0x7c00 == 0 {
		h &= 0x8000
	}
	return floatBits(halfValue(h), width)
}
