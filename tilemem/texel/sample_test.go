package texel

import (
	"math"
	"slices"
	"testing"

	"ampdbg/spirv"
)

// ramp is a 1D image of 32-bit floats 10, 11, 12, ...
func ramp(t testing.TB, n int) *Image {
	im := newImage(format(t, "R32_SFLOAT"), spirv.Dim1D, false, n, 1, 1, 1, 1)
	for i := range n {
		im.Write([3]int{i}, 0, 0, floats(float32(10+i), 0, 0, 0))
	}
	return im
}

func TestAddressModes(t *testing.T) {
	im := ramp(t, 4)
	// Nearest texels at texel coordinates -5.5, -4.5, ... 9.5; 0 is the border.
	tests := []struct {
		mode AddressMode
		want []float32
	}{
		{Repeat, []float32{12, 13, 10, 11, 12, 13, 10, 11, 12, 13, 10, 11, 12, 13, 10}},
		{MirroredRepeat, []float32{12, 13, 13, 12, 11, 10, 10, 11, 12, 13, 13, 12, 11, 10, 10}},
		{ClampToEdge, []float32{10, 10, 10, 10, 10, 10, 10, 11, 12, 13, 13, 13, 13, 13, 13}},
		{ClampToBorder, []float32{0, 0, 0, 0, 0, 0, 10, 11, 12, 13, 0, 0, 0, 0, 0}},
		{MirrorClampToEdge, []float32{13, 13, 13, 12, 11, 10, 10, 11, 12, 13, 13, 13, 13, 13, 13}},
	}
	for _, test := range tests {
		s := &Sampler{AddressU: test.mode}
		for i, want := range test.want {
			u := float32(i-6) + 0.5
			if got := toFloat(Sample(im, s, [4]float32{u / 4}, 0, nil)[0]); got != want {
				t.Errorf("mode %d at %g: %g, want %g", test.mode, u, got, want)
			}
		}
	}
}

func TestIntegerAndWideFormatsTakeNearest(t *testing.T) {
	linear := &Sampler{MagLinear: true, MinLinear: true, MipLinear: true, AddressU: ClampToBorder, Border: IntOpaqueWhite, MaxLOD: 9}
	for _, name := range []string{"R32_UINT", "R8_SINT", "R64_UINT", "R64_SFLOAT"} {
		im := newImage(format(t, name), spirv.Dim1D, false, 4, 1, 1, 1, 2)
		for level := range 2 {
			for i := range im.Size(level)[0] {
				im.Write([3]int{i}, level, 0, Texel{uint64(50*level + i)})
			}
		}
		one := im.Format.one()
		for _, test := range []struct {
			u, lod float32
			want   uint64
		}{{0.49, 0, 1}, {0.51, 0, 2}, {0.51, 0.5, 2}, {0.51, 0.6, 51}, {-1, 0, one}, {1, 0, one}} {
			if got := Sample(im, linear, [4]float32{test.u}, test.lod, nil); got != (Texel{test.want, 0, 0, one}) {
				t.Errorf("%s at %g lod %g: %d, want %d", name, test.u, test.lod, got, test.want)
			}
		}
	}
}

func TestBorderColors(t *testing.T) {
	for _, name := range []string{"R8G8B8A8_UNORM", "R8_UNORM", "R8G8_UINT", "R16G16B16A16_SINT", "D32_SFLOAT", "E5B9G9R9_UFLOAT_PACK32", "R64_UINT"} {
		f := format(t, name)
		im := newImage(f, spirv.Dim2D, false, 2, 2, 1, 1, 1)
		for b := FloatTransparentBlack; b <= IntOpaqueWhite; b++ {
			want := borderOf(f, b)
			for c := range want {
				if want[c] != 0 {
					want[c] = f.one()
				}
			}
			s := &Sampler{AddressU: ClampToBorder, AddressV: ClampToBorder, Border: b}
			if got := Sample(im, s, [4]float32{-0.5, 0.5}, 0, nil); got != want {
				t.Errorf("%s with %v: %x, want %x", f, b, got, want)
			}
		}
	}
}

func TestPercentageCloserFiltering(t *testing.T) {
	im := newImage(format(t, "D16_UNORM"), spirv.Dim2D, false, 2, 1, 1, 1, 1)
	im.Write([3]int{0, 0}, 0, 0, floats(0.2, 0, 0, 0))
	im.Write([3]int{1, 0}, 0, 0, floats(1, 0, 0, 0))
	s := &Sampler{MagLinear: true, AddressU: ClampToEdge, AddressV: ClampToEdge, CompareOp: Less}
	for _, test := range []struct{ u, dref, want float32 }{
		{0.375, 0.5, 0.25}, // a quarter of the way to the texel that is farther than 0.5
		{0.5, 0.5, 0.5}, {0.25, 0.5, 0}, {0.75, 0.5, 1}, {0.5, 0.1, 1}, {0.5, 0.3, 0.5},
		{0.5, 2, 0}, // the reference is clamped to 1 for a fixed-point format
		{0.5, -3, 1}, {0.5, nan, 0},
	} {
		got := Sample(im, s, [4]float32{test.u, 0.5}, 0, &Operands{Compare: true, Dref: test.dref})
		if got != floats(test.want, 0, 0, 1) {
			t.Errorf("at %g against %g: %g, want %g", test.u, test.dref, toFloat(got[0]), test.want)
		}
	}
	s.CompareOp = Equal
	if got := Sample(im, s, [4]float32{0.75, 0.5}, 0, &Operands{Compare: true, Dref: 2}); got != floats(1, 0, 0, 1) {
		t.Errorf("2 is clamped to %g", toFloat(got[0]))
	}
}

func TestCompareOps(t *testing.T) {
	for op, want := range map[CompareOp][4]bool{ // ref below, equal to, above depth; NaN
		Never: {}, Less: {true}, Equal: {false, true}, LessOrEqual: {true, true}, Greater: {false, false, true},
		NotEqual: {true, false, true, true}, GreaterOrEqual: {false, true, true}, Always: {true, true, true, true},
	} {
		got := [4]bool{op.test(1, 2), op.test(2, 2), op.test(3, 2), op.test(nan, 2)}
		if got != want {
			t.Errorf("%v: %v, want %v", op, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for op := Never; op <= Always; op++ {
		if got, ok := ParseCompareOp(op.String()); !ok || got != op {
			t.Errorf("%v parses to %v, %t", op, got, ok)
		}
	}
	for b := FloatTransparentBlack; b <= IntOpaqueWhite; b++ {
		if got, ok := ParseBorderColor(b.String()); !ok || got != b {
			t.Errorf("%v parses to %v, %t", b, got, ok)
		}
	}
	if got, ok := ParseBorderColor("INT_OPAQUE_WHITE"); !ok || got != IntOpaqueWhite {
		t.Errorf("INT_OPAQUE_WHITE is %v, %t", got, ok)
	}
	if _, ok := ParseCompareOp("sometimes"); ok {
		t.Error("sometimes is a comparison")
	}
}

// TestZeroWeightTexelsStayOut samples the centre of a texel next to infinities.
func TestZeroWeightTexelsStayOut(t *testing.T) {
	im := ramp(t, 3)
	im.Write([3]int{0}, 0, 0, floats(inf, 0, 0, 0))
	im.Write([3]int{2}, 0, 0, floats(nan, 0, 0, 0))
	var seen Touched
	got := Sample(im, &Sampler{MagLinear: true}, [4]float32{0.5}, 0, &Operands{Touched: &seen})
	if got != floats(11, 0, 0, 1) {
		t.Errorf("got %g", toFloat(got[0]))
	}
	if !slices.Equal(seen.Offsets[:seen.N], []int{4}) {
		t.Errorf("touched %d", seen.Offsets[:seen.N])
	}
}

func TestTouchedTexels(t *testing.T) {
	im := newImage(format(t, "R8_UNORM"), spirv.Dim3D, false, 4, 4, 4, 1, 3)
	var seen Touched
	s := &Sampler{MagLinear: true, MinLinear: true, MipLinear: true, MaxLOD: 9}
	Sample(im, s, [4]float32{0.4, 0.4, 0.4}, 0.5, &Operands{Touched: &seen})
	if seen.N != 16 {
		t.Fatalf("touched %d texels, want 8 in each of 2 levels", seen.N)
	}
	offsets := seen.Offsets
	slices.Sort(offsets[:])
	if n := len(slices.Compact(offsets[:])); n != 16 || offsets[0] != 21 || offsets[8] != 64 {
		t.Errorf("touched %d", seen.Offsets)
	}
	border := Touched{}
	s.AddressU = ClampToBorder
	Sample(im, s, [4]float32{-1, 0.4, 0.4}, 0, &Operands{Touched: &border})
	if border.N != 0 {
		t.Errorf("the border touched %d", border.Offsets[:border.N])
	}
}

func TestLayerSelection(t *testing.T) {
	im := newImage(format(t, "R8_UINT"), spirv.Dim1D, true, 1, 1, 1, 4, 1)
	for i := range im.Data {
		im.Data[i] = byte(i)
	}
	for a, want := range map[float32]uint64{-5: 0, 0: 0, 0.5: 0, 0.51: 1, 1.5: 2, 2.5: 2, 3.5: 3, 99: 3, inf: 3, -inf: 0} {
		if got := Sample(im, &Sampler{}, [4]float32{0.5, a}, 0, nil)[0]; got != want {
			t.Errorf("layer %g is %d, want %d", a, got, want)
		}
	}
	if got := Sample(im, &Sampler{}, [4]float32{0.5, nan}, 0, nil)[0]; got != 0 {
		t.Errorf("layer NaN is %d", got)
	}
	negativeZero := newImage(format(t, "R32_SFLOAT"), spirv.Dim1D, false, 1, 1, 1, 1, 1)
	negativeZero.Write([3]int{}, 0, 0, Texel{1 << 31})
	if got := Sample(negativeZero, &Sampler{}, [4]float32{}, 0, nil)[0]; got != 1<<31 {
		t.Errorf("a nearest filter makes -0 %g", math.Float32frombits(uint32(got)))
	}
}
