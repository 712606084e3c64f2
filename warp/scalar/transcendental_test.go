package scalar

import (
	"math"
	"math/big"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

var transcendentals = []struct {
	name      string
	inst      uint32
	low, high float64 // the interval of operands
	eval      func(x *big.Float) *big.Float
}{
	{"sin", spirv.GLSLSin, -math.Pi, math.Pi, bsin},
	{"sin or cos of huge angles", spirv.GLSLSin, -1e38, 1e38, bsin},
	{"cos", spirv.GLSLCos, -math.Pi, math.Pi, bcos},
	{"sin or cos of huge angles", spirv.GLSLCos, -1e38, 1e38, bcos},
	{"tan", spirv.GLSLTan, -100, 100, func(x *big.Float) *big.Float { return bquo(bsin(x), bcos(x)) }},
	{"asin", spirv.GLSLAsin, -1, 1, basin},
	{"acos", spirv.GLSLAcos, -1, 1, func(x *big.Float) *big.Float { return bsub(bquo(bpi(), bf(2)), basin(x)) }},
	{"atan", spirv.GLSLAtan, -1e38, 1e38, batan},
	{"sinh", spirv.GLSLSinh, -89, 89, bsinh},
	{"cosh", spirv.GLSLCosh, -89, 89, bcosh},
	{"tanh", spirv.GLSLTanh, -89, 89, func(x *big.Float) *big.Float { return bquo(bsinh(x), bcosh(x)) }},
	{"asinh", spirv.GLSLAsinh, -1e38, 1e38, func(x *big.Float) *big.Float {
		return bln(badd(x, bsqrt(badd(bmul(x, x), bf(1)))))
	}},
	{"acosh", spirv.GLSLAcosh, 1, 1e38, func(x *big.Float) *big.Float {
		return bln(badd(x, bsqrt(bsub(bmul(x, x), bf(1)))))
	}},
	{"atanh", spirv.GLSLAtanh, -1, 1, func(x *big.Float) *big.Float {
		return bquo(bln(bquo(badd(bf(1), x), bsub(bf(1), x))), bf(2))
	}},
	{"exp", spirv.GLSLExp, -104, 88, bexp},
	{"exp2", spirv.GLSLExp2, -150, 128, func(x *big.Float) *big.Float { return bexp(bmul(x, bln(bf(2)))) }},
	{"log", spirv.GLSLLog, 0, 1e38, bln},
	{"log near 1", spirv.GLSLLog, 0.5, 2, bln},
	{"log2", spirv.GLSLLog2, 0, 1e38, func(x *big.Float) *big.Float { return bquo(bln(x), bln(bf(2))) }},
	{"log2 near 1", spirv.GLSLLog2, 0.5, 2, func(x *big.Float) *big.Float { return bquo(bln(x), bln(bf(2))) }},
	{"inversesqrt", spirv.GLSLInverseSqrt, 0, 1e38, func(x *big.Float) *big.Float { return bquo(bf(1), bsqrt(x)) }},
}

// ulps is how far a result is from the exact one, in units of the last place of
// the format at the exact result.
func (f ieee) ulps(got uint64, exact *big.Float) float64 {
	n := f.decode(got)
	if n.rat == nil {
		// An overflow is right if the exact result rounds to it.
		rat, _ := exact.Rat(nil)
		if n.inf && f.encode(rat, false, false) == got {
			return 0
		}
		return math.Inf(1)
	}
	last := max(exact.MantExp(nil)-1, 1-f.bias) - int(f.fraction)
	d := bsub(new(big.Float).SetPrec(bigPrec).SetRat(n.rat), exact)
	e, _ := new(big.Float).SetMantExp(d, -last).Float64()
	return math.Abs(e)
}

// spread gives operands in [low, high]: uniform ones, and ones of all exponents.
func spread(f ieee, low, high float64, count int) []uint64 {
	r := newRand()
	var all []uint64
	take := func(a uint64) {
		if n := f.decode(a); n.rat != nil && n.rat.Sign() != 0 {
			// Below 2^-200 the reference would have to be longer.
			if x, _ := n.rat.Float64(); x >= low && x <= high && math.Abs(x) != 1 && math.Abs(x) > 0x1p-200 {
				all = append(all, a)
			}
		}
	}
	for range count {
		x := new(big.Rat).SetFloat64(low + (high-low)*r.Float64())
		take(f.encode(x, false, true))
		take(r.Uint64() & (f.sign()<<1 - 1))
		near := new(big.Rat).SetFloat64(1 + math.Ldexp(r.Float64()-0.5, -r.IntN(int(f.fraction))))
		take(f.encode(near, false, true))
	}
	return all
}

func TestTranscendentalsWithinOneULP(t *testing.T) {
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		bound := 0.501 // rounded once from binary64
		if w == 64 {
			bound = 4 // what package math achieves
		}
		for _, c := range transcendentals {
			if w == 64 && c.name == "sin or cos of huge angles" {
				continue // package math keeps 64 bits of an angle beyond 2^29
			}
			fn, ok := GLSL1(c.inst, floatKind(w), program.Mode{})
			if !ok {
				t.Fatalf("no %s of width %d", c.name, w)
			}
			worst := 0.0
			for _, a := range spread(f, c.low, c.high, 50) {
				rat := f.decode(a).rat
				e := f.ulps(fn(a), c.eval(new(big.Float).SetPrec(bigPrec).SetRat(rat)))
				worst = max(worst, e)
				if x, _ := rat.Float64(); e > bound {
					t.Errorf("%s of width %d: %g is %.3f ULP off", c.name, w, x, e)
				}
			}
			t.Logf("%-12s %d: %.4f ULP", c.name, w, worst)
		}
	}
}

// TestAngleNearestToMultipleOfPi takes the binary32 number that lies nearest to a
// multiple of π/2, where reduction cancels most.
func TestAngleNearestToMultipleOfPi(t *testing.T) {
	f := ieeeFormats[32]
	rat := scaled(big.NewInt(16367173), 72)
	x := new(big.Float).SetPrec(bigPrec).SetRat(rat)
	for inst, eval := range map[uint32]func(*big.Float) *big.Float{spirv.GLSLSin: bsin, spirv.GLSLCos: bcos} {
		fn, _ := GLSL1(inst, floatKind(32), program.Mode{})
		if e := f.ulps(fn(f.encode(rat, false, false)), eval(x)); e > 0.501 {
			t.Errorf("instruction %d: %.3f ULP off", inst, e)
		}
	}
}

func TestPowAndAtan2WithinOneULP(t *testing.T) {
	for _, w := range []uint8{16, 32} {
		f := ieeeFormats[w]
		pow, ok1 := GLSL2(spirv.GLSLPow, floatKind(w), program.Mode{})
		atan2, ok2 := GLSL2(spirv.GLSLAtan2, floatKind(w), program.Mode{})
		if !ok1 || !ok2 {
			t.Fatalf("missing at width %d", w)
		}
		exact := func(a uint64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetRat(f.decode(a).rat) }
		bases, exponents := spread(f, 0, 1e30, 60), spread(f, -12, 12, 60)
		for i := range min(len(bases), len(exponents)) {
			x, y := bases[i], exponents[i]
			if e := f.ulps(pow(x, y), bexp(bmul(exact(y), bln(exact(x))))); e > 0.501 {
				t.Errorf("pow(%g, %g) of width %d is %.3f ULP off", exact(x), exact(y), w, e)
			}
			angle := batan(bquo(exact(y), exact(x))) // x is positive
			if e := f.ulps(atan2(y, x), angle); e > 0.501 {
				t.Errorf("atan2(%g, %g) of width %d is %.3f ULP off", exact(y), exact(x), w, e)
			}
			if exact(y).Sign() > 0 {
				angle = bsub(bpi(), angle)
			} else {
				angle = bsub(new(big.Float).Neg(bpi()), angle)
			}
			if e := f.ulps(atan2(y, x^f.sign()), angle); e > 0.501 {
				t.Errorf("atan2(%g, -%g) of width %d is %.3f ULP off", exact(y), exact(x), w, e)
			}
		}
	}
}

func TestTranscendentalEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		inst uint32
		x    float64
		want float64
	}{
		{spirv.GLSLExp, inf, inf}, {spirv.GLSLExp, -inf, 0}, {spirv.GLSLExp, 1e4, inf}, {spirv.GLSLExp, nan, nan},
		{spirv.GLSLExp2, 10, 1024}, {spirv.GLSLExp2, -14, 0x1p-14}, {spirv.GLSLExp2, 0.0, 1},
		{spirv.GLSLLog, 0, -inf}, {spirv.GLSLLog, -1, nan}, {spirv.GLSLLog, 1, 0}, {spirv.GLSLLog, inf, inf},
		{spirv.GLSLLog2, 8, 3}, {spirv.GLSLLog2, 0x1p-14, -14}, {spirv.GLSLLog2, 1, 0},
		{spirv.GLSLSin, inf, nan}, {spirv.GLSLSin, 0, 0}, {spirv.GLSLCos, 0, 1},
		{spirv.GLSLAtan, inf, math.Pi / 2}, {spirv.GLSLAtan, -inf, -math.Pi / 2},
		{spirv.GLSLAsin, 2, nan}, {spirv.GLSLAsin, 1, math.Pi / 2}, {spirv.GLSLAcos, 1, 0}, {spirv.GLSLAcos, -1, math.Pi},
		{spirv.GLSLAcosh, 0.5, nan}, {spirv.GLSLAcosh, 1, 0}, {spirv.GLSLAtanh, 1, inf},
		{spirv.GLSLTanh, inf, 1}, {spirv.GLSLSinh, -inf, -inf},
		{spirv.GLSLInverseSqrt, 4, 0.5}, {spirv.GLSLInverseSqrt, 0, inf}, {spirv.GLSLInverseSqrt, inf, 0}, {spirv.GLSLInverseSqrt, -1, nan},
	} {
		for _, w := range floatWidths {
			f := formatOf(floatKind(w), program.Mode{})
			fn, ok := GLSL1(c.inst, floatKind(w), program.Mode{})
			if !ok {
				t.Fatalf("no instruction %d of width %d", c.inst, w)
			}
			check(t, fn(f.round(c.x)), f.round(c.want), "instruction %d of width %d (%v)", c.inst, w, c.x)
		}
	}
}
