package survey

import "math"

// bound is how far a result may be from the exact one: so many units in the
// last place plus an absolute distance.
type bound struct{ ULP, Abs float64 }

// boundFunc gives the bound for operands x with the exact result want.
type boundFunc func(x []float64, want float64) bound

func ulps(n float64) boundFunc { return func([]float64, float64) bound { return bound{ULP: n} } }
func abs(e float64) boundFunc  { return func([]float64, float64) bound { return bound{Abs: e} } }

// The formulas that Vulkan bases operations on, worked out to first order for
// a float of some width. eps is the largest relative error of one correctly
// rounded operation, twice which is a unit in the last place at most.

func eps(width int) float64 {
	p, _ := precision(width)
	return math.Ldexp(1, -p)
}

// expULP is the bound of exp and exp2: 3 + 2|x| ULP, 1 + 2|x| for 16 bits.
func expULP(x float64, width int) float64 {
	if width == 16 {
		return 1 + 2*math.Abs(x)
	}
	return 3 + 2*math.Abs(x)
}

// logError is the bound of log and log2: 3 ULP outside of [0.5, 2], an
// absolute error inside.
func logError(x, result float64, width int) float64 {
	if x >= 0.5 && x <= 2 {
		if width == 16 {
			return 0x1p-7
		}
		return 0x1p-21
	}
	return 3 * ulp(result, width)
}

func expBound(width int) boundFunc {
	return func(x []float64, _ float64) bound { return bound{ULP: expULP(x[0], width)} }
}

func logBound(width int) boundFunc {
	return func(x []float64, want float64) bound { return bound{Abs: logError(x[0], want, width)} }
}

// powBound: exp2(y * log2(x)).
func powBound(width int) boundFunc {
	return func(x []float64, want float64) bound {
		l := log2(x[0])
		t := x[1] * l
		dt := math.Abs(x[1])*logError(x[0], l, width) + eps(width)*math.Abs(t)
		return bound{ULP: expULP(t, width), Abs: math.Abs(want) * math.Expm1(dt*math.Ln2)}
	}
}

func sinError(width int) float64 {
	if width == 16 {
		return 0x1p-7
	}
	return 0x1p-11
}

// tanBound: sin(x)/cos(x).
func tanBound(width int) boundFunc {
	return func(x []float64, want float64) bound {
		c := max(math.Abs(math.Cos(x[0]))-sinError(width), 0)
		return bound{ULP: 2.5, Abs: sinError(width) * (1 + math.Abs(want)) / c}
	}
}

func atanULP(width int) float64 {
	if width == 16 {
		return 5
	}
	return 4096
}

// arcBound: atan2 of x and sqrt(1-x*x) in either order.
func arcBound(width int) boundFunc {
	return func(x []float64, _ float64) bound {
		s := math.Sqrt((1 - x[0]) * (1 + x[0]))
		ds := min(eps(width)/max(s, 1e-30), math.Sqrt(2*eps(width))) + 9*eps(width)*s
		return bound{ULP: atanULP(width), Abs: math.Abs(x[0]) * ds}
	}
}

// sinhBound and coshBound: (exp(x) -+ exp(-x)) / 2.
func sinhBound(width int) boundFunc {
	return func(x []float64, _ float64) bound {
		return bound{ULP: 1, Abs: expULP(x[0], width) * 2 * eps(width) * math.Cosh(x[0])}
	}
}

// tanhBound: sinh(x)/cosh(x).
func tanhBound(width int) boundFunc {
	return func(x []float64, want float64) bound {
		relative := (expULP(x[0], width) + 1) * 2 * eps(width)
		return bound{ULP: 2.5, Abs: relative * (1 + math.Abs(want))}
	}
}

// asinhBound: log(x + sqrt(x*x + 1)).
func asinhBound(width int) boundFunc {
	return func(x []float64, want float64) bound {
		s := math.Sqrt(x[0]*x[0] + 1)
		arg := math.Exp(want)
		return bound{Abs: logOf(arg, eps(width)*(11*s+arg), want, width)}
	}
}

// acoshBound: log(x + sqrt(x*x - 1)).
func acoshBound(width int) boundFunc {
	return func(x []float64, want float64) bound {
		s := math.Sqrt((x[0] - 1) * (x[0] + 1))
		d := eps(width) * x[0] * x[0]
		ds := min(d/max(s, 1e-30), math.Sqrt(2*d)) + 9*eps(width)*s
		return bound{Abs: logOf(x[0]+s, ds+eps(width)*(x[0]+s), want, width)}
	}
}

// atanhBound: log((1+x)/(1-x)) / 2.
func atanhBound(width int) boundFunc {
	return func(x []float64, want float64) bound {
		arg := (1 + x[0]) / (1 - x[0])
		return bound{ULP: 1, Abs: logOf(arg, 7*eps(width)*arg, 2*want, width) / 2}
	}
}

// logOf is the error of the logarithm of an argument with an error.
func logOf(arg, d, result float64, width int) float64 {
	e := logError(arg, result, width)
	if d >= arg {
		return math.Inf(1)
	}
	// An argument near 0.5 or 2 may be on either side of it.
	return max(e, logError(arg-d, result, width), logError(arg+d, result, width)) - math.Log1p(-d/arg)
}

// sumBound: a sum of n products in any association.
func sumBound(n, width int) boundFunc {
	return func(x []float64, _ float64) bound {
		var s float64
		for i := range n {
			s += math.Abs(x[i] * x[n+i])
		}
		return bound{Abs: 2 * float64(n) * eps(width) * s}
	}
}

// remainderBound: x - y*n with both operations rounded.
func remainderBound(width int) boundFunc {
	return func(x []float64, _ float64) bound {
		return bound{ULP: 1, Abs: ulp(x[0], width)}
	}
}

// remainders gives what x - y*n may be with the quotient off by 2.5 units.
func remainders(x []float64, width int, whole func(float64) float64) []float64 {
	q := x[0] / x[1]
	e := 3 * ulp(q, width)
	var out []float64
	for _, n := range []float64{whole(q - e), whole(q + e)} {
		out = append(out, x[0]-n*x[1])
	}
	return out
}

// log2 keeps its relative precision near 1.
func log2(x float64) float64 {
	if x > 0.75 && x < 1.5 {
		return math.Log(x) * math.Log2E
	}
	return math.Log2(x)
}
