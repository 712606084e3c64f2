package scalar

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

func runVector(t *testing.T, inst uint32, k program.Kind, inLens []int, m program.Mode, in []uint64) []uint64 {
	t.Helper()
	fn, n, ok := GLSLVector(inst, k, inLens, m)
	if !ok {
		t.Fatalf("no instruction %d of %v", inst, inLens)
	}
	out := make([]uint64, n)
	fn(in, out)
	return out
}

func TestGeometricFunctions(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name   string
		inst   uint32
		inLens []int
		in     []float32
		want   []float32
	}{
		{"length", spirv.GLSLLength, []int{1}, []float32{-3}, []float32{3}},
		{"length", spirv.GLSLLength, []int{2}, []float32{3, 4}, []float32{5}},
		{"length", spirv.GLSLLength, []int{4}, []float32{1, 1, 1, 1}, []float32{2}},
		{"distance", spirv.GLSLDistance, []int{3, 3}, []float32{1, 2, 3, 3, 4, 4}, []float32{3}},
		{"distance", spirv.GLSLDistance, []int{1, 1}, []float32{1, 5}, []float32{4}},
		{"normalize", spirv.GLSLNormalize, []int{2}, []float32{0, -4}, []float32{0, -1}},
		{"normalize", spirv.GLSLNormalize, []int{1}, []float32{-4}, []float32{-1}},
		{"normalize", spirv.GLSLNormalize, []int{2}, []float32{0, 0}, []float32{nan, nan}},
		{"cross", spirv.GLSLCross, []int{3, 3}, []float32{1, 2, 3, 4, 5, 6}, []float32{-3, 6, -3}},
		{"faceforward", spirv.GLSLFaceForward, []int{2, 2, 2}, []float32{1, 2, 0, -1, 0, 1}, []float32{1, 2}},
		{"faceforward", spirv.GLSLFaceForward, []int{2, 2, 2}, []float32{1, 2, 0, 1, 0, 1}, []float32{-1, -2}},
		{"reflect", spirv.GLSLReflect, []int{2, 2}, []float32{1, -1, 0, 1}, []float32{1, 1}},
		{"refract", spirv.GLSLRefract, []int{2, 2, 1}, []float32{0, -1, 0, 1, 0.5}, []float32{0, -1}},
		{"refract", spirv.GLSLRefract, []int{2, 2, 1}, []float32{1, 0, 0, 1, 2}, []float32{0, 0}},
		{"determinant", spirv.GLSLDeterminant, []int{4}, []float32{1, 2, 3, 4}, []float32{-2}},
		{"determinant", spirv.GLSLDeterminant, []int{9}, []float32{2, 0, 0, 0, 3, 0, 0, 0, 4}, []float32{24}},
		{"inverse", spirv.GLSLMatrixInverse, []int{4}, []float32{1, 2, 3, 4}, []float32{-2, 1, 1.5, -0.5}},
		{"modf", spirv.GLSLModfStruct, []int{2}, []float32{1.25, -2.5}, []float32{0.25, -0.5, 1, -2}},
	} {
		got := runVector(t, c.inst, floatKind(32), c.inLens, program.Mode{}, f32(c.in...))
		if want := f32(c.want...); !slices.Equal(got, want) {
			t.Errorf("%s%v: got %#x, want %#x", c.name, c.in, got, want)
		}
	}
	got := runVector(t, spirv.GLSLFrexpStruct, floatKind(32), []int{2}, program.Mode{}, f32(3, -0.125))
	if want := append(f32(0.75, -0.5), 2, 1<<32-2); !slices.Equal(got, want) {
		t.Errorf("frexp: got %#x, want %#x", got, want)
	}
}

// TestGeometricFormulas holds the vector functions against their formulas, each
// step rounded by the reference.
func TestGeometricFormulas(t *testing.T) {
	r := newRand()
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		one := uint64(f.bias) << f.fraction
		two := one + 1<<f.fraction
		for _, m := range allModes {
			do := func(op string, args ...uint64) uint64 { return refArithmetic(f, op, m, args...) }
			dot := func(a, b []uint64) uint64 {
				sum := do("mul", a[0], b[0])
				for i := 1; i < len(a); i++ {
					sum = do("add", sum, do("mul", a[i], b[i]))
				}
				return sum
			}
			negative := func(a uint64) bool {
				n := f.decode(a)
				return !n.nan && n.negative && a != f.sign()
			}
			same := func(name string, got, want []uint64) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Fatalf("%s of width %d %+v: got %#x, want %#x", name, w, m, got, want)
				}
			}
			for range 100 {
				n := 2 + r.IntN(3)
				in := make([]uint64, 3*n)
				for i := range in {
					in[i] = f.flush(f.random(r), m)
				}
				a, b, c := in[:n], in[n:2*n], in[2*n:]
				k := floatKind(w)

				length := do("sqrt", dot(a, a))
				same("length", runVector(t, spirv.GLSLLength, k, []int{n}, m, a), []uint64{length})
				want := make([]uint64, n)
				for i := range want {
					want[i] = do("div", a[i], length)
				}
				same("normalize", runVector(t, spirv.GLSLNormalize, k, []int{n}, m, a), want)
				for i := range want {
					want[i] = do("sub", a[i], b[i])
				}
				same("distance", runVector(t, spirv.GLSLDistance, k, []int{n, n}, m, in), []uint64{do("sqrt", dot(want, want))})
				for i := range want {
					want[i] = a[i]
					if !negative(dot(c, b)) {
						want[i] ^= f.sign()
					}
				}
				same("faceforward", runVector(t, spirv.GLSLFaceForward, k, []int{n, n, n}, m, in), want)
				for i := range want {
					want[i] = do("sub", a[i], do("mul", do("mul", two, dot(b, a)), b[i]))
				}
				same("reflect", runVector(t, spirv.GLSLReflect, k, []int{n, n}, m, in), want)
				d, eta := dot(b, a), c[0]
				under := do("sub", one, do("mul", do("mul", eta, eta), do("sub", one, do("mul", d, d))))
				for i := range want {
					want[i] = do("sub", do("mul", eta, a[i]), do("mul", do("add", do("mul", eta, d), do("sqrt", under)), b[i]))
					if negative(under) {
						want[i] = 0
					}
				}
				same("refract", runVector(t, spirv.GLSLRefract, k, []int{n, n, 1}, m, in[:2*n+1]), want)
			}
		}
	}
}

func TestDeterminantAndInverse(t *testing.T) {
	r := newRand()
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		for size := 2; size <= 4; size++ {
			n := size * size
			for range 100 {
				in := make([]uint64, n)
				exact := make([][]*big.Rat, size) // rows
				for c := range size {
					for row := range size {
						in[c*size+row] = f.encode(big.NewRat(int64(r.IntN(41)-20), 4), false, false)
						exact[row] = append(exact[row], f.decode(in[c*size+row]).rat)
					}
				}
				det := refDeterminant(exact)
				got := runVector(t, spirv.GLSLDeterminant, floatKind(w), []int{n}, program.Mode{}, in)
				check(t, got[0], f.encode(det, false, false), "determinant of %v", exact)
				if det.Sign() == 0 {
					continue
				}
				// The matrix times its inverse is the identity.
				inv := runVector(t, spirv.GLSLMatrixInverse, floatKind(w), []int{n}, program.Mode{}, in)
				for row := range size {
					for c := range size {
						sum, scale := new(big.Rat), new(big.Rat)
						for i := range size {
							p := new(big.Rat).Mul(exact[row][i], f.decode(inv[c*size+i]).rat)
							sum.Add(sum, p)
							scale.Add(scale, new(big.Rat).Abs(p))
						}
						if row == c {
							sum.Sub(sum, big.NewRat(1, 1))
						}
						// Half a unit for each of the summands (of binary64, a few).
						slack := scale.Mul(scale, scaled(big.NewInt(4), -int(f.fraction)-2))
						if sum.Abs(sum).Cmp(slack) > 0 {
							t.Fatalf("inverse of %v, width %d: off by %v", exact, w, sum)
						}
					}
				}
			}
		}
	}
}

// refDeterminant is the sum over all permutations.
func refDeterminant(rows [][]*big.Rat) *big.Rat {
	sum := new(big.Rat)
	var walk func(row int, used []bool, product *big.Rat)
	walk = func(row int, used []bool, product *big.Rat) {
		if row == len(rows) {
			sum.Add(sum, product)
			return
		}
		sign := int64(1)
		for c := len(rows) - 1; c >= 0; c-- {
			if used[c] {
				sign = -sign // an inversion for each later column taken before
				continue
			}
			used[c] = true
			p := new(big.Rat).Mul(product, rows[row][c])
			walk(row+1, used, p.Mul(p, big.NewRat(sign, 1)))
			used[c] = false
		}
	}
	walk(0, make([]bool, len(rows)), big.NewRat(1, 1))
	return sum
}

func TestPackAndUnpack(t *testing.T) {
	k := floatKind(32)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		name string
		inst uint32
		in   []uint64
		want []uint64
	}{
		{"packSnorm4x8", spirv.GLSLPackSnorm4x8, f32(0, 1, -1, 0.5), []uint64{0x40817f00}},
		{"packSnorm4x8", spirv.GLSLPackSnorm4x8, f32(-2, 2, -inf, inf), []uint64{0x7f817f81}},
		{"packUnorm4x8", spirv.GLSLPackUnorm4x8, f32(0, 1, -1, 0.5), []uint64{0x8000ff00}},
		{"packUnorm4x8", spirv.GLSLPackUnorm4x8, f32(nan, 2, 0.25, 0.75), []uint64{0xbf40ff00}},
		{"packSnorm2x16", spirv.GLSLPackSnorm2x16, f32(1, -1), []uint64{0x80017fff}},
		{"packUnorm2x16", spirv.GLSLPackUnorm2x16, f32(1, 0.5), []uint64{0x8000ffff}},
		{"packHalf2x16", spirv.GLSLPackHalf2x16, f32(1, -65536), []uint64{0xfc003c00}},
		{"unpackSnorm4x8", spirv.GLSLUnpackSnorm4x8, []uint64{0x7f818000}, f32(0, -1, -1, 1)},
		{"unpackUnorm4x8", spirv.GLSLUnpackUnorm4x8, []uint64{0xff330001}, f32(float32(1.0/255), 0, 0.2, 1)},
		{"unpackSnorm2x16", spirv.GLSLUnpackSnorm2x16, []uint64{0x80007fff}, f32(1, -1)},
		{"unpackUnorm2x16", spirv.GLSLUnpackUnorm2x16, []uint64{0xffff0000}, f32(0, 1)},
		{"unpackHalf2x16", spirv.GLSLUnpackHalf2x16, []uint64{0xfc000001}, f32(0x1p-24, -inf)},
	} {
		got := runVector(t, c.inst, k, []int{len(c.in)}, program.Mode{}, c.in)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %#x: got %#x, want %#x", c.name, c.in, got, c.want)
		}
	}
	got := runVector(t, spirv.GLSLPackDouble2x32, floatKind(64), []int{2}, program.Mode{}, []uint64{0x89abcdef, 0x1234567})
	check(t, got[0], 0x123456789abcdef, "packDouble2x32")
	got = runVector(t, spirv.GLSLUnpackDouble2x32, floatKind(64), []int{1}, program.Mode{}, got)
	if !slices.Equal(got, []uint64{0x89abcdef, 0x1234567}) {
		t.Errorf("unpackDouble2x32: %#x", got)
	}
}

func TestNormalizedPacksRoundTrip(t *testing.T) {
	k := floatKind(32)
	for _, c := range []struct {
		pack, unpack uint32
		components   int
		lowest       uint64 // the field that unpacks like its successor
	}{
		{spirv.GLSLPackSnorm4x8, spirv.GLSLUnpackSnorm4x8, 4, 0x80},
		{spirv.GLSLPackUnorm4x8, spirv.GLSLUnpackUnorm4x8, 4, 0x100},
		{spirv.GLSLPackSnorm2x16, spirv.GLSLUnpackSnorm2x16, 2, 0x8000},
		{spirv.GLSLPackUnorm2x16, spirv.GLSLUnpackUnorm2x16, 2, 0x10000},
	} {
		width := 32 / c.components
		for field := range uint64(1) << width {
			if field == c.lowest {
				continue
			}
			word := field | 1<<(32-width)
			parts := runVector(t, c.unpack, k, []int{1}, program.Mode{}, []uint64{word})
			check(t, runVector(t, c.pack, k, []int{c.components}, program.Mode{}, parts)[0], word, "instruction %d", c.pack)
		}
	}
}

func TestGLSLVectorRejectsWrongShapes(t *testing.T) {
	for _, c := range []struct {
		inst   uint32
		k      program.Kind
		inLens []int
	}{
		{spirv.GLSLLength, floatKind(32), nil},
		{spirv.GLSLLength, intKind(32), []int{3}},
		{spirv.GLSLLength, floatKind(8), []int{3}},
		{spirv.GLSLLength, floatKind(32), []int{3, 3}},
		{spirv.GLSLLength, floatKind(32), []int{5}},
		{spirv.GLSLLength, floatKind(32), []int{0}},
		{spirv.GLSLCross, floatKind(32), []int{2, 2}},
		{spirv.GLSLDistance, floatKind(32), []int{3, 2}},
		{spirv.GLSLRefract, floatKind(32), []int{3, 3, 3}},
		{spirv.GLSLRefract, floatKind(32), []int{3, 3, 1, 1}},
		{spirv.GLSLDeterminant, floatKind(32), []int{5}},
		{spirv.GLSLMatrixInverse, floatKind(32), []int{1}},
		{spirv.GLSLPackSnorm4x8, floatKind(32), []int{2}},
		{spirv.GLSLPackSnorm4x8, floatKind(64), []int{4}},
		{spirv.GLSLPackDouble2x32, floatKind(32), []int{2}},
		{spirv.GLSLSin, floatKind(32), []int{3}},
	} {
		if _, _, ok := GLSLVector(c.inst, c.k, c.inLens, program.Mode{}); ok {
			t.Errorf("instruction %d of %+v %v accepted", c.inst, c.k, c.inLens)
		}
	}
}
