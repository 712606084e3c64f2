package launch

import "math"

// HalfToFloat gives the value of an IEEE 754 binary16.
func HalfToFloat(h uint16) float64 {
	exp, frac := int(h>>10&31), float64(h&1023)
	var f float64
	switch exp {
	case 0:
		f = math.Ldexp(frac, -24)
	case 31:
		f = math.Inf(1)
		if frac != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(1024+frac, exp-25)
	}
	if h&0x8000 != 0 {
		f = math.Copysign(f, -1)
	}
	return f
}

// FloatToHalf rounds to the nearest IEEE 754 binary16, ties to even; what is
// too large becomes an infinity, every NaN the quiet 0x7e00.
func FloatToHalf(f float64) uint16 {
	sign := uint16(math.Float64bits(f) >> 48 & 0x8000)
	a := math.Abs(f)
	switch {
	case math.IsNaN(f):
		return 0x7e00
	case a >= 65520: // half way from the largest finite value to 2¹⁶
		return sign | 0x7c00
	case a < 0x1p-14:
		return sign | uint16(math.RoundToEven(math.Ldexp(a, 24))) // may carry into the exponent, rightly
	}
	frac, exp := math.Frexp(a) // a = frac × 2^exp, frac in [½, 1)
	m := uint16(math.RoundToEven(math.Ldexp(frac, 11)))
	return sign | (uint16(exp+14-1)<<10 + m) // m includes the hidden bit, 1<<10
}
