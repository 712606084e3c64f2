package bound

import (
	"math"

	"ampdbg/spirv"
)

// Function works out the components of a result of GLSL.std.450 from those of
// the operands, one operand after the other; n is the number of components of
// the first.
type Function func(f *Format, in []Number, n int) []Number

// LookupGLSL finds the function of an instruction on floats, and whether it is
// exact: without an error of its own. ok is false for one that has no rule.
func LookupGLSL(inst uint32) (fn Function, exact, ok bool) {
	if fn, ok := exactFunctions[inst]; ok {
		return fn, true, true
	}
	fn, ok = inexactFunctions[inst]
	return fn, false, ok
}

// LookupCore is LookupGLSL for instructions of SPIR-V itself.
func LookupCore(op spirv.Opcode) (fn Function, exact, ok bool) {
	switch op {
	case spirv.OpFDiv:
		return two((*Format).div), false, true
	case spirv.OpFRem:
		return two(func(f *Format, x, y Number) Number { return f.remainder(x, y, math.Trunc) }), false, true
	case spirv.OpFMod:
		return two(func(f *Format, x, y Number) Number { return f.remainder(x, y, math.Floor) }), false, true
	case spirv.OpFNegate:
		return one(func(_ *Format, x Number) Number { return Number{-x.X, x.E} }), true, true
	}
	return nil, false, false
}

func one(fn func(f *Format, a Number) Number) Function {
	return func(f *Format, in []Number, _ int) []Number { return []Number{fn(f, in[0])} }
}

func two(fn func(f *Format, a, b Number) Number) Function {
	return func(f *Format, in []Number, _ int) []Number { return []Number{fn(f, in[0], in[1])} }
}

func three(fn func(f *Format, a, b, c Number) Number) Function {
	return func(f *Format, in []Number, _ int) []Number { return []Number{fn(f, in[0], in[1], in[2])} }
}

// monotone makes a Function of one that keeps the order, and has no error of
// its own.
func monotone(fn func(float64) float64) Function {
	return one(func(f *Format, a Number) Number { return f.through(a, fn) })
}

// ordered is the rule of minima and maxima, which keep the order in each
// operand.
func ordered(pick func(x []float64) float64) Function {
	return func(_ *Format, in []Number, _ int) []Number {
		x := make([]float64, len(in))
		at := func(side float64) float64 {
			for i, n := range in {
				x[i] = n.X
				if n.E > 0 {
					x[i] += side * n.E
				}
			}
			return pick(x)
		}
		mid, e := at(0), 0.0
		for _, side := range []float64{-1, 1} {
			if y := at(side); y != mid {
				e = max(e, math.Abs(y-mid))
			}
		}
		for _, n := range in {
			if math.IsNaN(n.X) && e > 0 || math.IsInf(n.E, 1) && n.X == mid {
				e = math.Inf(1)
			}
		}
		return []Number{{mid, e}}
	}
}

var exactFunctions = map[uint32]Function{
	spirv.GLSLRoundEven: monotone(math.RoundToEven),
	spirv.GLSLTrunc:     monotone(math.Trunc),
	spirv.GLSLFloor:     monotone(math.Floor),
	spirv.GLSLCeil:      monotone(math.Ceil),
	spirv.GLSLFSign:     monotone(sign),
	spirv.GLSLFAbs:      one(func(_ *Format, a Number) Number { return Number{math.Abs(a.X), a.E} }),
	spirv.GLSLFract:     one(fract),
	spirv.GLSLFMin:      ordered(func(x []float64) float64 { return min(x[0], x[1]) }),
	spirv.GLSLNMin:      ordered(func(x []float64) float64 { return min(x[0], x[1]) }),
	spirv.GLSLFMax:      ordered(func(x []float64) float64 { return max(x[0], x[1]) }),
	spirv.GLSLNMax:      ordered(func(x []float64) float64 { return max(x[0], x[1]) }),
	spirv.GLSLFClamp:    ordered(func(x []float64) float64 { return min(max(x[0], x[1]), x[2]) }),
	spirv.GLSLNClamp:    ordered(func(x []float64) float64 { return min(max(x[0], x[1]), x[2]) }),
	spirv.GLSLStep: two(func(f *Format, edge, x Number) Number {
		if x.X-edge.X == 0 && x.E+edge.E == 0 {
			return exactly(1)
		}
		return f.through(Number{x.X - edge.X, x.E + edge.E}, func(d float64) float64 {
			if d < 0 {
				return 0
			}
			return 1
		})
	}),
	spirv.GLSLModf:        one(func(f *Format, a Number) Number { return f.whole(a, math.Trunc) }),
	spirv.GLSLModfStruct:  one(func(f *Format, a Number) Number { return f.whole(a, math.Trunc) }),
	spirv.GLSLFrexp:       one(significand),
	spirv.GLSLFrexpStruct: one(significand),
}

// round is to the nearest whole number; a half goes to either side, as the
// machine likes.
func (f *Format) round(a Number) Number {
	x := math.RoundToEven(a.X)
	if a.E == 0 && x == a.X {
		return a
	}
	return f.off(x, max(x-math.Ceil(a.X-a.E-0.5), math.Floor(a.X+a.E+0.5)-x), 0)
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func fract(f *Format, a Number) Number { return f.whole(a, math.Floor) }

// whole is what is left of a number without its whole part.
func (f *Format) whole(a Number, part func(float64) float64) Number {
	x := a.X - part(a.X)
	if w := f.through(a, part); w.E > 0 {
		return Number{x, 1} // it goes round between 0 and 1
	}
	return Number{x, a.E}
}

func significand(_ *Format, a Number) Number {
	m, n := math.Frexp(a.X)
	_, lo := math.Frexp(a.X - a.E)
	_, hi := math.Frexp(a.X + a.E)
	if a.E > 0 && (lo != n || hi != n) {
		return Number{m, 1}
	}
	return Number{m, math.Ldexp(a.E, -n)}
}

var inexactFunctions map[uint32]Function

func init() {
	inexactFunctions = map[uint32]Function{
		spirv.GLSLRound:       one((*Format).round),
		spirv.GLSLSin:         one((*Format).sin),
		spirv.GLSLCos:         one((*Format).cos),
		spirv.GLSLTan:         one(func(f *Format, x Number) Number { return f.div(f.sin(x), f.cos(x)) }),
		spirv.GLSLAsin:        one(func(f *Format, x Number) Number { return f.atan2(x, f.cathetus(x)) }),
		spirv.GLSLAcos:        one(func(f *Format, x Number) Number { return f.atan2(f.cathetus(x), x) }),
		spirv.GLSLAtan:        one((*Format).atan),
		spirv.GLSLAtan2:       two((*Format).atan2),
		spirv.GLSLSinh:        one((*Format).sinh),
		spirv.GLSLCosh:        one((*Format).cosh),
		spirv.GLSLTanh:        one((*Format).tanh),
		spirv.GLSLAsinh:       one(func(f *Format, x Number) Number { return f.areaOf(x, 1) }),
		spirv.GLSLAcosh:       one(func(f *Format, x Number) Number { return f.areaOf(x, -1) }),
		spirv.GLSLAtanh:       one((*Format).atanh),
		spirv.GLSLExp:         one((*Format).exp),
		spirv.GLSLExp2:        one((*Format).exp2),
		spirv.GLSLLog:         one((*Format).log),
		spirv.GLSLLog2:        one((*Format).log2),
		spirv.GLSLPow:         two((*Format).pow),
		spirv.GLSLSqrt:        one((*Format).sqrt),
		spirv.GLSLInverseSqrt: one((*Format).inverseSqrt),
		spirv.GLSLRadians:     one(func(f *Format, x Number) Number { return f.mul(x, f.constant(math.Pi/180)) }),
		spirv.GLSLDegrees:     one(func(f *Format, x Number) Number { return f.mul(x, f.constant(180/math.Pi)) }),
		spirv.GLSLFMix: three(func(f *Format, x, y, a Number) Number {
			return f.add(f.mul(x, f.sub(exactly(1), a)), f.mul(y, a))
		}),
		spirv.GLSLSmoothStep: three((*Format).smoothStep),
		spirv.GLSLLength:     func(f *Format, in []Number, n int) []Number { return []Number{f.length(in[:n])} },
		spirv.GLSLDistance: func(f *Format, in []Number, n int) []Number {
			d := make([]Number, n)
			for i := range d {
				d[i] = f.sub(in[i], in[n+i])
			}
			return []Number{f.length(d)}
		},
		spirv.GLSLNormalize: func(f *Format, in []Number, n int) []Number {
			l := f.length(in[:n])
			out := make([]Number, n)
			for i := range out {
				out[i] = f.div(in[i], l)
			}
			return out
		},
		spirv.GLSLCross: func(f *Format, in []Number, _ int) []Number {
			out := make([]Number, 3)
			for i := range out {
				j, k := (i+1)%3, (i+2)%3
				out[i] = f.sub(f.mul(in[j], in[3+k]), f.mul(in[3+j], in[k]))
			}
			return out
		},
		spirv.GLSLFaceForward:   faceForward,
		spirv.GLSLReflect:       reflect,
		spirv.GLSLRefract:       refract,
		spirv.GLSLDeterminant:   func(f *Format, in []Number, _ int) []Number { return []Number{f.determinant(in, order(len(in)))} },
		spirv.GLSLMatrixInverse: inverse,
	}
}

// cathetus is sqrt(1-x*x).
func (f *Format) cathetus(x Number) Number {
	return f.sqrt(f.sub(exactly(1), f.mul(x, x)))
}

func negative(a Number) Number { return Number{-a.X, a.E} }

func (f *Format) halved(a Number) Number { return f.mul(a, exactly(0.5)) }

func (f *Format) sinh(x Number) Number { return f.halved(f.sub(f.exp(x), f.exp(negative(x)))) }
func (f *Format) cosh(x Number) Number { return f.halved(f.add(f.exp(x), f.exp(negative(x)))) }

// tanh is sinh/cosh. Where these overflow the formula promises nothing, and
// the emulator's result is 1.
func (f *Format) tanh(x Number) Number {
	r := f.div(f.sinh(x), f.cosh(x))
	r.X = math.Tanh(x.X)
	return Number{r.X, min(r.E, 2)}
}

// areaOf is log(x + sqrt(x*x + c)).
func (f *Format) areaOf(x Number, c float64) Number {
	return f.log(f.add(x, f.sqrt(f.add(f.mul(x, x), exactly(c)))))
}

func (f *Format) atanh(x Number) Number {
	return f.halved(f.log(f.div(f.add(exactly(1), x), f.sub(exactly(1), x))))
}

func (f *Format) pow(x, y Number) Number {
	if x == (Number{}) {
		return exactly(math.Pow(0, y.X))
	}
	return f.exp2(f.mul(y, f.log2(x)))
}

func (f *Format) remainder(x, y Number, part func(float64) float64) Number {
	return f.sub(x, f.mul(y, f.through(f.div(x, y), part)))
}

func (f *Format) smoothStep(e0, e1, x Number) Number {
	t := f.div(f.sub(x, e0), f.sub(e1, e0))
	t.X, t.E = min(max(t.X, 0), 1), min(t.E, 1)
	return f.mul(f.mul(t, t), f.sub(exactly(3), f.mul(exactly(2), t)))
}

func (f *Format) length(a []Number) Number { return f.sqrt(f.dot(a, a)) }

// faceForward is N or -N by the sign of dot(Nref, I): N, I, Nref.
func faceForward(f *Format, in []Number, n int) []Number {
	d := f.dot(in[2*n:3*n], in[n:2*n])
	out := make([]Number, n)
	for i := range out {
		out[i] = in[i]
		if d.X >= 0 {
			out[i] = negative(in[i])
		}
		if math.Abs(d.X) <= d.E {
			out[i].E += 2 * math.Abs(in[i].X)
		}
	}
	return out
}

// reflect is I - 2*dot(N, I)*N: I, N.
func reflect(f *Format, in []Number, n int) []Number {
	d := f.mul(exactly(2), f.dot(in[n:2*n], in[:n]))
	out := make([]Number, n)
	for i := range out {
		out[i] = f.sub(in[i], f.mul(d, in[n+i]))
	}
	return out
}

// refract is 0 if k = 1 - eta*eta*(1 - d*d) is negative, with d = dot(N, I), or
// else eta*I - (eta*d + sqrt(k))*N: I, N, eta.
func refract(f *Format, in []Number, n int) []Number {
	d, eta := f.dot(in[n:2*n], in[:n]), in[2*n]
	k := f.sub(exactly(1), f.mul(f.mul(eta, eta), f.sub(exactly(1), f.mul(d, d))))
	out := make([]Number, n)
	if k.X < 0 && k.X+k.E < 0 {
		return out
	}
	uncertain := math.Abs(k.X) <= k.E
	c := f.add(f.mul(eta, d), f.sqrt(Number{max(k.X, 0), k.E}))
	for i := range out {
		out[i] = f.sub(f.mul(eta, in[i]), f.mul(c, in[n+i]))
		if uncertain {
			out[i].E += math.Abs(out[i].X)
		}
	}
	return out
}

// order is the number of columns of a square matrix of n components.
func order(n int) int { return int(math.Sqrt(float64(n)) + 0.5) }

// determinant expands a matrix of n columns by its first column.
func (f *Format) determinant(m []Number, n int) Number {
	if n == 1 {
		return m[0]
	}
	if n == 2 {
		return f.sub(f.mul(m[0], m[3]), f.mul(m[2], m[1]))
	}
	var a, b []Number
	for r := range n {
		x := m[r]
		if r%2 == 1 {
			x = negative(x)
		}
		a, b = append(a, x), append(b, f.determinant(minor(m, n, 0, r), n-1))
	}
	return f.dot(a, b)
}

// minor is a matrix without a column and a row.
func minor(m []Number, n, column, row int) []Number {
	var out []Number
	for c := range n {
		for r := range n {
			if c != column && r != row {
				out = append(out, m[c*n+r])
			}
		}
	}
	return out
}

// inverse is the adjugate divided by the determinant.
func inverse(f *Format, in []Number, _ int) []Number {
	n := order(len(in))
	det := f.determinant(in, n)
	out := make([]Number, n*n)
	for c := range n {
		for r := range n {
			x := exactly(1)
			if n > 1 {
				x = f.determinant(minor(in, n, r, c), n-1)
			}
			if (c+r)%2 == 1 {
				x = negative(x)
			}
			out[c*n+r] = f.div(x, det)
		}
	}
	return out
}
