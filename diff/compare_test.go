package diff

import (
	"math"
	"strings"
	"testing"

	"ampdbg/launch"
)

func f32(x float32) uint64 { return uint64(math.Float32bits(x)) }

func TestULPs(t *testing.T) {
	nan := uint64(0x7fc00000)
	for _, c := range []struct {
		a, b  uint64
		width int
		want  uint64
		ok    bool
	}{
		{f32(1), f32(1), 32, 0, true},
		{f32(1), f32(math.Nextafter32(1, 2)), 32, 1, true},
		{f32(1), f32(math.Nextafter32(1, 0)), 32, 1, true},
		{f32(0), f32(float32(math.Copysign(0, -1))), 32, 0, true},
		{f32(0), 1, 32, 1, true},
		{1, 0x80000001, 32, 2, true},
		{f32(1), f32(2), 32, 1 << 23, true},
		{f32(-1), f32(1), 32, 2 * 0x3f800000, true},
		{f32(math.MaxFloat32), f32(float32(math.Inf(1))), 32, 1, true},
		{nan, f32(1), 32, 0, false},
		{nan, nan, 32, 0, false},
		{0x3c00, 0x3c01, 16, 1, true},
		{0x7c01, 0x3c00, 16, 0, false},
		{math.Float64bits(-math.MaxFloat64), math.Float64bits(math.MaxFloat64), 64, 2 * 0x7fefffffffffffff, true},
	} {
		got, ok := ulPs(c.a, c.b, c.width)
		back, _ := ulPs(c.b, c.a, c.width)
		if got != c.want || ok != c.ok || back != got {
			t.Errorf("ULPs(%#x, %#x, %d) = %d, %v and %d; want %d, %v", c.a, c.b, c.width, got, ok, back, c.want, c.ok)
		}
	}
}

// ULPs counts what math.Nextafter32 steps over.
func TestULPsCountSteps(t *testing.T) {
	for _, start := range []float32{-3 * math.SmallestNonzeroFloat32, -0x1p-126, 1, -2, 1e30} {
		x := start
		for n := range uint64(40) {
			if got, ok := ulPs(f32(start), f32(x), 32); !ok || got != n {
				t.Fatalf("from %g to %g: %d steps, want %d", start, x, got, n)
			}
			x = math.Nextafter32(x, float32(math.Inf(1)))
			if x == 0 {
				x = 0 // both zeros are one number
			}
		}
	}
}

func TestTolerances(t *testing.T) {
	s := launch.Scalar{Kind: launch.Float32}
	next := math.Nextafter32
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		name string
		tol  Tolerance
		a, b float32
		want bool
	}{
		{"equal", Tolerance{}, 1, 1, true},
		{"exact", Tolerance{}, 1, next(1, 2), false},
		{"zeros", Tolerance{}, 0, float32(math.Copysign(0, -1)), true},
		{"one unit of one", Tolerance{ULP: 1}, 1, next(1, 2), true},
		{"two units of one", Tolerance{ULP: 1}, 1, next(next(1, 2), 2), false},
		{"absolute", Tolerance{Abs: 0.5}, 1, 1.5, true},
		{"absolute, too far", Tolerance{Abs: 0.25}, 1, 1.5, false},
		{"relative", Tolerance{Rel: 0.01}, 100, 101, true},
		{"relative, too far", Tolerance{Rel: 0.001}, 100, 101, false},
		{"any of them", Tolerance{ULP: 1, Abs: 1}, 100, 101, true},
		{"NaN and NaN", Tolerance{}, nan, nan, true},
		{"NaN and number", Tolerance{ULP: math.Inf(1), Abs: math.Inf(1)}, nan, 1, false},
		{"infinity", Tolerance{ULP: 10, Abs: 1, Rel: 1}, inf, math.MaxFloat32, false},
		{"infinities", Tolerance{}, inf, inf, true},
		{"denormal flushed", Tolerance{Flush: true}, 0x1p-130, 0, true},
		{"denormal kept", Tolerance{}, 0x1p-130, 0, false},
		{"normal not flushed", Tolerance{Flush: true}, 0x1p-126, 0, false},
	} {
		if got := c.tol.allows(s, f32(c.a), f32(c.b)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if got := c.tol.allows(s, f32(c.b), f32(c.a)); got != c.want {
			t.Errorf("%s, the other way round: %v", c.name, got)
		}
	}
}

// mixedScript is a launch over a struct of everything that a buffer can hold:
// thread i writes element i, and CHANGE says what of element 2 is different.
const mixedScript = `#!amber
SHADER compute s GLSL
#version 450
layout(local_size_x = 4) in;
struct Item { float f; vec3 v; int n; uvec2 u; mat2 m; };
layout(set = 0, binding = 0, std430) buffer Out { Item item[]; };
layout(constant_id = 0) const uint change = 0;
void main() {
    uint i = gl_GlobalInvocationID.x;
    item[i].f = float(i);
    item[i].v = vec3(i, i + 1, i + 2);
    item[i].n = -int(i);
    item[i].u = uvec2(i, 7);
    item[i].m = mat2(1, 2, 3, 4);
    if (i == 2) {
        if (change == 1) item[i].f = 2.5;
        if (change == 2) item[i].v.z = 5;
        if (change == 3) item[i].n = 9;
        if (change == 4) item[i].u.y = 8;
        if (change == 5) item[i].m[1].x = 3.25;
    }
}
END
STRUCT Item
  float f
  vec3<float> v
  int32 n
  vec2<uint32> u
  mat2x2<float> m
END
BUFFER out DATA_TYPE Item SIZE 4 FILL 0
PIPELINE compute p
  ATTACH s SPECIALIZE 0 AS uint32 CHANGE
  BIND BUFFER out AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
`

func TestElementsAreNamed(t *testing.T) {
	needsGLSL(t)
	for change, want := range []string{
		"", "out[2].f: 2 (0x40000000) against 2.5 (0x40200000), 2097152 ULP apart",
		"out[2].v.z: 4 (0x40800000) against 5 (0x40a00000), 2097152 ULP apart",
		"out[2].n: -2 (0xfffffffe) against 9 (0x00000009), 11 apart",
		"out[2].u.y: 7 (0x00000007) against 8 (0x00000008), 1 apart",
		"out[2].m[1].x: 3 (0x40400000) against 3.25 (0x40500000), 1048576 ULP apart",
	} {
		x := script(t, strings.ReplaceAll(mixedScript, "CHANGE", "0"))
		y := script(t, strings.ReplaceAll(mixedScript, "CHANGE", string(rune('0'+change))))
		o := emulators(t, x, y, Options{Override: NoOverride})
		if want == "" {
			if !o.Same() || o.class() != "equal" {
				t.Errorf("the same kernel twice:\n%s", text(o))
			}
			continue
		}
		if o.Same() || len(o.Blames) != 1 {
			t.Errorf("change %d is not seen:\n%s", change, text(o))
			continue
		}
		b := &o.Blames[0]
		if got := b.Element.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		// Thread 2 writes it once, one line for each member.
		if w := b.Last; w == nil || w.Thread.Global != [3]uint32{2, 0, 0} || w.Pos.Line != 9+change || b.History.Count != 1 {
			t.Errorf("change %d: blamed on %+v", change, w)
		}
	}
}

// Doubles of either sign may be more units apart than an int counts.
func TestManyUnits(t *testing.T) {
	units, _ := ulPs(math.Float64bits(-2), math.Float64bits(2), 64)
	m := &Memory{Name: "C", Numbers: 1, Beyond: 1, MaxULP: units, MaxAbs: 4}
	if s := m.String(); !strings.Contains(s, "C: 1 number, 1 differs, by at most 9,223,372,036,854,775,808 ULP or units") {
		t.Errorf("got %q", s)
	}
}
