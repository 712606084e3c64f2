package scalar

import (
	"math"
	"math/big"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/spirv/half"
)

func TestHalfToFloatOfEveryHalf(t *testing.T) {
	binary16, single := ieeeFormats[16], ieeeFormats[32]
	for h := range 1 << 16 {
		got := uint64(math.Float32bits(half.ToFloat(uint16(h))))
		n := binary16.decode(uint64(h))
		if n.rat == nil {
			sign := uint64(h) & 0x8000 << 16
			check(t, got, sign|single.infinity()|uint64(h)&0x3ff<<13, "%#x", h)
			continue
		}
		check(t, got, single.encode(n.rat, n.negative, false), "%#x", h)
		check(t, uint64(half.FromFloat(half.ToFloat(uint16(h)), h&1 != 0)), uint64(h), "round trip")
	}
}

func TestDoubleToHalfAroundEveryHalf(t *testing.T) {
	f := ieeeFormats[16]
	verify := func(x float64) {
		t.Helper()
		n := ieeeFormats[64].decode(math.Float64bits(x))
		for _, rtz := range []bool{false, true} {
			want := f.encode(n.rat, n.negative, rtz)
			check(t, uint64(half.FromDouble(x, rtz)), want, "%v rtz %v", x, rtz)
			if float64(float32(x)) == x {
				check(t, uint64(half.FromFloat(float32(x), rtz)), want, "%v rtz %v", x, rtz)
			}
		}
	}
	for h := range uint16(0x7c00) {
		x := float64(half.ToFloat(h))
		next := float64(half.ToFloat(h + 1))
		if math.IsInf(next, 0) {
			next = 65536
		}
		middle := (x + next) / 2
		verify(x)
		verify(-middle)
		if h%16 < 4 {
			for _, y := range []float64{math.Nextafter(middle, 0), math.Nextafter(middle, 70000), math.Nextafter(next, 0)} {
				verify(y)
			}
		}
	}
	for _, x := range []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, 65535.99, 65536, 1e5, 0x1p-25, 0x1.8p-25, 0x1p-26, 0x1p-150} {
		verify(x)
	}
	// Rounded to binary32 first, this would be a tie.
	check(t, uint64(half.FromDouble(1+0x1p-11+0x1p-40, false)), 0x3c01, "double rounding")
}

func TestNarrowingKeepsNaN(t *testing.T) {
	for in, want := range map[uint64]uint64{
		0x7ff0000000000001: 0x7e00,
		0xfff8000000000000: 0xfe00,
		0x7ff9000000000000: 0x7e40,
	} {
		check(t, uint64(half.FromDouble(math.Float64frombits(in), false)), want, "%#x", in)
	}
}

func TestFConvert(t *testing.T) {
	r := newRand()
	for _, ws := range floatWidths {
		for _, wd := range floatWidths {
			src, dst := ieeeFormats[ws], ieeeFormats[wd]
			for _, m := range allModes {
				fn, ok := Unary(spirv.OpFConvert, floatKind(wd), floatKind(ws), m)
				if !ok {
					t.Fatalf("no OpFConvert from %d to %d", ws, wd)
				}
				verify := func(a uint64) {
					want := dst.nan()
					switch n := src.decode(a); {
					case n.inf && n.negative:
						want = dst.infinity() | dst.sign()
					case n.inf:
						want = dst.infinity()
					case !n.nan:
						want = dst.flush(dst.encode(n.rat, n.negative, m.RTZ), m)
					}
					check(t, fn(a), want, "%d to %d %+v (%#x)", ws, wd, m, a)
				}
				for _, a := range src.edges() {
					verify(a)
				}
				for range 3000 {
					verify(src.random(r))
				}
			}
		}
	}
}

func TestFloatToIntSaturates(t *testing.T) {
	r := newRand()
	for _, ws := range floatWidths {
		f := ieeeFormats[ws]
		operands := f.edges()
		for range 500 {
			operands = append(operands, f.random(r))
		}
		// Around the limits of the integer types.
		for _, e := range []int{7, 8, 15, 16, 31, 32, 63, 64} {
			if e > f.bias {
				continue
			}
			p := uint64(e+f.bias) << f.fraction
			for _, a := range []uint64{p - 1, p, p + 1, p - 2} {
				operands = append(operands, a, a|f.sign())
			}
		}
		for _, wd := range intWidths {
			for _, op := range []spirv.Opcode{spirv.OpConvertFToU, spirv.OpConvertFToS} {
				fn, ok := Unary(op, intKind(wd), floatKind(ws), program.Mode{})
				if !ok {
					t.Fatalf("no %v from %d to %d", op, ws, wd)
				}
				least, most := new(big.Int), new(big.Int).SetUint64(mask(wd))
				if op == spirv.OpConvertFToS {
					least.SetInt64(minSigned(wd))
					most.SetInt64(maxSigned(wd))
				}
				for _, a := range operands {
					want, undefined := new(big.Int), true
					switch n := f.decode(a); {
					case n.nan:
					case n.inf && n.negative:
						want = least
					case n.inf:
						want = most
					default:
						want.Quo(n.rat.Num(), n.rat.Denom())
						undefined = want.Cmp(least) < 0 || want.Cmp(most) > 0
						if want.Cmp(least) < 0 {
							want = least
						} else if want.Cmp(most) > 0 {
							want = most
						}
					}
					check(t, fn(a), lowBits(want, wd), "%v from %d to %d (%#x)", op, ws, wd, a)
					check(t, truth(undefined1(op, intKind(wd), floatKind(ws), a) != program.Defined), truth(undefined),
						"undefined %v from %d to %d (%#x)", op, ws, wd, a)
				}
			}
		}
	}
}

func TestIntToFloatRoundsOnce(t *testing.T) {
	for _, wd := range floatWidths {
		f := ieeeFormats[wd]
		for _, ws := range intWidths {
			for _, m := range allModes {
				for _, op := range []spirv.Opcode{spirv.OpConvertUToF, spirv.OpConvertSToF} {
					fn, ok := Unary(op, floatKind(wd), intKind(ws), m)
					if !ok {
						t.Fatalf("no %v from %d to %d", op, ws, wd)
					}
					for _, a := range intOperands(ws, 1000) {
						n := asBig(a, ws, op == spirv.OpConvertSToF)
						want := f.encode(new(big.Rat).SetInt(n), false, m.RTZ)
						check(t, fn(a), want, "%v from %d to %d %+v (%#x)", op, ws, wd, m, a)
					}
				}
			}
		}
	}
}

func TestQuantizeToF16(t *testing.T) {
	fn, ok := Unary(spirv.OpQuantizeToF16, floatKind(32), floatKind(32), program.Mode{})
	if !ok {
		t.Fatal("no OpQuantizeToF16")
	}
	for x, want := range map[float32]float32{
		1:                     1,
		1.0004:                1,
		1.0005:                1.0009765625,
		65504:                 65504,
		65519:                 65504,
		65520:                 float32(math.Inf(1)),
		-1e9:                  float32(math.Inf(-1)),
		0x1p-14:               0x1p-14,
		0x1.ffffp-15:          0,
		float32(math.Inf(-1)): float32(math.Inf(-1)),
	} {
		check(t, fn(uint64(math.Float32bits(x))), uint64(math.Float32bits(want)), "quantize %v", x)
	}
	check(t, fn(0x80000001), 0x80000000, "a negative denormal")
	check(t, fn(0xffc12345), NaN32, "NaN")
}

func TestBitCastsAndPointers(t *testing.T) {
	for _, c := range []struct {
		op       spirv.Opcode
		dst, src program.Kind
		ok       bool
	}{
		{spirv.OpBitcast, intKind(32), floatKind(32), true},
		{spirv.OpBitcast, floatKind(16), intKind(16), true},
		{spirv.OpBitcast, intKind(64), intKind(64), true},
		{spirv.OpBitcast, intKind(64), floatKind(32), false},
		{spirv.OpBitcast, boolKind, boolKind, false},
		{spirv.OpConvertPtrToU, intKind(64), intKind(64), true},
		{spirv.OpConvertPtrToU, intKind(32), intKind(64), true},
		{spirv.OpConvertUToPtr, intKind(64), intKind(32), true},
		{spirv.OpFNegate, floatKind(32), floatKind(64), false},
		{spirv.OpSNegate, intKind(32), intKind(64), false},
		{spirv.OpIAdd, intKind(32), intKind(32), false},
	} {
		// A signalling NaN and denormals pass a bit cast, whatever the mode.
		fn, ok := Unary(c.op, c.dst, c.src, program.Mode{FlushDenorms: true})
		check(t, truth(ok), truth(c.ok), "%v to %+v from %+v", c.op, c.dst, c.src)
		if !ok {
			continue
		}
		for _, a := range []uint64{0, 1, 0x7c01, 0x7f800001, 0x7ff0000000000001} {
			a &= mask(c.src.Width)
			check(t, fn(a), a&mask(c.dst.Width), "%v of %#x", c.op, a)
		}
	}
	if undefined1(spirv.OpBitcast, intKind(32), floatKind(32), NaN32) != program.Defined {
		t.Error("a bit cast of NaN is defined")
	}
}
