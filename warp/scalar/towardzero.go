package scalar

import (
	"math"
	"math/bits"
)

// The binary64 operations truncated toward zero, on integers.

// split gives the significand of a finite non-zero x, in [2^52, 2^53), and the
// exponent of its last bit: |x| = m·2^e.
func split(x float64) (m uint64, e int) {
	b := math.Float64bits(x) &^ (1 << 63)
	m, e = b&(1<<52-1), int(b>>52)
	if e == 0 {
		n := bits.LeadingZeros64(m) - 11
		return m << n, -1074 - n
	}
	return m | 1<<52, e - 1075
}

// assemble gives ±(hi·2^64 + lo)·2^e truncated to binary64.
func assemble(negative bool, hi, lo uint64, e int) float64 {
	n := bits.Len64(lo)
	if hi != 0 {
		n = 64 + bits.Len64(hi)
	}
	var b uint64
	switch last := max(e+n-53, -1074); {
	case n == 0:
	case n+e > 1024:
		b = math.Float64bits(math.MaxFloat64)
	default:
		m := shiftRight(hi, lo, last-e)
		if m < 1<<52 {
			b = m // denormal: last is −1074
		} else {
			b = uint64(last+1075)<<52 | m&(1<<52-1)
		}
	}
	if negative {
		b |= 1 << 63
	}
	return math.Float64frombits(b)
}

// shiftRight gives the low 64 bits of hi:lo >> n, or << −n.
func shiftRight(hi, lo uint64, n int) uint64 {
	switch {
	case n < 0:
		return lo << -n
	case n < 64:
		return lo>>n | hi<<(64-n)
	}
	return hi >> (n - 64)
}

// shiftRightSticky gives hi:lo >> n with the last bit set if any bit was lost.
func shiftRightSticky(hi, lo uint64, n int) (uint64, uint64) {
	switch {
	case n == 0:
		return hi, lo
	case n < 64:
		return hi >> n, lo>>n | hi<<(64-n) | truth(lo<<(64-n) != 0)
	case n < 128:
		return 0, hi>>(n-64) | truth(lo|hi<<(128-n) != 0)
	}
	return 0, truth(hi|lo != 0)
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// fmaTowardZero is x·y + z truncated.
func fmaTowardZero(x, y, z float64) float64 {
	if !finite(x) || !finite(y) || !finite(z) || x == 0 || y == 0 {
		return math.FMA(x, y, z) // nothing to round
	}
	negative := math.Signbit(x) != math.Signbit(y)
	mx, ex := split(x)
	my, ey := split(y)
	// The product fills 124 to 126 of 128 bits, the addend 125. Twenty zeros at
	// the end of the product and 72 at the end of the addend: an alignment that
	// loses bits moves the lesser number so far that no cancellation brings them up.
	phi, plo := bits.Mul64(mx, my<<10)
	phi, plo = phi<<10|plo>>54, plo<<10
	pe := ex + ey - 20
	if z == 0 {
		return assemble(negative, phi, plo, pe)
	}
	mz, ez := split(z)
	zhi, zlo := mz<<8, uint64(0)
	ze := ez - 72
	if pe >= ze {
		zhi, zlo = shiftRightSticky(zhi, zlo, pe-ze)
		ze = pe
	} else {
		phi, plo = shiftRightSticky(phi, plo, ze-pe)
	}
	if negative == math.Signbit(z) {
		lo, carry := bits.Add64(plo, zlo, 0)
		hi, _ := bits.Add64(phi, zhi, carry)
		return assemble(negative, hi, lo, ze)
	}
	lo, borrow := bits.Sub64(plo, zlo, 0)
	hi, borrow := bits.Sub64(phi, zhi, borrow)
	if borrow != 0 {
		negative = !negative
		lo, borrow = bits.Sub64(zlo, plo, 0)
		hi, _ = bits.Sub64(zhi, phi, borrow)
	}
	if hi|lo == 0 {
		return 0
	}
	return assemble(negative, hi, lo, ze)
}

// divTowardZero is x / y truncated.
func divTowardZero(x, y float64) float64 {
	if !finite(x) || !finite(y) || x == 0 || y == 0 {
		return x / y // nothing to round
	}
	mx, ex := split(x)
	my, ey := split(y)
	// Halving the dividend keeps the quotient of 128 by 64 bits below 2^64.
	q, _ := bits.Div64(mx>>1, mx<<63, my)
	return assemble(math.Signbit(x) != math.Signbit(y), 0, q, ex-ey-63)
}

// sqrtTowardZero is the square root of x truncated.
func sqrtTowardZero(x float64) float64 {
	scale := 1.0
	if x < 0x1p-900 {
		x, scale = x*0x1p200, 0x1p-100 // the residue below must not underflow
	}
	s := math.Sqrt(x)
	if math.FMA(-s, s, x) < 0 {
		s = math.Float64frombits(math.Float64bits(s) - 1)
	}
	return s * scale
}

// ldexpTowardZero is x·2^n truncated.
func ldexpTowardZero(x float64, n int) float64 {
	if !finite(x) || x == 0 {
		return x
	}
	m, e := split(x)
	return assemble(math.Signbit(x), 0, m, e+n)
}
