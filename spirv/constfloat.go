package spirv

import (
	"math"

	"ampdbg/spirv/half"
)

// floatValue gives the value of the bits of a float of 16, 32 or 64 bits.
func floatValue(bits uint64, width int) float64 {
	switch width {
	case 16:
		return float64(half.ToFloat(uint16(bits)))
	case 32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// floatBits rounds x to a float of 16, 32 or 64 bits, to nearest even.
func floatBits(x float64, width int) uint64 {
	switch width {
	case 16:
		return uint64(half.FromDouble(x, false))
	case 32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
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
	h := half.FromDouble(x, false)
	if h&0x7c00 == 0 {
		h &= 0x8000
	}
	return floatBits(float64(half.ToFloat(h)), width)
}
