package scalar

import (
	"math"
	"math/big"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

// refArithmetic evaluates a float operation of one to three operands exactly.
// special handles operands that are not finite and results without a sign of
// their own.
func refArithmetic(f ieee, op string, m program.Mode, args ...uint64) uint64 {
	ns := make([]number, len(args))
	for i, a := range args {
		ns[i] = f.decode(f.flush(a, m))
		if ns[i].nan {
			return f.nan()
		}
	}
	result := func(x *big.Rat, negativeZero bool) uint64 {
		return f.flush(f.encode(x, negativeZero, m.RTZ), m)
	}
	infinity := func(negative bool) uint64 {
		if negative {
			return f.sign() | f.infinity()
		}
		return f.infinity()
	}
	a := ns[0]
	var b, c number
	if len(ns) > 1 {
		b = ns[1]
	}
	if len(ns) > 2 {
		c = ns[2]
	}
	isZero := func(n number) bool { return !n.inf && n.rat.Sign() == 0 }
	plus := func(a, b number) uint64 {
		switch {
		case a.inf && b.inf && a.negative != b.negative:
			return f.nan()
		case a.inf:
			return infinity(a.negative)
		case b.inf:
			return infinity(b.negative)
		}
		zero := a.negative && b.negative && isZero(a) && isZero(b)
		return result(new(big.Rat).Add(a.rat, b.rat), zero)
	}
	times := func(a, b number) number {
		p := number{negative: a.negative != b.negative}
		switch {
		case a.inf || b.inf:
			p.nan = isZero(a) || isZero(b)
			p.inf = !p.nan
		default:
			p.rat = new(big.Rat).Mul(a.rat, b.rat)
		}
		return p
	}
	switch op {
	case "add":
		return plus(a, b)
	case "sub":
		b.negative = !b.negative
		if b.rat != nil {
			b.rat = new(big.Rat).Neg(b.rat)
		}
		return plus(a, b)
	case "mul":
		p := times(a, b)
		switch {
		case p.nan:
			return f.nan()
		case p.inf:
			return infinity(p.negative)
		}
		return result(p.rat, p.negative)
	case "fma":
		p := times(a, b)
		if p.nan {
			return f.nan()
		}
		return plus(p, c)
	case "div":
		negative := a.negative != b.negative
		switch {
		case a.inf && b.inf || isZero(a) && isZero(b):
			return f.nan()
		case a.inf || isZero(b):
			return infinity(negative)
		case b.inf:
			return result(new(big.Rat), negative)
		}
		return result(new(big.Rat).Quo(a.rat, b.rat), negative)
	case "rem", "mod":
		switch {
		case a.inf || isZero(b):
			return f.nan()
		case b.inf:
			if op == "mod" && isZero(a) {
				return result(new(big.Rat), b.negative)
			}
			if op == "mod" && a.negative != b.negative {
				return infinity(b.negative)
			}
			return result(a.rat, a.negative)
		}
		q := new(big.Rat).Quo(a.rat, b.rat)
		whole := new(big.Int).Quo(q.Num(), q.Denom())
		if op == "mod" {
			whole.Div(q.Num(), q.Denom()) // floor, as denominators are positive
		}
		r := new(big.Rat).Mul(new(big.Rat).SetInt(whole), b.rat)
		r.Sub(a.rat, r)
		return result(r, op == "rem" && a.negative || op == "mod" && b.negative)
	case "sqrt":
		switch {
		case isZero(a):
			return result(a.rat, a.negative)
		case a.negative:
			return f.nan()
		case a.inf:
			return f.infinity()
		}
		x := new(big.Float).SetPrec(400).SetRat(a.rat)
		root, _ := x.Sqrt(x).Rat(nil)
		return result(root, false)
	}
	panic(op)
}

var binaryFloatOps = []struct {
	op   spirv.Opcode
	name string
}{
	{spirv.OpFAdd, "add"}, {spirv.OpFSub, "sub"}, {spirv.OpFMul, "mul"}, {spirv.OpFDiv, "div"},
	{spirv.OpFRem, "rem"}, {spirv.OpFMod, "mod"},
}

func TestFloatArithmeticIsCorrectlyRounded(t *testing.T) {
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		for _, m := range allModes {
			for _, o := range binaryFloatOps {
				fn, ok := Binary(o.op, floatKind(w), m)
				if !ok {
					t.Fatalf("no %v of width %d", o.op, w)
				}
				verify := func(a, b uint64) {
					check(t, fn(a, b), refArithmetic(f, o.name, m, a, b), "%v %d %+v (%#x, %#x)", o.op, w, m, a, b)
				}
				for _, a := range f.edges() {
					for _, b := range f.edges() {
						verify(a, b)
					}
				}
				r := newRand()
				for range 1000 {
					verify(f.random(r), f.random(r))
				}
			}
		}
	}
}

func TestFmaRoundsOnce(t *testing.T) {
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		for _, m := range allModes {
			fn, ok := GLSL3(spirv.GLSLFma, floatKind(w), m)
			if !ok {
				t.Fatalf("no fma of width %d", w)
			}
			verify := func(a, b, c uint64) {
				check(t, fn(a, b, c), refArithmetic(f, "fma", m, a, b, c), "fma %d %+v (%#x, %#x, %#x)", w, m, a, b, c)
			}
			edges := f.edges()
			r := newRand()
			for range 2500 {
				verify(edges[r.IntN(len(edges))], edges[r.IntN(len(edges))], edges[r.IntN(len(edges))])
				verify(f.random(r), f.random(r), f.random(r))
			}
			mul, _ := Binary(spirv.OpFMul, floatKind(w), m)
			for range 2000 { // cancellation: what is left is the error of the product
				a, b := f.random(r), f.random(r)
				verify(a, b, mul(a, b)^f.sign())
			}
		}
	}
}

// TestFmaSeesTheLastBitOfTheProduct subtracts products of the form 2^78 + 1 from
// powers of two, where all that tells truncation the difference is one far bit.
func TestFmaSeesTheLastBitOfTheProduct(t *testing.T) {
	f := ieeeFormats[64]
	x, y := math.Float64bits(1<<26+1), math.Float64bits(1<<52-1<<26+1)
	for _, m := range allModes {
		fn, _ := GLSL3(spirv.GLSLFma, floatKind(64), m)
		for e := range 220 {
			z := math.Float64bits(-math.Ldexp(1, e))
			check(t, fn(x, y, z), refArithmetic(f, "fma", m, x, y, z), "2^78 + 1 - 2^%d %+v", e, m)
			check(t, fn(x, y^f.sign(), z^f.sign()), refArithmetic(f, "fma", m, x, y^f.sign(), z^f.sign()), "2^%d - 2^78 - 1 %+v", e, m)
		}
	}
}

func TestSqrtIsCorrectlyRounded(t *testing.T) {
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		for _, m := range allModes {
			fn, ok := GLSL1(spirv.GLSLSqrt, floatKind(w), m)
			if !ok {
				t.Fatalf("no sqrt of width %d", w)
			}
			verify := func(a uint64) {
				check(t, fn(a), refArithmetic(f, "sqrt", m, a), "sqrt %d %+v (%#x)", w, m, a)
			}
			for _, a := range f.edges() {
				verify(a)
			}
			r := newRand()
			for range 3000 {
				verify(f.random(r))
			}
		}
	}
}

func TestLdexpRoundsOnce(t *testing.T) {
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		r := newRand()
		for _, m := range allModes {
			fn, ok := GLSL2(spirv.GLSLLdexp, floatKind(w), m)
			if !ok {
				t.Fatalf("no ldexp of width %d", w)
			}
			verify := func(a uint64, e int32) {
				want := f.nan()
				switch n := f.decode(f.flush(a, m)); {
				case n.inf:
					want = a
				case !n.nan:
					// Any exponent beyond 5000 acts like 5000.
					p := scaled(big.NewInt(1), int(max(-5000, min(5000, e))))
					want = f.flush(f.encode(p.Mul(p, n.rat), n.negative, m.RTZ), m)
				}
				check(t, fn(a, uint64(uint32(e))), want, "ldexp %d %+v (%#x, %d)", w, m, a, e)
			}
			for _, a := range f.edges() {
				for _, e := range []int32{0, 1, -1, 10, -10, 24, -24, 127, -149, 1000, -1074, 2100, -2100, 1<<31 - 1, -1 << 31} {
					verify(a, e)
				}
			}
			for range 1000 {
				verify(f.random(r), int32(r.IntN(4*f.bias)-2*f.bias))
			}
		}
	}
	fn, ok := Ldexp(floatKind(32), intKind(16), program.Mode{})
	if !ok {
		t.Fatal("no ldexp with a 16-bit exponent")
	}
	check(t, fn(0x3f800000, 0xffff), 0x3f000000, "1·2^-1")
}

func TestFloatComparisons(t *testing.T) {
	// The outcomes of: less, equal, greater, unordered.
	table := map[spirv.Opcode][4]uint64{
		spirv.OpFOrdEqual:              {0, 1, 0, 0},
		spirv.OpFUnordEqual:            {0, 1, 0, 1},
		spirv.OpFOrdNotEqual:           {1, 0, 1, 0},
		spirv.OpFUnordNotEqual:         {1, 0, 1, 1},
		spirv.OpFOrdLessThan:           {1, 0, 0, 0},
		spirv.OpFUnordLessThan:         {1, 0, 0, 1},
		spirv.OpFOrdGreaterThan:        {0, 0, 1, 0},
		spirv.OpFUnordGreaterThan:      {0, 0, 1, 1},
		spirv.OpFOrdLessThanEqual:      {1, 1, 0, 0},
		spirv.OpFUnordLessThanEqual:    {1, 1, 0, 1},
		spirv.OpFOrdGreaterThanEqual:   {0, 1, 1, 0},
		spirv.OpFUnordGreaterThanEqual: {0, 1, 1, 1},
		spirv.OpLessOrGreater:          {1, 0, 1, 0},
		spirv.OpOrdered:                {1, 1, 1, 0},
		spirv.OpUnordered:              {0, 0, 0, 1},
	}
	for op, outcomes := range table {
		for _, w := range floatWidths {
			f := ieeeFormats[w]
			for _, m := range allModes {
				fn, ok := Binary(op, floatKind(w), m)
				if !ok {
					t.Fatalf("no %v of width %d", op, w)
				}
				for _, a := range f.edges() {
					for _, b := range f.edges() {
						check(t, fn(a, b), outcomes[refOrder(f.decode(f.flush(a, m)), f.decode(f.flush(b, m)))],
							"%v %d %+v (%#x, %#x)", op, w, m, a, b)
					}
				}
			}
		}
	}
}

// refOrder is 0, 1, 2, 3 for less, equal, greater, unordered.
func refOrder(a, b number) int {
	// An infinity lies beyond every finite number.
	value := func(n number) *big.Rat {
		if !n.inf {
			return n.rat
		}
		x := scaled(big.NewInt(1), 2000)
		if n.negative {
			x.Neg(x)
		}
		return x
	}
	if a.nan || b.nan {
		return 3
	}
	return value(a).Cmp(value(b)) + 1
}

func TestClassification(t *testing.T) {
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		for _, a := range f.edges() {
			n := f.decode(a)
			for op, want := range map[spirv.Opcode]bool{
				spirv.OpIsNan:      n.nan,
				spirv.OpIsInf:      n.inf,
				spirv.OpIsFinite:   !n.nan && !n.inf,
				spirv.OpIsNormal:   n.rat != nil && n.rat.Sign() != 0 && !f.isDenormal(a),
				spirv.OpSignBitSet: n.negative,
			} {
				fn, ok := Unary(op, boolKind, floatKind(w), program.Mode{})
				if !ok {
					t.Fatalf("no %v of width %d", op, w)
				}
				check(t, fn(a), truth(want), "%v %d (%#x)", op, w, a)
			}
		}
	}
}
