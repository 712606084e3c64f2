package scalar

import (
	"math/big"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

func TestIntegerDot(t *testing.T) {
	ops := map[spirv.Opcode]struct{ signedA, signedB, accumulate bool }{
		spirv.OpSDot:        {true, true, false},
		spirv.OpUDot:        {false, false, false},
		spirv.OpSUDot:       {true, false, false},
		spirv.OpSDotAccSat:  {true, true, true},
		spirv.OpUDotAccSat:  {false, false, true},
		spirv.OpSUDotAccSat: {true, false, true},
	}
	r := newRand()
	for op, o := range ops {
		for _, width := range []uint8{8, 16} {
			components := intOperands(width, 10)
			for _, result := range []uint8{32, 64} {
				accumulators := intOperands(result, 0)
				for n := 2; n <= 4; n++ {
					vector, ok := integerDot(op, intKind(width), intKind(result), false, n)
					if !ok {
						t.Fatalf("no %v", op)
					}
					packed, ok := integerDot(op, program.Kind{}, intKind(result), true, 0)
					if !ok {
						t.Fatalf("no packed %v", op)
					}
					for range 200 {
						in := make([]uint64, 2*n, 2*n+1)
						words := make([]uint64, 2, 3)
						sum := new(big.Int)
						for i := range in {
							in[i] = components[r.IntN(len(components))]
							words[i/n] |= in[i] & 0xff << (8 * (i % n))
						}
						for i := range n {
							p := asBig(in[i], width, o.signedA)
							sum.Add(sum, p.Mul(p, asBig(in[n+i], width, o.signedB)))
						}
						if o.accumulate {
							acc := accumulators[r.IntN(len(accumulators))]
							in, words = append(in, acc), append(words, acc)
							// The product sum wraps first, where it does not fit.
							sum = asBig(lowBits(sum, result), result, o.signedA)
							sum.Add(sum, asBig(acc, result, o.signedA))
							least, most := new(big.Int), new(big.Int).SetUint64(mask(result))
							if o.signedA {
								least.SetInt64(minSigned(result))
								most.SetInt64(maxSigned(result))
							}
							if sum.Cmp(least) < 0 {
								sum = least
							} else if sum.Cmp(most) > 0 {
								sum = most
							}
						}
						check(t, vector(in), lowBits(sum, result), "%v of %d×%d to %d: %#x", op, n, width, result, in)
						if width == 8 {
							check(t, packed(words), lowBits(sum, result), "packed %v to %d: %#x", op, result, words)
						}
					}
				}
			}
		}
	}
}

func TestDotRoundsEachStep(t *testing.T) {
	r := newRand()
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		for _, m := range allModes {
			for n := 1; n <= 4; n++ {
				fn, ok := Dot(floatKind(w), n, m)
				if !ok {
					t.Fatalf("no dot of width %d", w)
				}
				for range 300 {
					in := make([]uint64, 2*n)
					for i := range in {
						in[i] = f.random(r)
					}
					want := refArithmetic(f, "mul", m, in[0], in[n])
					for i := 1; i < n; i++ {
						want = refArithmetic(f, "add", m, want, refArithmetic(f, "mul", m, in[i], in[n+i]))
					}
					check(t, fn(in), want, "dot %d×%d %+v %#x", n, w, m, in)
				}
			}
		}
	}
}

func TestIntegerDotRefusesOtherInstructions(t *testing.T) {
	for _, c := range []struct {
		op           spirv.Opcode
		comp, result program.Kind
		n            int
	}{
		{spirv.OpDot, intKind(8), intKind(32), 4},
		{spirv.OpSDot, floatKind(16), intKind(32), 4},
		{spirv.OpSDot, intKind(8), floatKind(32), 4},
		{spirv.OpSDot, intKind(8), intKind(32), 0},
	} {
		if _, ok := integerDot(c.op, c.comp, c.result, false, c.n); ok {
			t.Errorf("%+v accepted", c)
		}
	}
}
