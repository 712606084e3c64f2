package survey

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
)

// Operation is a float operation to be measured.
type Operation struct {
	Name  string
	Width int    // bits of the operands
	Bound string // how far a result may be off, in words

	args     int // operands
	from, to int // width of the operands and of the result, where it is not Width
	// code computes %value from %a0, %a1, ...; %F is the float type.
	code  string
	draw  func(r *rand.Rand, i int) []float64
	exact func(x []float64) float64
	// others gives results that may stand for the exact one, too.
	others   func(x []float64) []float64
	bound    boundFunc // nil: the nearest number
	absolute bool      // the bound is an absolute error
}

// operations are those of the table in docs/hardware.md.
var operations = list()

const nearest = "correctly rounded"

func list() []Operation {
	var out []Operation
	for _, w := range []int{32, 16, 64} {
		out = append(out, exactOperations(w)...)
		out = append(out, rootOperations(w)...)
		out = append(out, sumOperations(w)...)
		if w != 64 {
			out = append(out, transcendental(w)...)
		}
	}
	return append(out, conversions()...)
}

func core(name, op string, width, args int, d draw, exact func([]float64) float64) Operation {
	return Operation{Name: name, Width: width, Bound: nearest, args: args, code: "%value = " + op + " %F" + operands(args), draw: d, exact: exact}
}

func glsl(name string, width, args int, d draw, exact func([]float64) float64) Operation {
	return Operation{Name: name, Width: width, Bound: nearest, args: args, code: "%value = OpExtInst %F %glsl " + name + operands(args), draw: d, exact: exact}
}

func operands(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " %%a%d", i)
	}
	return b.String()
}

func (op Operation) within(words string, b boundFunc) Operation {
	op.Bound, op.bound = words, b
	return op
}

func (op Operation) near(words string, e float64) Operation {
	op.Bound, op.bound, op.absolute = words, abs(e), true
	return op
}

type draw = func(r *rand.Rand, i int) []float64

// scaled draws numbers of both signs with exponents from low to high.
func scaled(n, low, high int) draw {
	return func(r *rand.Rand, _ int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Ldexp(1+r.Float64(), low+r.IntN(high-low+1))
			if r.IntN(2) == 0 {
				x[i] = -x[i]
			}
		}
		return x
	}
}

// positive is scaled without the signs.
func positive(low, high int) draw {
	d := scaled(1, low, high)
	return func(r *rand.Rand, i int) []float64 {
		x := d(r, i)
		x[0] = math.Abs(x[0])
		return x
	}
}

// between draws numbers evenly; the ends come first.
func between(low, high float64) draw {
	return func(r *rand.Rand, i int) []float64 {
		switch i {
		case 0:
			return []float64{low}
		case 1:
			return []float64{high}
		}
		return []float64{low + (high-low)*r.Float64()}
	}
}

// either draws from two in turn.
func either(a, b draw) draw {
	return func(r *rand.Rand, i int) []float64 {
		if i%2 == 0 {
			return a(r, i/2)
		}
		return b(r, i/2)
	}
}

// both draws one operand from each.
func both(a, b draw) draw {
	return func(r *rand.Rand, i int) []float64 { return append(a(r, i), b(r, i)...) }
}

// halves draws numbers of which many lie halfway between two integers.
func halves(high int) draw {
	return either(scaled(1, -4, high), func(r *rand.Rand, _ int) []float64 {
		return []float64{float64(r.IntN(1<<(min(high, 12)+1))-1<<min(high, 12)) + 0.5}
	})
}

// span is the range of exponents for which products and quotients of two
// numbers neither overflow nor become denormal.
func span(width int) int {
	return map[int]int{16: 6, 32: 60, 64: 500}[width]
}

func exactOperations(w int) []Operation {
	s := span(w)
	two := scaled(2, -s, s)
	one := func(f func(float64) float64) func([]float64) float64 {
		return func(x []float64) float64 { return f(x[0]) }
	}
	truth := func(f func(a, b float64) bool) func([]float64) float64 {
		return func(x []float64) float64 {
			if f(x[0], x[1]) {
				return 1
			}
			return 0
		}
	}
	compare := func(name string, f func(a, b float64) bool) Operation {
		close := either(two, func(r *rand.Rand, _ int) []float64 {
			x := scaled(1, -s, s)(r, 0)[0]
			return []float64{x, x}
		})
		op := core(name, "", w, 2, close, truth(f))
		op.code = "%truth = Op" + name + " %bool %a0 %a1\n%value = OpSelect %F %truth %one %zero"
		return op
	}
	add, sub := func(x []float64) float64 { return x[0] + x[1] }, func(x []float64) float64 { return x[0] - x[1] }
	// Exponents that are near each other, so that double precision holds the
	// exact sum of narrower floats.
	closer := scaled(2, -min(s, 12), min(s, 12))
	if w == 16 {
		closer = scaled(2, -4, 12)
	}
	high := map[int]int{16: 9, 32: 24, 64: 53}[w]
	ops := []Operation{
		core("FAdd", "OpFAdd", w, 2, closer, add),
		core("FSub", "OpFSub", w, 2, closer, sub),
		core("FMul", "OpFMul", w, 2, two, func(x []float64) float64 { return x[0] * x[1] }),
		core("FDiv", "OpFDiv", w, 2, two, func(x []float64) float64 { return x[0] / x[1] }).within("2.5 ULP", ulps(2.5)),
		core("FNegate", "OpFNegate", w, 1, scaled(1, -s, s), one(func(x float64) float64 { return -x })),
		glsl("Floor", w, 1, halves(high), one(math.Floor)),
		glsl("Ceil", w, 1, halves(high), one(math.Ceil)),
		glsl("Trunc", w, 1, halves(high), one(math.Trunc)),
		glsl("RoundEven", w, 1, halves(high), one(math.RoundToEven)),
		glsl("Fract", w, 1, halves(high), one(func(x float64) float64 { return x - math.Floor(x) })),
		glsl("FMin", w, 2, two, func(x []float64) float64 { return min(x[0], x[1]) }),
		glsl("FMax", w, 2, two, func(x []float64) float64 { return max(x[0], x[1]) }),
		glsl("FAbs", w, 1, scaled(1, -s, s), one(math.Abs)),
		glsl("FSign", w, 1, scaled(1, -s, s), one(func(x float64) float64 { return math.Copysign(1, x) })),
		compare("FOrdEqual", func(a, b float64) bool { return a == b }),
		compare("FUnordNotEqual", func(a, b float64) bool { return a != b }),
		compare("FOrdLessThan", func(a, b float64) bool { return a < b }),
		compare("FOrdLessThanEqual", func(a, b float64) bool { return a <= b }),
	}
	clamp := glsl("FClamp", w, 3, func(r *rand.Rand, _ int) []float64 {
		x := scaled(3, -s, s)(r, 0)
		return []float64{x[0], min(x[1], x[2]), max(x[1], x[2])}
	}, func(x []float64) float64 { return min(max(x[0], x[1]), x[2]) })
	ldexp := glsl("Ldexp", w, 2, func(r *rand.Rand, _ int) []float64 {
		return []float64{scaled(1, -s/2, s/2)(r, 0)[0], float64(r.IntN(s+1) - s/2)}
	}, func(x []float64) float64 { return math.Ldexp(x[0], int(x[1])) })
	ldexp.code = "%whole = OpConvertFToS %int %a1\n%value = OpExtInst %F %glsl Ldexp %a0 %whole"
	ops = append(ops, clamp, ldexp)
	rem := core("FRem", "OpFRem", w, 2, scaled(2, -2, 6), func(x []float64) float64 { return math.Mod(x[0], x[1]) }).within("as x-y*trunc(x/y)", remainderBound(w))
	rem.others = func(x []float64) []float64 { return remainders(x, w, math.Trunc) }
	mod := core("FMod", "OpFMod", w, 2, scaled(2, -2, 6), func(x []float64) float64 {
		m := math.Mod(x[0], x[1])
		if m != 0 && (m < 0) != (x[1] < 0) {
			m += x[1]
		}
		return m
	}).within("as x-y*floor(x/y)", remainderBound(w))
	mod.others = func(x []float64) []float64 { return remainders(x, w, math.Floor) }
	return append(ops, rem, mod)
}

func rootOperations(w int) []Operation {
	s := 2 * span(w)
	return []Operation{
		glsl("Sqrt", w, 1, positive(-s, s), func(x []float64) float64 { return math.Sqrt(x[0]) }).within("as 1/inversesqrt(x): 4.5 ULP", ulps(4.5)),
		glsl("InverseSqrt", w, 1, positive(-s, s), inverseSqrt).within("2 ULP", ulps(2)),
	}
}

// inverseSqrt is exact to the last bit of a float64.
func inverseSqrt(x []float64) float64 {
	f := new(big.Float).SetPrec(160).SetFloat64(x[0])
	f.Sqrt(f)
	out, _ := f.Quo(new(big.Float).SetPrec(160).SetInt64(1), f).Float64()
	return out
}

func sumOperations(w int) []Operation {
	s := map[int]int{16: 3, 32: 12, 64: 12}[w]
	dot := func(n int) func(x []float64) float64 {
		return func(x []float64) float64 {
			sum := new(big.Float).SetPrec(2000)
			for i := range n {
				a, b := new(big.Float).SetPrec(2000).SetFloat64(x[i]), new(big.Float).SetPrec(2000).SetFloat64(x[n+i])
				sum.Add(sum, a.Mul(a, b))
			}
			out, _ := sum.Float64()
			return out
		}
	}
	fma := glsl("Fma", w, 3, scaled(3, -s, s), func(x []float64) float64 { return math.FMA(x[0], x[1], x[2]) }).within("fused, or as FMul then FAdd", ulps(0.5001))
	fma.others = func(x []float64) []float64 { return []float64{round(round(x[0]*x[1], w)+x[2], w)} }
	vec4 := Operation{Name: "Dot, of 4", Width: w, args: 8, draw: scaled(8, -s, s), exact: dot(4), Bound: "a sum of 4 products, in any association", bound: sumBound(4, w),
		code: "%u = OpCompositeConstruct %T %a0 %a1 %a2 %a3\n%v = OpCompositeConstruct %T %a4 %a5 %a6 %a7\n%value = OpDot %F %u %v"}
	matrix := Operation{Name: "MatrixTimesVector, of 2x2", Width: w, args: 4, draw: scaled(4, -s, s), exact: dot(2), Bound: "a sum of 2 products, in any association", bound: sumBound(2, w),
		code: "%k0 = OpCompositeConstruct %T2 %a0 %a0\n%k1 = OpCompositeConstruct %T2 %a1 %a1\n%m = OpCompositeConstruct %M2 %k0 %k1\n" +
			"%v = OpCompositeConstruct %T2 %a2 %a3\n%p = OpMatrixTimesVector %T2 %m %v\n%value = OpCompositeExtract %F %p 0"}
	length := Operation{Name: "Length, of 3", Width: w, args: 3, draw: scaled(3, -s, s), Bound: "as sqrt(dot(x, x)): 7.5 ULP", bound: ulps(7.5),
		code: "%u = OpCompositeConstruct %T3 %a0 %a1 %a2\n%value = OpExtInst %F %glsl Length %u",
		exact: func(x []float64) float64 {
			sum := new(big.Float).SetPrec(400)
			for _, v := range x {
				f := new(big.Float).SetPrec(400).SetFloat64(v)
				sum.Add(sum, f.Mul(f, f))
			}
			out, _ := sum.Sqrt(sum).Float64()
			return out
		}}
	return []Operation{fma, vec4, matrix, length}
}

func transcendental(w int) []Operation {
	one := func(f func(float64) float64) func([]float64) float64 {
		return func(x []float64) float64 { return f(x[0]) }
	}
	wide := w == 32
	pick := func(a, b float64) float64 {
		if wide {
			return a
		}
		return b
	}
	logs := either(positive(int(pick(-120, -13)), int(pick(120, 14))), between(0.4, 2.2))
	expWords, logWords, sinWords, atanWords := "3+2*abs(x) ULP", "3 ULP; 2^-21 in [0.5, 2]", "absolute error 2^-11 in [-pi, pi]", "4096 ULP"
	if !wide {
		expWords, logWords, sinWords, atanWords = "1+2*abs(x) ULP", "3 ULP; 2^-7 in [0.5, 2]", "absolute error 2^-7 in [-pi, pi]", "5 ULP"
	}
	pi := pick(math.Pi, 3.140625)
	hyper := between(pick(-20, -8), pick(20, 8))
	return []Operation{
		glsl("Exp", w, 1, between(pick(-87, -9), pick(88, 11)), one(math.Exp)).within(expWords, expBound(w)),
		glsl("Exp2", w, 1, between(pick(-125, -13), pick(127, 15)), one(math.Exp2)).within(expWords, expBound(w)),
		glsl("Log", w, 1, logs, one(math.Log)).within(logWords, logBound(w)),
		glsl("Log2", w, 1, logs, one(log2)).within(logWords, logBound(w)),
		glsl("Pow", w, 2, both(positive(int(pick(-8, -2)), int(pick(7, 1))), between(pick(-12, -4), pick(12, 4))), func(x []float64) float64 { return math.Pow(x[0], x[1]) }).within("as exp2(y*log2(x))", powBound(w)),
		glsl("Sin", w, 1, between(-pi, pi), one(math.Sin)).near(sinWords, sinError(w)),
		glsl("Cos", w, 1, between(-pi, pi), one(math.Cos)).near(sinWords, sinError(w)),
		glsl("Tan", w, 1, between(-1.5, 1.5), one(math.Tan)).within("as sin(x)/cos(x)", tanBound(w)),
		glsl("Asin", w, 1, between(-1, 1), one(func(x float64) float64 { return math.Atan2(x, math.Sqrt((1-x)*(1+x))) })).within("as atan2(x, sqrt(1-x*x))", arcBound(w)),
		glsl("Acos", w, 1, between(-1, 1), one(func(x float64) float64 { return math.Atan2(math.Sqrt((1-x)*(1+x)), x) })).within("as atan2(sqrt(1-x*x), x)", arcBound(w)),
		glsl("Atan", w, 1, scaled(1, int(pick(-20, -6)), int(pick(20, 6))), one(math.Atan)).within(atanWords, ulps(atanULP(w))),
		glsl("Atan2", w, 2, scaled(2, int(pick(-10, -3)), int(pick(10, 3))), func(x []float64) float64 { return math.Atan2(x[0], x[1]) }).within(atanWords, ulps(atanULP(w))),
		glsl("Sinh", w, 1, hyper, one(math.Sinh)).within("as (exp(x)-exp(-x))/2", sinhBound(w)),
		glsl("Cosh", w, 1, hyper, one(math.Cosh)).within("as (exp(x)+exp(-x))/2", sinhBound(w)),
		glsl("Tanh", w, 1, hyper, one(math.Tanh)).within("as sinh(x)/cosh(x)", tanhBound(w)),
		glsl("Asinh", w, 1, between(pick(-100, -10), pick(100, 10)), one(math.Asinh)).within("as log(x+sqrt(x*x+1))", asinhBound(w)),
		glsl("Acosh", w, 1, between(1, 100), one(math.Acosh)).within("as log(x+sqrt(x*x-1))", acoshBound(w)),
		glsl("Atanh", w, 1, between(-0.99, 0.99), one(math.Atanh)).within("as log((1+x)/(1-x))/2", atanhBound(w)),
	}
}

func conversions() []Operation {
	same := func(x []float64) float64 { return x[0] }
	integers := func(bits int) draw {
		return func(r *rand.Rand, _ int) []float64 { return []float64{float64(r.Int64N(1<<bits) - 1<<(bits-1))} }
	}
	whole := func(name, to, back string, d draw) Operation {
		// To an integer and, in a float64, exactly back.
		op := Operation{Name: name, Width: 32, to: 64, Bound: nearest, args: 1, draw: d, exact: func(x []float64) float64 { return math.Trunc(x[0]) }}
		op.code = "%whole = Op" + name + " %" + to + " %a0\n%value = Op" + back + " %f64 %whole"
		return op
	}
	fromInt := func(name, back, typ string, d draw) Operation {
		// From an integer that a float64 brings exactly.
		op := Operation{Name: name, Width: 32, from: 64, Bound: nearest, args: 1, draw: d, exact: same}
		op.code = "%whole = Op" + back + " %" + typ + " %a0\n%value = Op" + name + " %f32 %whole"
		return op
	}
	convert := func(from, to int, d draw) Operation {
		return Operation{Name: fmt.Sprintf("FConvert to %d", to), Width: from, to: to, Bound: nearest, args: 1, draw: d, exact: same,
			code: fmt.Sprintf("%%value = OpFConvert %%f%d %%a0", to)}
	}
	magnitude := func(d draw) draw {
		return func(r *rand.Rand, i int) []float64 { return []float64{math.Abs(d(r, i)[0])} }
	}
	return []Operation{
		whole("ConvertFToS", "int", "ConvertSToF", scaled(1, -2, 30)),
		whole("ConvertFToU", "uint", "ConvertUToF", magnitude(scaled(1, -2, 31))),
		fromInt("ConvertSToF", "ConvertFToS", "int", integers(32)),
		fromInt("ConvertUToF", "ConvertFToU", "uint", magnitude(integers(32))),
		convert(32, 16, scaled(1, -13, 14)),
		convert(32, 64, scaled(1, -100, 100)),
		convert(64, 32, scaled(1, -100, 100)),
		convert(16, 32, scaled(1, -13, 14)),
	}
}
