package scalar

import (
	"math"

	"ampdbg/program"
	"ampdbg/spirv/half"
)

// format is a floating-point format with its modes. Its methods are the
// correctly rounded operations from which everything else is built.
//
// Operations on 16 and 32 bits run in binary64, and a second rounding, in
// whatever direction, must equal rounding the exact result. Products are exact.
// Sums are rounded to odd: the last bit is set whenever the sum is inexact, which
// suffices as binary64 has more than two bits beyond either format (Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums", 2008). Quotients and
// roots of numbers of 24 bits are never so near to a number of 25 bits, without
// being it, that 53 bits would not tell them apart.
type format struct {
	width uint8
	rtz   bool
	flush bool
}

func formatOf(k program.Kind, m program.Mode) format {
	return format{width: k.Width, rtz: m.RTZ, flush: m.FlushDenorms}
}

// plain says that the format rounds to nearest even and keeps denormals.
func (f format) plain() bool { return !f.rtz && !f.flush }

func (f format) signBit() uint64 { return 1 << (f.width - 1) }

// exponentBits has the bits of the exponent set: the pattern of +infinity.
func (f format) exponentBits() uint64 {
	switch f.width {
	case 16:
		return 0x1f << 10
	case 32:
		return 0xff << 23
	}
	return 0x7ff << 52
}

// flushed replaces a denormal by zero if the format says so.
func (f format) flushed(a uint64) uint64 {
	if f.flush && a&f.exponentBits() == 0 {
		return a & f.signBit()
	}
	return a
}

// load gives the value of an operand, flushed if the format says so.
func (f format) load(a uint64) float64 {
	a = f.flushed(a)
	switch f.width {
	case 16:
		return float64(half.ToFloat(uint16(a)))
	case 32:
		return float64(math.Float32frombits(uint32(a)))
	}
	return math.Float64frombits(a)
}

// round gives the bits of the result x, which must be rounded already for 64 bits
// and safe to round once more for the others.
func (f format) round(x float64) uint64 {
	switch f.width {
	case 16:
		if x != x {
			return NaN16
		}
		return f.flushed(uint64(half.FromDouble(x, f.rtz)))
	case 32:
		if x != x {
			return NaN32
		}
		return f.flushed(uint64(math.Float32bits(narrow(x, f.rtz))))
	}
	return f.flushed(bits64(x))
}

// narrow rounds to binary32, to nearest even or toward zero.
func narrow(x float64, rtz bool) float32 {
	r := float32(x)
	if rtz && math.Abs(float64(r)) > math.Abs(x) {
		return math.Float32frombits(math.Float32bits(r) - 1)
	}
	return r
}

func bits64(x float64) uint64 {
	if x != x {
		return NaN64
	}
	return math.Float64bits(x)
}

func bits32(x float32) uint64 {
	if x != x {
		return NaN32
	}
	return uint64(math.Float32bits(x))
}

// bits16 rounds to binary16. Rounding +, −, ×, ÷ and sqrt to binary32 first does
// no harm: 24 bits are at least 2·11 + 2 (Figueroa, "When is double rounding
// innocuous?", 1995).
func bits16(x float32) uint64 {
	if x != x {
		return NaN16
	}
	return uint64(half.FromFloat(x, false))
}

func load16(a uint64) float32 { return half.ToFloat(uint16(a)) }
func load32(a uint64) float32 { return math.Float32frombits(uint32(a)) }
func load64(a uint64) float64 { return math.Float64frombits(a) }

func (f format) add(a, b uint64) uint64 {
	if f.plain() {
		switch f.width {
		case 16:
			return bits16(load16(a) + load16(b))
		case 32:
			return bits32(load32(a) + load32(b))
		}
		return bits64(load64(a) + load64(b))
	}
	x, y := f.load(a), f.load(b)
	switch {
	case f.width != 64:
		return f.round(addOdd(x, y))
	case f.rtz:
		return f.round(fmaTowardZero(x, 1, y))
	}
	return f.round(x + y)
}

func (f format) sub(a, b uint64) uint64 { return f.add(a, b^f.signBit()) }

func (f format) mul(a, b uint64) uint64 {
	if f.plain() {
		switch f.width {
		case 16:
			return bits16(load16(a) * load16(b))
		case 32:
			return bits32(load32(a) * load32(b))
		}
		return bits64(load64(a) * load64(b))
	}
	x, y := f.load(a), f.load(b)
	if f.width == 64 && f.rtz {
		// Adding −0 keeps the sign of a zero product.
		return f.round(fmaTowardZero(x, y, math.Copysign(0, -1)))
	}
	return f.round(x * y) // exact below 64 bits
}

func (f format) div(a, b uint64) uint64 {
	if f.plain() {
		switch f.width {
		case 16:
			return bits16(load16(a) / load16(b))
		case 32:
			return bits32(load32(a) / load32(b))
		}
		return bits64(load64(a) / load64(b))
	}
	x, y := f.load(a), f.load(b)
	if f.width == 64 && f.rtz {
		return f.round(divTowardZero(x, y))
	}
	return f.round(x / y)
}

// fma is a·b + c with one rounding.
func (f format) fma(a, b, c uint64) uint64 {
	x, y, z := f.load(a), f.load(b), f.load(c)
	switch {
	case f.width != 64:
		return f.round(addOdd(float64(x*y), z)) // the product is exact
	case f.rtz:
		return f.round(fmaTowardZero(x, y, z))
	}
	return f.round(math.FMA(x, y, z))
}

func (f format) sqrt(a uint64) uint64 {
	x := f.load(a)
	if f.width == 64 && f.rtz {
		return f.round(sqrtTowardZero(x))
	}
	return f.round(math.Sqrt(x))
}

// rem is the exact remainder with the sign of a.
func (f format) rem(a, b uint64) uint64 { return f.round(math.Mod(f.load(a), f.load(b))) }

// mod is the remainder with the sign of b.
func (f format) mod(a, b uint64) uint64 {
	x, y := f.load(a), f.load(b)
	r := math.Mod(x, y)
	if r == 0 {
		return f.round(math.Copysign(0, y))
	}
	if r == r && math.Signbit(r) != math.Signbit(y) {
		// The remainder is a number of the format, but maybe a denormal one.
		exact := format{width: f.width, rtz: f.rtz}
		return f.flushed(exact.add(exact.round(r), f.flushed(b)))
	}
	return f.round(r)
}

func (f format) neg(a uint64) uint64 { return f.flushed(a) ^ f.signBit() }

func (f format) abs(a uint64) uint64 { return f.flushed(a) &^ f.signBit() }

func (f format) floor(a uint64) uint64 { return f.round(math.Floor(f.load(a))) }

func (f format) fract(a uint64) uint64 { return f.sub(a, f.floor(a)) }

// min gives the lesser operand: the other one if one is NaN, and −0 before +0.
func (f format) min(a, b uint64) uint64 {
	x, y := f.load(a), f.load(b)
	switch {
	case x != x:
		return f.round(y)
	case y != y || x < y:
		return f.round(x)
	case x == y && math.Signbit(x):
		return f.round(x)
	}
	return f.round(y)
}

// max gives the greater operand: the other one if one is NaN, and −0 before +0.
func (f format) max(a, b uint64) uint64 {
	x, y := f.load(a), f.load(b)
	switch {
	case x != x:
		return f.round(y)
	case y != y || x > y:
		return f.round(x)
	case x == y && !math.Signbit(x):
		return f.round(x)
	}
	return f.round(y)
}

func (f format) clamp(x, low, high uint64) uint64 { return f.min(f.max(x, low), high) }

// ldexp is a·2^e with one rounding.
func (f format) ldexp(a uint64, e int64) uint64 {
	// Beyond this every result is zero or overflows; within it binary64 holds the
	// results of the narrower formats exactly.
	limit := int64(600)
	if f.width == 64 {
		limit = 2200
	}
	n := int(max(-limit, min(limit, e)))
	x := f.load(a)
	if f.width == 64 && f.rtz {
		return f.round(ldexpTowardZero(x, n))
	}
	return f.round(math.Ldexp(x, n))
}

// addOdd is x + y rounded to odd.
func addOdd(x, y float64) float64 {
	s := x + y
	// Knuth's two-sum: e is the exact error, NaN if s is infinite or NaN.
	t := s - x
	e := (x - (s - t)) + (y - t)
	return toOdd(s, e)
}

// toOdd moves s, the nearest number to a result that differs from it by
// something of the sign of e, to the neighbour with the last bit set.
func toOdd(s, e float64) float64 {
	b := math.Float64bits(s)
	if e == 0 || e != e || b&1 != 0 {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}
