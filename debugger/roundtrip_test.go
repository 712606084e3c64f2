package debugger

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ampdbg/debugger/expr"
	"ampdbg/spirv"
)

const typesKernel = `#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Data { int data[]; };
struct Inner { f16vec2 h; bool b; };
struct Outer { Inner in2[2]; double d; u8vec3 c; };
void main() {
    float f = 0; double d = 0; float16_t h = float16_t(0); bool b = false;
    int i = 0; uint u = 0; int8_t i8 = int8_t(0); uint8_t u8 = uint8_t(0); int16_t i16 = int16_t(0); uint16_t u16 = uint16_t(0); int64_t i64 = 0; uint64_t u64 = 0;
    vec3 v = vec3(0); dvec2 dv = dvec2(0); f16vec4 hv = f16vec4(0); bvec3 bv = bvec3(false); i8vec4 cv = i8vec4(0); u64vec2 lv = u64vec2(0);
    mat3x2 m = mat3x2(0); dmat2 dm = dmat2(0); float a[40]; a[0] = f; int8_t a2[2][3]; Outer o;
    data[0] = int(f + float(d) + float(h)) + i + int(u) + int(i8) + int(u8) + int(i16) + int(u16) + int(i64) + int(u64);
    a2[0][0] = i8; o.d = d;
    data[1] = int(v.x + dv.x + hv.x) + int(bv.x) + int(cv.x) + int(lv.x) + int(m[0].x + dm[0].x + a[3] + a2[1][1] + o.d) + int(b);
}
`

// TestRoundTrip enters what is printed: the bits are what they were, of all
// types, in all formats that keep them.
func TestRoundTrip(t *testing.T) {
	s := compiled(t, typesKernel, false, "-gVS")
	must(t)(s.Step(StepTo, ThreadScope, "14"))
	rng := rand.New(rand.NewPCG(7, 7))
	th := s.thread(s.focus)
	ev := evaluator{t: s.t}
	special := map[int][]uint64{
		16: {0, 0x8000, 1, 0x3ff, 0x7bff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0xffff},
		32: {0, 1 << 31, 1, 0x7fffff, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff},
		64: {0, 1 << 63, 1, 0xfffffffffffff, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 1<<64 - 1, 1<<31 - 1, 1 << 31, 1<<32 - 1},
	}
	var types func(typ *spirv.Type) []*spirv.Type // of each scalar
	types = func(typ *spirv.Type) []*spirv.Type {
		if !typ.IsComposite() {
			return []*spirv.Type{typ}
		}
		var out []*spirv.Type
		n := typ.Len
		if typ.Kind == spirv.Struct {
			n = len(typ.Members)
		}
		for i := range n {
			out = append(out, types(typ.Child(i))...)
		}
		return out
	}
	for _, name := range []string{"f", "d", "h", "b", "i", "u", "i8", "u8", "i16", "u16", "i64", "u64", "v", "dv", "hv", "bv", "cv", "lv", "m", "dm", "a", "a2", "o"} {
		o, err := ev.eval(mustParse(t, name).root, th)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		list := types(o.t)
		if len(list) != expr.Scalars(o.t) {
			t.Fatalf("%s has %d scalars", name, len(list))
		}
		for range 60 {
			bits := make([]uint64, len(list))
			same := rng.IntN(4) == 0
			for k, typ := range list {
				w := 8 * scalarSize(typ)
				bits[k] = rng.Uint64()
				if c := special[w]; c != nil && rng.IntN(2) == 0 {
					bits[k] = c[rng.IntN(len(c))]
				}
				bits[k] &= ^uint64(0) >> (64 - w)
				if typ.Kind == spirv.Bool {
					bits[k] &= 1
				}
				if same && k > 0 && list[0] == typ {
					bits[k] = bits[0]
				}
			}
			formats := []Format{0}
			if c := expr.Component(o.t); c != nil && c.Kind == spirv.Int {
				formats = []Format{0, 'x', 'b', 'o', 'd', 'u', 'c'}
			}
			for _, f := range formats {
				if err := o.store(th, bits); err != nil {
					t.Fatal(err)
				}
				text, err := s.t.text(o, th, f)
				if err != nil {
					t.Fatal(err)
				}
				if err := o.store(th, make([]uint64, len(bits))); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Set(mustParse(t, name+" = "+text)); err != nil {
					t.Fatalf("%s = %s: %v", name, text, err)
				}
				if got, _ := o.load(th); !slices.Equal(got, bits) {
					t.Fatalf("%s = %s gives %x, expected %x (/%c)", name, text, got, bits, f)
				}
			}
		}
	}
}
