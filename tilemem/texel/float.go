package texel

import (
	"math"

	"ampdbg/spirv/half"
)

// The unsigned 11- and 10-bit floats have, like binary16, a 5-bit exponent with
// bias 15, but no sign and a mantissa of 6 and 5 bits.

// float5ToBits converts an unsigned float with a mantissa of mant bits to the
// bits of the same float32. A NaN keeps its payload.
func float5ToBits(raw uint32, mant uint) uint32 {
	exponent, fraction := raw>>mant, raw&(1<<mant-1)
	switch exponent {
	case 0: // subnormal: fraction / 2^(14+mant)
		return math.Float32bits(float32(fraction) / float32(uint32(1)<<(14+mant)))
	case 31:
		return 0xff<<23 | fraction<<(23-mant)
	}
	return (exponent+127-15)<<23 | fraction<<(23-mant)
}

// bitsToFloat5 rounds the magnitude of a float32, not NaN, to an unsigned
// float with a mantissa of mant bits, to nearest even; it returns infinity for
// everything that rounds beyond the finite.
func bitsToFloat5(bits uint32, mant uint) uint32 {
	bits &^= 1 << 31
	const smallestNormal = (127 - 14) << 23
	shift := 23 - mant
	if bits >= smallestNormal {
		bits -= (127 - 15) << 23 // rebias: rounding carries into the exponent
	} else {
		exponent := bits >> 23
		if exponent < 127-14-23 {
			return 0 // below half of the smallest subnormal, whatever mant
		}
		shift += 127 - 14 - uint(exponent)
		bits = bits&(1<<23-1) | 1<<23
	}
	rounded := (bits + 1<<(shift-1) - 1 + bits>>shift&1) >> shift
	return min(rounded, 31<<mant)
}

// bitsToHalf converts a float32 to binary16. Texels keep their bits, so a NaN
// keeps its payload and stays signalling.
func bitsToHalf(bits uint32) uint16 {
	if isNaN(bits) {
		return uint16(bits>>16&0x8000 | nanFraction(bits, 10))
	}
	return half.FromFloat(math.Float32frombits(bits), false)
}

// bitsToUFloat converts a float32 to an unsigned float with a mantissa of mant
// bits: "Unsigned 11-Bit Floating-Point Numbers". Negative values become 0,
// finite values too large become the largest finite one, infinity and NaN stay.
func bitsToUFloat(bits uint32, mant uint) uint32 {
	switch {
	case isNaN(bits):
		return nanFraction(bits, mant)
	case bits>>31 != 0:
		return 0
	case bits == 0xff<<23:
		return 31 << mant
	}
	return min(bitsToFloat5(bits, mant), 31<<mant-1)
}

func isNaN(bits uint32) bool { return bits&^(1<<31) > 0xff<<23 }

// nanFraction is a NaN with the upper mant bits of a float32 NaN's payload,
// and with the quiet bit if those are all 0.
func nanFraction(bits uint32, mant uint) uint32 {
	fraction := bits & (1<<23 - 1) >> (23 - mant)
	if fraction == 0 {
		fraction = 1 << (mant - 1)
	}
	return 31<<mant | fraction
}

// sharedToFloats decodes E5B9G9R9: "Conversion From Shared Exponent".
func sharedToFloats(w uint32) (r, g, b float32) {
	scale := math.Float32frombits((w>>27 + 127 - 15 - 9) << 23)
	return float32(w&0x1ff) * scale, float32(w>>9&0x1ff) * scale, float32(w>>18&0x1ff) * scale
}

// floatsToShared encodes E5B9G9R9: "Shared Exponent to RGB" backwards, with
// N = 9 mantissa bits, bias B = 15 and NaN as 0.
func floatsToShared(r, g, b float32) uint32 {
	const largest = 65408 // (2⁹-1)/2⁹ * 2^(31-15)
	clamp := func(f float32) float64 {
		if !(f > 0) {
			return 0
		}
		return math.Min(float64(f), largest)
	}
	rc, gc, bc := clamp(r), clamp(g), clamp(b)
	exponent := 0
	top := max(rc, gc, bc)
	if top > 0 {
		_, e := math.Frexp(top) // floor(log2 top) = e-1
		exponent = max(-16, e-1) + 16
	}
	scale := math.Ldexp(1, 15+9-exponent)
	if math.Floor(top*scale+0.5) == 1<<9 {
		exponent++
		scale /= 2
	}
	field := func(c float64) uint32 { return uint32(math.Floor(c*scale + 0.5)) }
	return uint32(exponent)<<27 | field(bc)<<18 | field(gc)<<9 | field(rc)
}
