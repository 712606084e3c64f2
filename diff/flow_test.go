package diff

import (
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
)

// bodies are kernels and what of a, b and the integers in n need not be exact.
var bodies = []struct {
	name, before, body string
	a, b               string // the loosest operation, "" for exact
	loop               bool
	decided            bool
}{
	{name: "product", body: "a[i] = x[i] * 2.0;"},
	{name: "sum", body: "a[i] = x[i] + 2.0;"},
	{name: "conversion and rounding", body: "a[i] = floor(float(i)) + 1.0; b[i] = min(abs(x[i]), fract(x[i]));"},
	{name: "multiply-add", body: "a[i] = x[i] * 2.0 + 1.0;", a: "contraction"},
	{name: "precise multiply-add", body: "precise float v = x[i] * 2.0 + 1.0; a[i] = v;"},
	{name: "through a variable", body: "float p = x[i] * 3.0; float q = p; a[i] = q - x[i];", a: "contraction"},
	{name: "through a vector", body: "vec2 p = vec2(x[i] * 3.0, 1.0); a[i] = p.x + p.y;", a: "contraction"},
	{name: "negated", body: "a[i] = 1.0 + -(x[i] * 3.0);", a: "contraction"},
	{name: "through a function", before: "float square(float v) { return v * v; }", body: "a[i] = square(x[i]) + 1.0;", a: "contraction"},
	{name: "through shared memory", before: "shared float s[4];", body: "s[i & 3] = x[i] * 3.0; barrier(); a[i] = s[i & 3] + 1.0;"},
	{name: "three summands", body: "a[i] = x[i] + 1.0 + x[i + 1];", a: "reassociation"},
	{name: "division", body: "a[i] = x[i] / 3.0; b[i] = x[i];", a: "FDiv"},
	{name: "apart", body: "a[i] = x[i]; b[i] = sin(x[i]);", b: "sin"},
	{name: "from one buffer to the other", body: "a[i] = sin(x[i]); b[i] = a[i + 1];", a: "sin", b: "sin"},
	{name: "loosest", body: "a[i] = atan(sqrt(x[i]));", a: "atan"},
	{name: "shared memory keeps it", before: "shared float s[4];", body: "s[i & 3] = sqrt(x[i]); barrier(); a[i] = s[0];", a: "sqrt"},
	{name: "sum in a loop", body: "float s = 0.0; for (uint k = 0; k < 4; k++) s += x[k]; a[i] = s;", a: "reassociation", loop: true},
	{name: "called in a loop", before: "float root(float v) { return sqrt(v); }", body: "for (uint k = 0; k < 4; k++) a[i + k] = root(x[k]);", a: "sqrt", loop: true},
	{name: "dot", body: "a[i] = dot(vec3(x[i]), vec3(1, 2, 3));", a: "Dot"},
	{name: "length", body: "a[i] = length(vec3(x[i]));", a: "length"},
	{name: "remainder", body: "a[i] = mod(x[i], 3.0);", a: "FMod"},
	{name: "converted to an integer", body: "n[i] = int(sin(x[i]) * 8.0);", decided: true},
	{name: "branch", body: "if (sqrt(x[i]) > 1.5) a[i] = 1.0;", decided: true},
	{name: "exact branch", body: "if (x[i] > 1.5) n[i] = 1;"},
}

const bodyScript = `#!amber
SHADER compute s GLSL
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer A { float a[]; };
layout(set = 0, binding = 2) buffer B { float b[]; };
layout(set = 0, binding = 3) buffer N { int n[]; };
BEFORE
void main() {
    uint i = gl_GlobalInvocationID.x;
    BODY
}
END
BUFFER x DATA_TYPE float SIZE 64 FILL 1
BUFFER a DATA_TYPE float SIZE 64 FILL 0
BUFFER b DATA_TYPE float SIZE 64 FILL 0
BUFFER n DATA_TYPE int32 SIZE 64 FILL 0
PIPELINE compute p
  ATTACH s
  BIND BUFFER x AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 1
  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 2
  BIND BUFFER n AS storage DESCRIPTOR_SET 0 BINDING 3
END
RUN p 1 1 1
`

func TestTolerancesFollowTheOperations(t *testing.T) {
	needsGLSL(t)
	for _, c := range bodies {
		l := script(t, strings.NewReplacer("BEFORE", c.before, "BODY", c.body).Replace(bodyScript))
		d := launch.Dispatches(l.Steps)[0]
		tol, err := tolerancesOf(d, false, NoOverride)
		if err != nil {
			t.Fatal(c.name, err)
		}
		for i, want := range []string{"", c.a, c.b} {
			got := tol.allowed(l.Buffers[i], 32)
			loosest, _, _ := strings.Cut(got.Reason, ":")
			if got.exact() != (want == "") || want != "" && loosest != want {
				t.Errorf("%s: buffer %s allows %s; expected %q", c.name, l.Buffers[i].Name, got, want)
			}
		}
		if got := strings.Contains(tol.allowed(l.Buffers[1], 32).Reason, "in a loop"); got != c.loop {
			t.Errorf("%s: in a loop: %v", c.name, got)
		}
		if got := !tol.flow.tolerance(tol.flow.decides, false).exact(); got != c.decided {
			t.Errorf("%s: inexact floats decide something: %v", c.name, got)
		}
	}
}

// Two machines that may both be off may be twice as far apart.
func TestTwoDevicesMayBothBeOff(t *testing.T) {
	l := load(t, "../testdata/speed/matmul_naive.amber")
	d := launch.Dispatches(l.Steps)[0]
	one, err1 := tolerancesOf(d, false, NoOverride)
	two, err2 := tolerancesOf(d, true, NoOverride)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for _, b := range l.Buffers {
		if x, y := one.allowed(b, 32), two.allowed(b, 32); y.ULP != 2*x.ULP {
			t.Errorf("%s: %v ULP, and %v for two", b.Name, x.ULP, y.ULP)
		}
	}
}

func TestUnknownEntryPoint(t *testing.T) {
	d := *launch.Dispatches(load(t, "../testdata/amp/vector_scaling.amber").Steps)[0]
	d.Entry = "nobody"
	_, err := tolerancesOf(&d, false, NoOverride)
	if e, ok := err.(*diag.Error); !ok || e.Class != diag.BadInput {
		t.Errorf("%v", err)
	}
}
