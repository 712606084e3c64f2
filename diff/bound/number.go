package bound

import "math"

// Number is a number and how far it may be off.
type Number struct{ X, E float64 }

// Format is a float format, with what an entry point says of its denormals.
type Format struct {
	width int
	unit  float64 // half a unit in the last place of 1
	tiny  float64 // smallest normal number
	max   float64
	// flush is what becomes of a number by flushing denormals, at most.
	flush float64
}

// NewFormat makes the format of floats of 16, 32 or 64 bits. pinned says that
// an execution mode keeps or flushes denormals; rtz, that results are rounded
// toward zero.
func NewFormat(width int, pinned, rtz bool) *Format {
	f := &Format{width: width}
	switch width {
	case 16:
		f.unit, f.tiny, f.max = 0x1p-11, 0x1p-14, 65504
	case 32:
		f.unit, f.tiny, f.max = 0x1p-24, 0x1p-126, math.MaxFloat32
	default:
		f.unit, f.tiny, f.max = 0x1p-53, 0x1p-1022, math.MaxFloat64
	}
	if rtz {
		f.unit *= 2
	}
	if !pinned {
		f.flush = f.tiny
	}
	return f
}

// Max is the largest finite number.
func (f *Format) Max() float64 { return f.max }

// half is the most that rounding a number about x changes it by.
func (f *Format) half(x float64) float64 {
	x = max(math.Abs(x), f.tiny)
	return math.Float64frombits(math.Float64bits(x)&(0x7ff<<52)) * f.unit
}

// ULP is the unit in the last place of x.
func (f *Format) ULP(x float64) float64 { return 2 * f.half(x) }

// off gives x an error of e and of n units in the last place.
func (f *Format) off(x, e, n float64) Number {
	if math.IsNaN(e) || math.IsNaN(x) {
		return Number{x, math.Inf(1)}
	}
	if math.IsInf(x, 0) {
		if e > 0 {
			e = math.Inf(1)
		}
		return Number{x, e}
	}
	if n > 0 {
		e += n * f.ULP(math.Abs(x)+e)
	}
	return Number{x, e + f.mayFlush(x, e)}
}

// mayFlush is what flushing adds to the bound of a result x that may be a
// denormal number, also within a formula: its root or quotient may be none.
func (f *Format) mayFlush(x, e float64) float64 {
	if x != 0 && math.Abs(x) < f.tiny+e {
		return f.flush
	}
	return 0
}

func exactly(x float64) Number { return Number{X: x} }

// The operations of formulas: each is rounded, in whatever way a machine does.

func (f *Format) add(a, b Number) Number { return f.off(a.X+b.X, a.E+b.E, 0.5) }
func (f *Format) sub(a, b Number) Number { return f.off(a.X-b.X, a.E+b.E, 0.5) }

func (f *Format) mul(a, b Number) Number { return f.off(a.X*b.X, productError(a, b), 0.5) }

// productError is how far a product may be off before it is rounded. An exact
// zero stays one.
func productError(a, b Number) float64 {
	e := 0.0
	if b.E != 0 {
		e += (math.Abs(a.X) + a.E) * b.E
		if a == (Number{}) {
			e = 0
		}
	}
	if a.E != 0 && b != (Number{}) {
		e += math.Abs(b.X) * a.E
	}
	return e
}

func (f *Format) div(a, b Number) Number {
	q := a.X / b.X
	y := math.Abs(b.X) - b.E
	e := 0.0
	switch {
	case math.IsInf(b.X, 0) && b.E == 0 && !math.IsInf(a.X, 0):
		return exactly(q)
	case !(y > 0) && (b.E > 0 || a.E > 0):
		return Number{q, math.Inf(1)}
	case a.E > 0 || b.E > 0:
		e = (a.E + math.Abs(q)*b.E) / y
	}
	if y > 0 && y < f.tiny { // a machine may take the divisor as 0
		return Number{q, math.Inf(1)}
	}
	r := f.off(q, e, 2.5)
	if f.width == 32 && math.Abs(b.X) > 0x1p126 { // whose reciprocal may be flushed
		r.E += math.Abs(q)
	}
	return r
}

// through maps a number by a function that is monotone around it.
func (f *Format) through(a Number, fn func(float64) float64) Number {
	x := fn(a.X)
	if a.E == 0 {
		return Number{X: x}
	}
	// One step more, so that the sum is not rounded back to X.
	d := a.E + 0x1p-52*math.Abs(a.X)
	lo, hi := fn(a.X-d), fn(a.X+d)
	return f.off(x, max(math.Abs(lo-x), math.Abs(hi-x)), 0)
}

// inDomain makes a function that is not defined below low take what is below
// as low: an operand that should be in the domain may be computed outside.
func inDomain(low float64, fn func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if x < low {
			x = low
		}
		return fn(x)
	}
}

func (f *Format) sqrt(a Number) Number {
	r := f.through(a, rootDomain(a, math.Sqrt))
	return f.off(r.X, r.E, 4.5) // 2 of inversesqrt, 2.5 of the division
}

// rootDomain cuts the domain at 0, unless the operand itself is negative.
func rootDomain(a Number, fn func(float64) float64) func(float64) float64 {
	if a.X < 0 {
		return fn
	}
	return inDomain(0, fn)
}

func (f *Format) inverseSqrt(a Number) Number {
	r := f.through(a, rootDomain(a, func(x float64) float64 { return 1 / math.Sqrt(x) }))
	return f.off(r.X, r.E, 2)
}

// expULP is the bound of exp and exp2 in ULP.
func (f *Format) expULP(a Number) float64 {
	n := 3.0
	if f.width == 16 {
		n = 1
	}
	if m := math.Abs(a.X) + a.E; !math.IsInf(m, 0) {
		n += 2 * m
	}
	return n
}

func (f *Format) exponential(a Number, fn func(float64) float64) Number {
	r := f.through(a, fn)
	return f.off(r.X, r.E, f.expULP(a))
}

func (f *Format) exp(a Number) Number  { return f.exponential(a, math.Exp) }
func (f *Format) exp2(a Number) Number { return f.exponential(a, math.Exp2) }

func (f *Format) logarithm(a Number, fn func(float64) float64) Number {
	r := f.through(a, rootDomain(a, fn))
	if a.X+a.E < 0.5 || a.X-a.E > 2 {
		return f.off(r.X, r.E, 3)
	}
	e := 0x1p-21
	if f.width == 16 {
		e = 0x1p-7
	}
	if math.IsInf(r.E, 1) || a.X-a.E < 0.5 || a.X+a.E > 2 {
		return f.off(r.X, r.E+e, 3)
	}
	return f.off(r.X, r.E+e, 0)
}

func (f *Format) log(a Number) Number  { return f.logarithm(a, math.Log) }
func (f *Format) log2(a Number) Number { return f.logarithm(a, log2) }

// log2 keeps its relative precision near 1.
func log2(x float64) float64 {
	if x > 0.75 && x < 1.5 {
		return math.Log(x) * math.Log2E
	}
	return math.Log2(x)
}

func (f *Format) circular(a Number, fn func(float64) float64) Number {
	e := 0x1p-11
	if f.width == 16 {
		e = 0x1p-7
	}
	return f.off(fn(a.X), min(a.E, 2)+e*max(1, (math.Abs(a.X)+a.E)/math.Pi), 0)
}

func (f *Format) sin(a Number) Number { return f.circular(a, math.Sin) }
func (f *Format) cos(a Number) Number { return f.circular(a, math.Cos) }

func (f *Format) atanULP() float64 {
	if f.width == 16 {
		return 5
	}
	return 4096
}

func (f *Format) atan(a Number) Number {
	r := f.through(a, math.Atan)
	return f.off(r.X, r.E, f.atanULP())
}

// atan2 moves the point (x, y) by the bounds of its coordinates: the angle
// changes by no more than d/(r-d) where r is its distance from the origin, but
// for the whole circle where the line between pi and -pi is crossed.
func (f *Format) atan2(y, x Number) Number {
	a := math.Atan2(y.X, x.X)
	e := 0.0
	if d := math.Hypot(x.E, y.E); d > 0 {
		r := math.Hypot(x.X, y.X)
		e = d / max(r-d, 0)
		if x.X-x.E <= 0 && math.Abs(y.X) <= y.E {
			e = 2 * math.Pi
		}
		e = min(e, 2*math.Pi)
	}
	return f.off(a, e, f.atanULP())
}

// dot is the sum of the products of components, in any order.
func (f *Format) dot(a, b []Number) Number {
	var x, e, m float64
	for i := range a {
		p, pe := a[i].X*b[i].X, productError(a[i], b[i])
		x += p
		e += pe + f.mayFlush(p, pe)
		m += math.Abs(p)
	}
	return f.off(x, e+f.gamma(2*len(a)-1)*(m+e), 0)
}

// gamma is the relative error of n roundings.
func (f *Format) gamma(n int) float64 {
	g := float64(n) * f.unit
	if g > 0x1p-12 {
		return math.Expm1(float64(n) * math.Log1p(f.unit))
	}
	return g * (1 + 0x1p-11)
}

// constant is a constant of a formula, which a machine has rounded.
func (f *Format) constant(x float64) Number { return Number{x, f.half(x)} }
