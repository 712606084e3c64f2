package scalar

import (
	"math"
	"math/big"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

// refInteger rounds a fraction to an integer; kind is floor, ceil, trunc or even.
func refInteger(x *big.Rat, kind string) *big.Rat {
	floor := new(big.Int).Div(x.Num(), x.Denom())
	fraction := new(big.Rat).Sub(x, new(big.Rat).SetInt(floor))
	up := false
	switch kind {
	case "ceil":
		up = fraction.Sign() > 0
	case "trunc":
		up = x.Sign() < 0 && fraction.Sign() > 0
	case "even":
		c := fraction.Cmp(big.NewRat(1, 2))
		up = c > 0 || c == 0 && floor.Bit(0) == 1
	}
	if up {
		floor.Add(floor, big.NewInt(1))
	}
	return new(big.Rat).SetInt(floor)
}

func refGLSL1(f ieee, inst uint32, m program.Mode, a uint64) uint64 {
	a = f.flush(a, m)
	one := uint64(f.bias) << f.fraction
	n := f.decode(a)
	if inst == spirv.GLSLFAbs {
		return a &^ f.sign()
	}
	if inst == spirv.GLSLFSign {
		switch {
		case n.nan || a&^f.sign() == 0:
			return 0
		case n.negative:
			return one | f.sign()
		}
		return one
	}
	if n.nan {
		return f.nan()
	}
	if n.inf {
		switch inst {
		case spirv.GLSLFract:
			return f.nan()
		case spirv.GLSLModf:
			return a & f.sign()
		}
		return a
	}
	integer := func(kind string) uint64 { return f.encode(refInteger(n.rat, kind), n.negative, false) }
	switch inst {
	case spirv.GLSLFloor:
		return integer("floor")
	case spirv.GLSLCeil:
		return integer("ceil")
	case spirv.GLSLTrunc:
		return integer("trunc")
	case spirv.GLSLRound, spirv.GLSLRoundEven:
		return integer("even")
	case spirv.GLSLFract:
		x := new(big.Rat).Sub(n.rat, refInteger(n.rat, "floor"))
		return f.flush(f.encode(x, false, m.RTZ), m)
	case spirv.GLSLModf:
		x := new(big.Rat).Sub(n.rat, refInteger(n.rat, "trunc"))
		return f.flush(f.encode(x, n.negative, m.RTZ), m)
	}
	panic(inst)
}

func TestRoundingFunctions(t *testing.T) {
	insts := []uint32{
		spirv.GLSLRound, spirv.GLSLRoundEven, spirv.GLSLTrunc, spirv.GLSLFloor, spirv.GLSLCeil,
		spirv.GLSLFract, spirv.GLSLFAbs, spirv.GLSLFSign, spirv.GLSLModf,
	}
	r := newRand()
	for _, inst := range insts {
		for _, w := range floatWidths {
			f := ieeeFormats[w]
			operands := f.edges()
			for range 700 {
				operands = append(operands, f.random(r))
			}
			for i := range 64 { // halves
				operands = append(operands, formatOf(floatKind(w), program.Mode{}).round(float64(i-32)/4))
			}
			for _, m := range allModes {
				fn, ok := GLSL1(inst, floatKind(w), m)
				if !ok {
					t.Fatalf("no instruction %d of width %d", inst, w)
				}
				for _, a := range operands {
					check(t, fn(a), refGLSL1(f, inst, m, a), "instruction %d of width %d %+v (%#x)", inst, w, m, a)
				}
			}
		}
		half, _ := GLSL1(inst, floatKind(16), program.Mode{})
		for a := range uint64(1 << 16) {
			check(t, half(a), refGLSL1(ieeeFormats[16], inst, program.Mode{}, a), "instruction %d of half %#x", inst, a)
		}
	}
}

func TestUnaryOfEveryHalf(t *testing.T) {
	f := ieeeFormats[16]
	sqrt, _ := GLSL1(spirv.GLSLSqrt, floatKind(16), program.Mode{})
	neg, _ := Unary(spirv.OpFNegate, floatKind(16), floatKind(16), program.Mode{})
	flushedNeg, _ := Unary(spirv.OpFNegate, floatKind(16), floatKind(16), program.Mode{FlushDenorms: true})
	widen, _ := Unary(spirv.OpFConvert, floatKind(64), floatKind(16), program.Mode{})
	toInt, _ := Unary(spirv.OpConvertFToS, intKind(32), floatKind(16), program.Mode{})
	whole, _ := modfWhole(floatKind(16), program.Mode{})
	trunc, _ := GLSL1(spirv.GLSLTrunc, floatKind(16), program.Mode{})
	for a := range uint64(1 << 16) {
		check(t, sqrt(a), refArithmetic(f, "sqrt", program.Mode{}, a), "sqrt %#x", a)
		check(t, neg(a), a^0x8000, "negate %#x", a)
		check(t, flushedNeg(a), f.flush(a, program.Mode{FlushDenorms: true})^0x8000, "negate %#x", a)
		check(t, whole(a), trunc(a), "modf %#x", a)
		if n := f.decode(a); n.rat != nil {
			check(t, widen(a), ieeeFormats[64].encode(n.rat, n.negative, false), "widen %#x", a)
			check(t, toInt(a), lowBits(new(big.Int).Quo(n.rat.Num(), n.rat.Denom()), 32), "to int %#x", a)
		}
	}
}

func TestFractOfTinyNegativeIsOne(t *testing.T) {
	fract, _ := GLSL1(spirv.GLSLFract, floatKind(32), program.Mode{})
	check(t, fract(uint64(math.Float32bits(-1e-10))), 0x3f800000, "fract -1e-10")
	truncated, _ := GLSL1(spirv.GLSLFract, floatKind(32), program.Mode{RTZ: true})
	check(t, truncated(uint64(math.Float32bits(-1e-10))), 0x3f7fffff, "fract -1e-10 toward zero")
}

func TestFrexp(t *testing.T) {
	r := newRand()
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		significand, ok1 := GLSL1(spirv.GLSLFrexp, floatKind(w), program.Mode{})
		exponent, ok2 := frexpExponent(floatKind(w), program.Mode{})
		if !ok1 || !ok2 {
			t.Fatalf("no frexp of width %d", w)
		}
		operands := f.edges()
		for range 1000 {
			operands = append(operands, f.random(r))
		}
		for _, a := range operands {
			n := f.decode(a)
			s, e := significand(a), exponent(a)
			if n.rat == nil || n.rat.Sign() == 0 {
				if n.nan {
					a = f.nan()
				}
				check(t, s, a, "significand")
				check(t, e, 0, "exponent")
				continue
			}
			m := f.decode(s).rat
			if abs := new(big.Rat).Abs(m); abs.Cmp(big.NewRat(1, 2)) < 0 || abs.Cmp(big.NewRat(1, 1)) >= 0 {
				t.Fatalf("significand of %#x is %v", a, m)
			}
			if m.Mul(m, scaled(big.NewInt(1), int(int32(e)))).Cmp(n.rat) != 0 {
				t.Fatalf("frexp of %#x: %#x·2^%d", a, s, int32(e))
			}
		}
	}
}

func TestFloatMinMax(t *testing.T) {
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		for _, m := range allModes {
			for _, o := range []struct {
				inst    uint32
				greater bool
			}{{spirv.GLSLFMin, false}, {spirv.GLSLNMin, false}, {spirv.GLSLFMax, true}, {spirv.GLSLNMax, true}} {
				fn, ok := GLSL2(o.inst, floatKind(w), m)
				if !ok {
					t.Fatalf("no instruction %d of width %d", o.inst, w)
				}
				for _, a := range f.edges() {
					for _, b := range f.edges() {
						x, y := f.flush(a, m), f.flush(b, m)
						nx, ny := f.decode(x), f.decode(y)
						var want uint64
						switch {
						case nx.nan && ny.nan:
							want = f.nan()
						case nx.nan:
							want = y
						case ny.nan:
							want = x
						default:
							// As sign and magnitude, patterns are in order.
							key := func(v uint64) int64 {
								if v&f.sign() != 0 {
									return -1 - int64(v&^f.sign())
								}
								return int64(v)
							}
							want = x
							if (key(y) > key(x)) == o.greater {
								want = y
							}
						}
						check(t, fn(a, b), want, "instruction %d of width %d (%#x, %#x)", o.inst, w, a, b)
					}
				}
			}
		}
	}
}

// f32 gives the bits of numbers.
func f32(xs ...float32) []uint64 {
	all := make([]uint64, len(xs))
	for i, x := range xs {
		all[i] = uint64(math.Float32bits(x))
	}
	return all
}

func TestFormulasOfThreeOperands(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name string
		inst uint32
		in   [3]float32
		want float32
	}{
		{"clamp", spirv.GLSLFClamp, [3]float32{5, 0, 1}, 1},
		{"clamp", spirv.GLSLFClamp, [3]float32{-5, 0, 1}, 0},
		{"clamp", spirv.GLSLNClamp, [3]float32{0.25, 0, 1}, 0.25},
		{"clamp", spirv.GLSLNClamp, [3]float32{nan, 0, 1}, 0},
		{"clamp", spirv.GLSLFClamp, [3]float32{inf, 0, 1}, 1},
		{"mix", spirv.GLSLFMix, [3]float32{1, 3, 0.25}, 1.5},
		{"mix", spirv.GLSLFMix, [3]float32{1e30, 3, 1}, 3},
		{"smoothstep", spirv.GLSLSmoothStep, [3]float32{0, 1, 0.5}, 0.5},
		{"smoothstep", spirv.GLSLSmoothStep, [3]float32{0, 2, 0.5}, 0.15625},
		{"smoothstep", spirv.GLSLSmoothStep, [3]float32{0, 1, -1}, 0},
		{"smoothstep", spirv.GLSLSmoothStep, [3]float32{0, 1, 7}, 1},
	} {
		fn, ok := GLSL3(c.inst, floatKind(32), program.Mode{})
		if !ok {
			t.Fatalf("no %s", c.name)
		}
		in := f32(c.in[:]...)
		check(t, fn(in[0], in[1], in[2]), f32(c.want)[0], "%s%v", c.name, c.in)
	}
	step, _ := GLSL2(spirv.GLSLStep, floatKind(32), program.Mode{})
	for _, c := range [][3]float32{{1, 0.5, 0}, {1, 1, 1}, {1, 2, 1}, {nan, 2, 1}, {0, float32(math.Copysign(0, -1)), 1}} {
		in := f32(c[:]...)
		check(t, step(in[0], in[1]), in[2], "step%v", c)
	}
}

func TestFormulasRoundEachStep(t *testing.T) {
	r := newRand()
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		one := uint64(f.bias) << f.fraction
		two := one + 1<<f.fraction
		three := two | 1<<(f.fraction-1)
		for _, m := range allModes {
			do := func(op string, args ...uint64) uint64 { return refArithmetic(f, op, m, args...) }
			mix, _ := GLSL3(spirv.GLSLFMix, floatKind(w), m)
			smooth, _ := GLSL3(spirv.GLSLSmoothStep, floatKind(w), m)
			clamp, _ := GLSL3(spirv.GLSLFClamp, floatKind(w), m)
			for range 500 {
				x, y, a := f.random(r), f.random(r), f.random(r)
				want := do("add", do("mul", x, do("sub", one, a)), do("mul", y, a))
				check(t, mix(x, y, a), want, "mix of width %d %+v (%#x, %#x, %#x)", w, m, x, y, a)
				s := clamp(do("div", do("sub", a, x), do("sub", y, x)), 0, one)
				want = do("mul", do("mul", s, s), do("sub", three, do("mul", two, s)))
				check(t, smooth(x, y, a), want, "smoothstep of width %d %+v (%#x, %#x, %#x)", w, m, x, y, a)
			}
		}
	}
}

func TestRadiansAndDegrees(t *testing.T) {
	r := newRand()
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		radians, ok1 := GLSL1(spirv.GLSLRadians, floatKind(w), program.Mode{})
		degrees, ok2 := GLSL1(spirv.GLSLDegrees, floatKind(w), program.Mode{})
		if !ok1 || !ok2 {
			t.Fatalf("missing at width %d", w)
		}
		perDegree := bquo(bpi(), bf(180))
		for range 500 {
			a := f.random(r)
			n := f.decode(a)
			if n.rat == nil || n.rat.Sign() == 0 {
				continue
			}
			x := new(big.Float).SetPrec(bigPrec).SetRat(n.rat)
			for _, c := range []struct {
				got   uint64
				exact *big.Float
			}{{radians(a), bmul(x, perDegree)}, {degrees(a), bquo(x, perDegree)}} {
				if e := f.ulps(c.got, c.exact); e > 1.5 && f.decode(c.got).rat != nil {
					t.Fatalf("width %d, %v: %.2f ULP off", w, x, e)
				}
			}
		}
	}
}
