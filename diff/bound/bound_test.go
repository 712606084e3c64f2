package bound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ampdbg/spirv"
	"ampdbg/spirv/half"
)

// node is an instruction of a random straight-line program.
type node struct {
	op      byte // 'i' input, '+', '-', '*', '/', 'f' fma, or an index into functions, from 'A' on
	a, b, c int
	loose   bool
}

// functions are those of GLSL.std.450 that programs use: with what the emulator
// computes, and how far a machine may be off for the operand x.
var functions = []struct {
	inst uint32
	fn   func(float64) float64
	off  func(f *Format, x, y float64) float64
}{
	{spirv.GLSLExp, math.Exp, func(f *Format, x, y float64) float64 { return f.expULP(exactly(x)) * f.ULP(y) }},
	{spirv.GLSLLog, math.Log, func(f *Format, x, y float64) float64 { return max(3*f.ULP(y)*ones(x), halfOctave(f, x)) }},
	{spirv.GLSLSin, math.Sin, func(f *Format, x, _ float64) float64 { return f.sin(exactly(x)).E }},
	{spirv.GLSLInverseSqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, func(f *Format, _, y float64) float64 { return 2 * f.ULP(y) }},
	{spirv.GLSLSqrt, math.Sqrt, func(f *Format, _, y float64) float64 { return 4 * f.ULP(y) }},
	{spirv.GLSLAtan, math.Atan, func(f *Format, _, y float64) float64 { return f.atanULP() * f.ULP(y) }},
	{spirv.GLSLFloor, math.Floor, func(*Format, float64, float64) float64 { return 0 }},
	{spirv.GLSLFAbs, math.Abs, func(*Format, float64, float64) float64 { return 0 }},
}

// ones is 1 outside of [0.5, 2], where the bound of log is in ULP.
func ones(x float64) float64 {
	if x < 0.5 || x > 2 {
		return 1
	}
	return 0
}

func halfOctave(f *Format, x float64) float64 {
	switch {
	case ones(x) == 1:
		return 0
	case f.width == 16:
		return 0x1p-7
	}
	return 0x1p-21
}

// round rounds to a format.
func round(f *Format, x float64) float64 {
	switch f.width {
	case 16:
		return float64(half.ToFloat(half.FromDouble(x, false)))
	case 32:
		return float64(float32(x))
	}
	return x
}

// program makes a random program of n instructions over a few inputs. It leans
// to sums of products, which are what kernels are made of.
func program(r *rand.Rand, n int) []node {
	out := []node{{op: 'i'}, {op: 'i'}, {op: 'i'}, {op: 'i'}}
	for len(out) < n {
		x := node{a: r.IntN(len(out)), b: r.IntN(len(out)), c: r.IntN(len(out)), loose: r.IntN(3) > 0}
		if r.IntN(2) == 0 {
			x.a = len(out) - 1
		}
		switch k := r.IntN(12); {
		case k < 4:
			x.op = '+'
		case k < 5:
			x.op = '-'
		case k < 9:
			x.op = '*'
		case k < 10:
			x.op = 'f'
		case k < 11:
			x.op = '/'
		default:
			x.op = 'A' + byte(r.IntN(len(functions)))
		}
		out = append(out, x)
	}
	return out
}

// emulate gives the emulator's values of a program, and their bounds.
func emulate(f *Format, p []node, inputs []float64) (xs []float64, vs []Value) {
	xs, vs = make([]float64, len(p)), make([]Value, len(p))
	for i, n := range p {
		a, b, c := xs[n.a], xs[n.b], xs[n.c]
		va, vb, vc := &vs[n.a], &vs[n.b], &vs[n.c]
		switch n.op {
		case 'i':
			xs[i] = inputs[i]
		case '+':
			xs[i] = round(f, a+b)
			vs[i] = f.Sum(va, vb, a, b, xs[i], n.loose)
		case '-':
			xs[i] = round(f, a-b)
			vs[i] = f.Difference(va, vb, a, b, xs[i], n.loose)
		case '*':
			xs[i] = round(f, a*b)
			vs[i] = f.Product(va, vb, a, b, xs[i], n.loose)
		case 'f':
			xs[i] = round(f, math.FMA(a, b, c))
			vs[i] = f.MulAdd(va, vb, vc, a, b, c, xs[i], n.loose)
		case '/':
			xs[i] = round(f, a/b)
			fn, exact, _ := LookupCore(spirv.OpFDiv)
			vs[i] = f.Result(xs[i], fn(f, []Number{f.Number(va, a), f.Number(vb, b)}, 1)[0], exact, *va, *vb)
		default:
			g := functions[n.op-'A']
			xs[i] = round(f, g.fn(a))
			fn, exact, _ := LookupGLSL(g.inst)
			vs[i] = f.Result(xs[i], fn(f, []Number{f.Number(va, a)}, 1)[0], exact, *va)
		}
	}
	return xs, vs
}

// term is a part of a sum on a deviating machine: a product of factors that it
// may not have rounded, in an order of its own.
type term struct{ factors []float64 }

func (t term) value(f *Format, r *rand.Rand) (high float64, fused bool) {
	fs := slices.Clone(t.factors)
	r.Shuffle(len(fs), func(i, j int) { fs[i], fs[j] = fs[j], fs[i] })
	x := fs[0]
	for i, y := range fs[1:] {
		if i == len(fs)-2 && r.IntN(2) == 0 {
			return x * y, true
		}
		x = round(f, x*y)
	}
	return x, false
}

// deviate evaluates a program as another legal machine might.
func deviate(f *Format, r *rand.Rand, p []node, inputs []float64) []float64 {
	xs := make([]float64, len(p))
	terms := make([][]term, len(p)) // of loose sums and products
	somewhere := func(x, off float64) float64 {
		side := 2*r.Float64() - 1
		if r.IntN(2) == 0 {
			side = math.Copysign(1, side)
		}
		// The machine's result is a number of the format.
		y := round(f, x+side*off)
		if math.Abs(y-x) > off {
			return round(f, x)
		}
		return y
	}
	parts := func(i int) []term {
		if terms[i] != nil {
			return terms[i]
		}
		return []term{{[]float64{xs[i]}}}
	}
	total := func(list []term) float64 {
		list = slices.Clone(list)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		// Any association: two are added until one is left.
		type part struct {
			x     float64
			fused bool
		}
		var ps []part
		for _, t := range list {
			x, fused := t.value(f, r)
			ps = append(ps, part{x, fused})
		}
		if len(ps) == 1 {
			return round(f, ps[0].x)
		}
		for len(ps) > 1 {
			i := r.IntN(len(ps) - 1)
			a, b := ps[i], ps[i+1]
			if a.fused && b.fused {
				b.x = round(f, b.x) // one of two products can be fused
			}
			ps[i] = part{round(f, a.x+b.x), false}
			ps = append(ps[:i+1], ps[i+2:]...)
		}
		return ps[0].x
	}
	negated := func(list []term) []term {
		var out []term
		for _, t := range list {
			fs := slices.Clone(t.factors)
			fs[0] = -fs[0]
			out = append(out, term{fs})
		}
		return out
	}
	for i, n := range p {
		a, b := xs[n.a], xs[n.b]
		switch n.op {
		case 'i':
			xs[i] = inputs[i]
		case '+', '-':
			if n.loose {
				second := parts(n.b)
				if n.op == '-' {
					second = negated(second)
				}
				terms[i] = append(slices.Clone(parts(n.a)), second...)
				xs[i] = total(terms[i])
			} else if n.op == '+' {
				xs[i] = round(f, a+b)
			} else {
				xs[i] = round(f, a-b)
			}
		case '*':
			xs[i] = round(f, a*b)
			if n.loose {
				factors := func(k int) []float64 {
					if len(terms[k]) == 1 {
						return terms[k][0].factors
					}
					return []float64{xs[k]}
				}
				terms[i] = []term{{append(slices.Clone(factors(n.a)), factors(n.b)...)}}
				if len(terms[i][0].factors) > 2 { // as many as a product's rule knows of
					terms[i] = []term{{[]float64{a, b}}}
				}
				xs[i] = total(terms[i])
			}
		case 'f':
			list := []term{{[]float64{a, b}}, {[]float64{xs[n.c]}}}
			if n.loose {
				list = append([]term{{[]float64{a, b}}}, parts(n.c)...)
				terms[i] = list
			}
			xs[i] = total(list)
		case '/':
			if xs[i] = a / b; !math.IsInf(b, 0) {
				xs[i] = somewhere(xs[i], 2.5*f.ULP(xs[i]))
			}
		default:
			g := functions[n.op-'A']
			y := g.fn(a)
			xs[i] = somewhere(y, g.off(f, a, y))
		}
		if len(terms[i]) > 64 {
			terms[i] = nil
		}
	}
	return xs
}

// TestDeviationsStayInside runs random programs on many machines that deviate
// as they may: no value is farther from the emulator's than its bound. The
// bounds are no farther than needed, either: the median share that the worst
// of the machines uses is logged and held to a minimum.
func TestDeviationsStayInside(t *testing.T) {
	for _, width := range []int{16, 32} {
		f := NewFormat(width, true, false)
		r := rand.New(rand.NewPCG(7, uint64(width)))
		var shares []float64
		checked := 0
		for range 1500 {
			p := program(r, 5+r.IntN(20))
			inputs := make([]float64, 4)
			for i := range inputs {
				inputs[i] = round(f, (2*r.Float64()-1)*math.Exp2(float64(r.IntN(4))))
			}
			xs, vs := emulate(f, p, inputs)
			worst := make([]float64, len(p))
			for range 40 {
				ys := deviate(f, r, p, inputs)
				for i := range p {
					d := math.Abs(ys[i] - xs[i])
					if math.IsInf(vs[i].Err, 1) || math.IsNaN(xs[i]) || math.IsInf(xs[i], 0) || math.Abs(xs[i])+vs[i].Err > f.max {
						continue
					}
					checked++
					if d > vs[i].Err*(1+1e-9) {
						t.Fatalf("%d bits: instruction %d of %+v with %v gives %v, and elsewhere %v: %g apart, bound %g", width, i, p[:i+1], inputs, xs[i], ys[i], d, vs[i].Err)
					}
					worst[i] = max(worst[i], d)
				}
			}
			for i := range p {
				if e := vs[i].Err; e > 0 && !math.IsInf(e, 1) {
					shares = append(shares, worst[i]/e)
				}
			}
		}
		slices.Sort(shares)
		median := shares[len(shares)/2]
		t.Logf("%d bits: %d values checked; the worst of 40 machines uses %.3f of the bound (median), %.3f (upper tenth)", width, checked, median, shares[len(shares)*9/10])
		if checked < 100_000 || median < 0.02 {
			t.Errorf("%d bits: %d values checked, median %.4f of the bound", width, checked, median)
		}
	}
}

// An exact operation of exact operands has bound 0; a product may be left
// unrounded only where it may be contracted.
func TestExactStaysExact(t *testing.T) {
	f := NewFormat(32, false, false)
	var exact Value
	third, tenth := round(f, 1.0/3), round(f, 0.1)
	product := round(f, third*tenth)
	for _, loose := range []bool{false, true} {
		if v := f.Sum(&exact, &exact, third, tenth, round(f, third+tenth), loose); v.Err != 0 {
			t.Errorf("a sum of two exact numbers, loose %v: %g", loose, v.Err)
		}
		p := f.Product(&exact, &exact, third, tenth, product, loose)
		if p.Err != 0 {
			t.Errorf("a product, loose %v: %g", loose, p.Err)
		}
		s := f.Sum(&p, &exact, product, 1, round(f, product+1), loose)
		if (s.Err != 0) != loose {
			t.Errorf("a sum with a product, loose %v: %g", loose, s.Err)
		}
		three := f.Sum(&s, &exact, round(f, product+1), tenth, round(f, round(f, product+1)+tenth), loose)
		if (three.Err != 0) != loose {
			t.Errorf("a sum of three, loose %v: %g", loose, three.Err)
		}
		if three.Err > 4*f.ULP(1) {
			t.Errorf("a sum of three near 1 has a bound of %g", three.Err)
		}
	}
	if v := f.Sum(&exact, &exact, 0, third, third, true); v.Err != 0 {
		t.Errorf("0 + x: %g", v.Err)
	}
	if fn, _, _ := LookupGLSL(spirv.GLSLFloor); fn(f, []Number{{2.5, 0.25}}, 1)[0].E != 0 || fn(f, []Number{{2.5, 0.75}}, 1)[0].E != 1 {
		t.Error("floor of 2.5 with an error of 0.25 and of 0.75")
	}
}

// The bound of a long sum is that of its roundings, once each: n u times the
// sum of the magnitudes, and not the sum of the bounds of all that came before.
func TestLongSumsAreLinear(t *testing.T) {
	f := NewFormat(32, false, false)
	var exact, sum Value
	x, m := 0.0, 0.0
	const n = 1000
	for i := range n {
		a, b := round(f, math.Sin(float64(i))), round(f, math.Cos(float64(3*i)))
		p := round(f, a*b)
		v := f.Product(&exact, &exact, a, b, p, true)
		next := round(f, x+p)
		sum, x, m = f.Sum(&sum, &v, x, p, next, true), next, m+math.Abs(p)
	}
	if most := 1.2 * n * 0x1p-24 * m; sum.Err > most || sum.Err < most/2 {
		t.Errorf("a sum of %d products of magnitude %g has a bound of %g, not about %g", n, m, sum.Err, most/1.2)
	}
}

// Where infinities are exact, so is what they make.
func TestInfinities(t *testing.T) {
	f := NewFormat(32, false, false)
	inf := math.Inf(1)
	var exact Value
	inexact := Of(1e-6, Float)
	if v := f.Sum(&exact, &inexact, -inf, 1, -inf, true); v.Err != 0 {
		t.Errorf("-inf + x: %g", v.Err)
	}
	fn, _, _ := LookupGLSL(spirv.GLSLFMax)
	if r := fn(f, []Number{{-inf, 0}, {1, 1e-6}}, 1)[0]; math.Abs(r.E-1e-6) > 1e-12 {
		t.Errorf("max(-inf, x): %g", r.E)
	}
	fn, _, _ = LookupGLSL(spirv.GLSLExp)
	if r := fn(f, []Number{{-inf, 0}}, 1)[0]; r.X != 0 || r.E > 1e-37 {
		t.Errorf("exp(-inf): %+v", r)
	}
	div, _, _ := LookupCore(spirv.OpFDiv)
	if r := div(f, []Number{{1, 0}, {1e-7, 1e-6}}, 1)[0]; !math.IsInf(r.E, 1) {
		t.Errorf("a divisor that may be 0: %g", r.E)
	}
}

// Where denormals are not pinned a machine may flush them within a formula,
// too: the length of a tiny vector may then be 0.
func TestFormulasMayFlush(t *testing.T) {
	const x = 1e-20 // whose square is a denormal number
	for _, c := range []struct {
		inst uint32
		in   []Number
		n    int
		far  float64 // what a machine gives that flushes, from the result
	}{
		{spirv.GLSLLength, []Number{{x, 0}, {0, 0}}, 2, x},
		{spirv.GLSLDistance, []Number{{x, 0}, {1, 0}, {0, 0}, {1, 0}}, 2, x},
		{spirv.GLSLNormalize, []Number{{x, 0}, {0, 0}}, 2, math.Inf(1)},
	} {
		fn, _, _ := LookupGLSL(c.inst)
		if r := fn(NewFormat(32, false, false), c.in, c.n)[0]; r.E < c.far {
			t.Errorf("instruction %d: %g within %g; a machine that flushes is %g off", c.inst, r.X, r.E, c.far)
		}
		if r := fn(NewFormat(32, true, false), c.in, c.n)[0]; r.E > math.Abs(r.X)/8 {
			t.Errorf("instruction %d with pinned denormals: %g within %g", c.inst, r.X, r.E)
		}
	}
}

// Round takes a half to either side, RoundEven to the even one.
func TestHalvesGoEitherWay(t *testing.T) {
	f := NewFormat(32, false, false)
	round, exact, _ := LookupGLSL(spirv.GLSLRound)
	even, evenExact, _ := LookupGLSL(spirv.GLSLRoundEven)
	if exact || !evenExact {
		t.Errorf("Round is exact: %v, RoundEven: %v", exact, evenExact)
	}
	for _, c := range []struct{ x, e, bound float64 }{
		{2.5, 0, 1}, {-3.5, 0, 1}, {2.25, 0, 0}, {3, 0, 0}, {0x1p60, 0, 0}, {-0.75, 0, 0}, {2.25, 0.25, 1}, {2.25, 0.125, 0}, {2.5, 1.25, 2},
	} {
		if r := round(f, []Number{{c.x, c.e}}, 1)[0]; r.X != math.RoundToEven(c.x) || r.E != c.bound {
			t.Errorf("round(%g within %g) = %g within %g, want within %g", c.x, c.e, r.X, r.E, c.bound)
		}
	}
	if r := even(f, []Number{{2.5, 0}}, 1)[0]; r.E != 0 {
		t.Errorf("roundEven(2.5) is within %g", r.E)
	}
}
