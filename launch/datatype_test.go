package launch

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestStandardLayouts holds the rules of "Standard Uniform Block Layout"
// (OpenGL 4.6, 7.6.2.2) as a table: alignment, size and array stride.
func TestStandardLayouts(t *testing.T) {
	type row struct{ align, size, stride int }
	tests := []struct {
		name           string
		std430, std140 row // stride: of an array of it
	}{
		{"int8", row{1, 1, 1}, row{1, 1, 16}},
		{"uint16", row{2, 2, 2}, row{2, 2, 16}},
		{"float16", row{2, 2, 2}, row{2, 2, 16}},
		{"uint32", row{4, 4, 4}, row{4, 4, 16}},
		{"float", row{4, 4, 4}, row{4, 4, 16}},
		{"double", row{8, 8, 8}, row{8, 8, 16}},
		{"vec2<float>", row{8, 8, 8}, row{8, 8, 16}},
		{"vec3<float>", row{16, 12, 16}, row{16, 12, 16}},
		{"vec4<float>", row{16, 16, 16}, row{16, 16, 16}},
		{"vec3<double>", row{32, 24, 32}, row{32, 24, 32}},
		{"vec3<uint8>", row{4, 3, 4}, row{4, 3, 16}},
		{"vec4<float16>", row{8, 8, 8}, row{8, 8, 16}},
		{"mat2x2<float>", row{8, 16, 16}, row{16, 32, 32}},
		{"mat2x3<float>", row{16, 32, 32}, row{16, 32, 32}},
		{"mat3x2<float>", row{8, 24, 24}, row{16, 48, 48}},
		{"mat4x4<float>", row{16, 64, 64}, row{16, 64, 64}},
		{"mat3x3<double>", row{32, 96, 96}, row{32, 96, 96}},
		{"float[3]", row{4, 12, 12}, row{16, 48, 48}},
		{"vec3<float>[2]", row{16, 32, 32}, row{16, 32, 32}},
		{"float[2][3]", row{4, 24, 24}, row{16, 96, 96}},
		{"R8G8B8A8_UNORM", row{1, 4, 4}, row{1, 4, 4}},
		{"R32G32B32_SFLOAT", row{1, 12, 12}, row{1, 12, 12}},
	}
	for _, tt := range tests {
		for l, want := range map[Layout]row{Std430: tt.std430, Std140: tt.std140} {
			dt, err := ParseType(tt.name, l)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				continue
			}
			if got := (row{dt.Align, dt.Size, elementOf(dt, l).Stride}); got != want {
				t.Errorf("%s %s: align, size, stride %v, want %v", tt.name, l, got, want)
			}
			if dt.Name != tt.name {
				t.Errorf("%s is called %s", tt.name, dt.Name)
			}
		}
	}
}

func TestUnknownTypes(t *testing.T) {
	for _, name := range []string{"", "floot", "vec5<float>", "vec1<float>", "vec2", "vec2<", "vec2<foo>", "mat1x2<float>", "mat2x<float>",
		"float[", "float]", "float[0]", "float[-1]", "float[x]", "float[2", "float[2]x", "float[2][]", "[2]",
		"float[9999999999999999999]", "float[8589934592][8589934592]", "double[8589934592]", strings.Repeat("[2]", 20)} {
		if dt, err := ParseType(name, Std430); err == nil {
			t.Errorf("%q is taken for %+v", name, dt)
		}
	}
}

const structScript = `
STRUCT inner
  vec2<float> a
  float b
END
STRUCT outer
  float x
  inner in
  vec3<float> v
  float w
  float[3] list
  mat2x2<float> m
  int8 last
END
BUFFER s430 DATA_TYPE outer SIZE 2 FILL 0
BUFFER s140 DATA_TYPE outer STD140 SIZE 2 FILL 0
`

// TestStructLayouts compares with the offsets that glslang gives the block
//
//	struct inner { vec2 a; float b; };
//	buffer B { float x; inner in_; vec3 v; float w; float list[3]; mat2 m; int8_t last; };
func TestStructLayouts(t *testing.T) {
	l := mustLoad(t, structScript)
	want := map[string][]int{
		"s430": {0, 8, 32, 44, 48, 64, 80, 96}, // the last is the stride
		"s140": {0, 16, 32, 44, 48, 96, 128, 144},
	}
	for _, b := range l.Buffers {
		var got []int
		for _, m := range b.Elem.Members {
			got = append(got, m.Offset)
		}
		got = append(got, b.Elem.Stride)
		if fmt.Sprint(got) != fmt.Sprint(want[b.Name]) {
			t.Errorf("%s: offsets %v, want %v", b.Name, got, want[b.Name])
		}
		if len(b.Data) != 2*b.Elem.Stride {
			t.Errorf("%s has %d bytes", b.Name, len(b.Data))
		}
	}
}

// TestScalarsAndOffsetsAgree walks all scalars of types: Find inverts At, they
// do not overlap, and Path names each differently.
func TestScalarsAndOffsetsAgree(t *testing.T) {
	l := mustLoad(t, structScript)
	types := []*DataType{l.Buffers[0].Elem, l.Buffers[1].Elem}
	for _, name := range []string{"float16", "vec3<int8>", "mat3x2<double>", "float[2][3]", "R16G16_SINT", "mat2x2<float>[2]"} {
		for _, lay := range []Layout{Std430, Std140} {
			dt, err := ParseType(name, lay)
			if err != nil {
				t.Fatal(err)
			}
			types = append(types, elementOf(dt, lay))
		}
	}
	for _, dt := range types {
		end, paths := 0, map[string]bool{}
		for i := range 3 * dt.Scalars() {
			s := dt.At(i)
			off := s.Offset
			if s.field != nil {
				off += s.field.Offset / 8
			}
			if off < end {
				t.Errorf("%s: scalar %d at %d overlaps the one before", dt.Name, i, off)
			}
			end = s.end()
			if got, ok := dt.Find(off); !ok || got != i {
				t.Errorf("%s: Find(%d) = %d, %v, want %d", dt.Name, off, got, ok, i)
			}
			if p := dt.Path(i); paths[p] {
				t.Errorf("%s: two scalars are called %s", dt.Name, p)
			} else {
				paths[p] = true
			}
		}
		if end > 3*dt.Stride {
			t.Errorf("%s: scalars end at %d, beyond stride %d", dt.Name, end, dt.Stride)
		}
	}
	if got := l.Buffers[0].Elem.Path(16 + 3); got != "[1].in.b" {
		t.Errorf("path %s", got)
	}
	if _, ok := l.Buffers[0].Elem.Find(4); ok {
		t.Error("a scalar is found in padding")
	}
}

func TestNumbersAreRangeChecked(t *testing.T) {
	tests := []struct {
		kind ScalarKind
		text string
		want uint64
		err  string
	}{
		{Uint8, "255", 255, ""},
		{Uint8, "256", 0, "256 is out of the range of uint8, 0 to 255"},
		{Uint8, "300", 0, "300 is out of the range of uint8, 0 to 255"},
		{Uint8, "-1", 0xff, ""},
		{Uint8, "-128", 0x80, ""},
		{Uint8, "-129", 0, "out of the range"},
		{Uint8, "0xff", 0xff, ""},
		{Uint8, "0x100", 0, "does not fit in the 8 bits of uint8"},
		{Uint8, "1.5", 0, "1.5 is not an integer, as uint8 needs"},
		{Uint8, "x", 0, `"x" is not a number`},
		{Uint8, "0x", 0, `"0x" is not a number`},
		{Int8, "127", 127, ""},
		{Int8, "128", 0, "128 is out of the range of int8, -128 to 127"},
		{Int8, "-128", 0x80, ""},
		{Int8, "0x80", 0x80, ""},
		{Int64, "-9223372036854775808", 1 << 63, ""},
		{Int64, "9223372036854775808", 0, "out of the range"},
		{Uint64, "18446744073709551615", math.MaxUint64, ""},
		{Uint64, "18446744073709551616", 0, "out of the range"},
		{Uint64, "0x10000000000000000", 0, "does not fit"},
		{Float32, "1", 0x3f800000, ""},
		{Float32, "0.1", 0x3dcccccd, ""},
		{Float32, ".5", 0x3f000000, ""},
		{Float32, "-0.0", 0x80000000, ""},
		{Float32, "1e39", 0, "1e39 is out of the range of float"},
		{Float32, "0x7fc00000", 0x7fc00000, ""},
		{Float32, "16777217", 0x4b800000, ""}, // tie to even
		{Float32, "0x1p4", 0, "is not a number"},
		{Float16, "65504", 0x7bff, ""},
		{Float16, "65519.99", 0x7bff, ""},
		{Float16, "65520", 0, "out of the range"},
		{Float16, "5.9604645e-8", 1, ""},
		{Float16, "-inf", 0xfc00, ""},
		{Float64, "0.1", 0x3fb999999999999a, ""},
	}
	for _, tt := range tests {
		got, err := Scalar{Kind: tt.kind}.parse(tt.text)
		switch {
		case tt.err == "" && (err != nil || got != tt.want):
			t.Errorf("%s %s: %#x, %v, want %#x", tt.kind, tt.text, got, err, tt.want)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%s %s: %#x, error %v, want %q", tt.kind, tt.text, got, err, tt.err)
		}
	}
}

func TestFormatAndParseAgree(t *testing.T) {
	for k := Int8; k <= Float64; k++ {
		s := Scalar{Kind: k}
		mask := ^uint64(0) >> (64 - k.Bits())
		for i := range uint64(2000) {
			raw := (i * 0x9e3779b97f4a7c15) & mask
			if k.IsFloat() && math.IsNaN(s.Float(raw)) {
				continue
			}
			text := s.Format(raw)
			if got, err := s.parse(text); err != nil || got != raw {
				t.Fatalf("%s %#x prints as %s, which is %#x, %v", k, raw, text, got, err)
			}
		}
	}
}
