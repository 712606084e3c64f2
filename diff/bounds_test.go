package diff

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampdbg/diff/bound"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp"
	"ampdbg/warp/scalar"
)

// The launches in testdata are ordinary numeric kernels on random numbers,
// which their first dispatch makes.

func numeric(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.amber")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	return files
}

// deviant is an emulator that does what a machine may: it fuses products with
// the sums that they go into, and is off by nearly as much as it may be in
// division, exp, log, sqrt, inversesqrt, sin and cos.
func deviant(l *launch.Launch) *Side {
	s := EmulatorSide(l, emu.Options{Engine: deviantEngine{}})
	s.Name = "deviant"
	return s
}

// shaken moves a result of a width by up to n of its units, by its own bits.
func shaken(bits uint64, width int, n float64) uint64 {
	if bits&exponentMask(width) == exponentMask(width) || bits&exponentMask(width) == 0 {
		return bits
	}
	h := (bits * 0x9e3779b97f4a7c15) >> 40
	return uint64(int64(bits) + int64(math.Round((float64(h)/(1<<23)-1)*n)))
}

type deviantEngine struct{}

func (deviantEngine) Compile(was *program.Program) (warp.Code, error) {
	p := *was
	p.Code, p.Functions = slices.Clone(p.Code), slices.Clone(p.Functions)
	division := program.Symbol{Op: uint32(spirv.OpFDiv), Src: program.Kind{Float: true, Width: 32}}
	at := int32(len(p.Functions))
	p.Functions = append(p.Functions, division)
	for pc := range p.Code {
		op := &p.Code[pc]
		precise := p.Inst[pc] >= 0 && p.Unit.HasDecoration(p.Unit.Insts[p.Inst[pc]].Result, spirv.DecorationNoContraction)
		switch {
		case op.Code == program.FMulAdd32 && !precise:
			op.Code = program.Fma32
		case op.Code == program.FDiv32:
			op.Code, op.X = program.Call2, at
		}
	}
	code, err := warp.Interpreter{Plain: true}.Compile(&p)
	if err != nil {
		return nil, err
	}
	code.Functions().Wrap(func(s program.Symbol, fn scalar.Func1) scalar.Func1 {
		width, n := int(s.Src.Width), 0.0
		if s.Set != program.GLSL || width == 64 {
			return fn
		}
		switch s.Op {
		case spirv.GLSLExp, spirv.GLSLExp2, spirv.GLSLSqrt, spirv.GLSLLog, spirv.GLSLLog2:
			n = 2
		case spirv.GLSLInverseSqrt:
			n = 1
		case spirv.GLSLSin, spirv.GLSLCos:
			n = 64
		default:
			return fn
		}
		return func(a uint64) uint64 { return shaken(fn(a), width, n) }
	}, func(s program.Symbol, fn scalar.Func2) scalar.Func2 {
		if s != division {
			return fn
		}
		return func(a, b uint64) uint64 { return shaken(fn(a, b), 32, 2) }
	})
	return code, nil
}

// source makes the launch of a script in testdata from the source of its
// kernel, with pieces of that replaced: old, new, ...
func source(t testing.TB, name string, replace ...string) *launch.Launch {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile("testdata/" + name + ".amber")
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := os.ReadFile("testdata/" + name + ".comp")
	if err != nil {
		t.Fatal(err)
	}
	glsl := string(kernel)
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(glsl, replace[i]) {
			t.Fatalf("no %q in %s", replace[i], name)
		}
		glsl = strings.ReplaceAll(glsl, replace[i], replace[i+1])
	}
	script := strings.Replace(string(text), "compute "+name+" SPIRV-ASM TARGET_ENV spv1.3 FILE "+name+".spvasm", "compute "+name+" GLSL TARGET_ENV spv1.3 FILE "+name+".comp", 1)
	files := map[string]string{name + ".amber": script, name + ".comp": glsl}
	for _, other := range []string{"fill", "twiddle"} {
		data, err := os.ReadFile("testdata/" + other + ".spvasm")
		if err != nil {
			t.Fatal(err)
		}
		files[other+".spvasm"] = string(data)
	}
	for file, data := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return load(t, filepath.Join(dir, name+".amber"))
}

func compared(t testing.TB, sides [2]*Side) *Outcome {
	t.Helper()
	o, err := Compare(t.Context(), sides, Options{Override: NoOverride})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Machines that keep the rules agree with the emulator on random numbers.
func TestNumericLaunchesAgree(t *testing.T) {
	check := func(t *testing.T, side func(l *launch.Launch) *Side) {
		byBound := 0
		for _, file := range numeric(t) {
			o := compared(t, [2]*Side{EmulatorSide(load(t, file), emu.Options{}), side(load(t, file))})
			if got := o.class(); got != "equal" && got != "within tolerance" {
				t.Errorf("%s: %s\n%s", file, got, text(o))
			}
			for _, m := range o.Memories {
				byBound += m.ByBound
			}
		}
		t.Logf("%d numbers are allowed by their error bounds alone", byBound)
	}
	t.Run("deviant", func(t *testing.T) { check(t, deviant) })
	t.Run("device", func(t *testing.T) {
		a := open(t)
		check(t, func(l *launch.Launch) *Side { return GPUSide(l, a) })
	})
}

// Sums may be in any order: these kernels add up from the other end, and one
// of them in two halves.
func TestReassociatedSumsAgree(t *testing.T) {
	needsGLSL(t)
	byBound := 0
	for _, c := range []struct {
		name    string
		replace []string
	}{
		{"gemm_naive", []string{"row * K + k", "row * K + K - 1 - k", "b[k * N", "b[(K - 1 - k) * N"}},
		{"gemm_naive", []string{"float sum = 0;", "float sum = 0, odd = 0;", "k < K; k++)", "k < K; k += 2) {",
			"b[k * N + col];", "b[k * N + col]; odd += a[row * K + k + 1] * b[(k + 1) * N + col]; }", "0.75 * sum", "0.75 * (sum + odd)"}},
		{"gemm_tiled", []string{"ta[y][k] * tb[k][x]", "ta[y][7 - k] * tb[7 - k][x]"}},
		{"gemm_register", []string{"ra[r] = ta[y * 4 + r][k]", "ra[r] = ta[y * 4 + r][7 - k]", "tb[k][x * 4 + r]", "tb[7 - k][x * 4 + r]"}},
		{"convolution", []string{"s[gl_LocalInvocationID.y + y][", "s[gl_LocalInvocationID.y + 4 - y][", "b[y * 5 + x]", "b[(4 - y) * 5 + x]"}},
		{"layernorm", []string{"float x = a[row + k + i]", "float x = a[row + 192 - k + i]"}},
		{"reduction", []string{"a[first + k + i] * b[first + k + i]", "a[first + 448 - k + i] * b[first + 448 - k + i]"}},
		{"attention", []string{"a[q * D + k] * b[i * D + k]", "a[q * D + 31 - k] * b[i * D + 31 - k]"}},
	} {
		l := source(t, c.name, c.replace...)
		o := compared(t, [2]*Side{EmulatorSide(load(t, "testdata/"+c.name+".amber"), emu.Options{}), deviant(l)})
		if got := o.class(); got != "equal" && got != "within tolerance" {
			t.Errorf("%s, reordered: %s\n%s", c.name, got, text(o))
		}
		for _, m := range o.Memories {
			byBound += m.ByBound
		}
	}
	if byBound == 0 {
		t.Error("no number needed its error bound, so that the test shows nothing")
	}
	t.Logf("%d numbers are allowed by their error bounds alone", byBound)
}

// halved rounds a sum to half precision each time.
const halved = "unpackHalf2x16(packHalf2x16(vec2(%s, 0))).x"

// faults are what is planted in kernels: by kernel, the fault and what it
// replaces.
var faults = []struct {
	fault, kernel string
	replace       []string
}{
	{"index off by one", "gemm_naive", []string{"b[k * N + col]", "b[k * N + (col + 1) % N]"}},
	{"index off by one", "gemm_tiled", []string{"ta[y][k] * tb[k][x]", "ta[y][k] * tb[k][(x + 1) % 8]"}},
	{"index off by one", "gemm_register", []string{"tb[k][x * 4 + r]", "tb[k][x * 4 + (r + 1) % 4]"}},
	{"index off by one", "convolution", []string{"LocalInvocationID.x + x]", "LocalInvocationID.x + min(x + 1, 4)]"}},
	{"index off by one", "softmax", []string{"o[row + k + i] = exp(8.0 * (a[row + k + i]", "o[row + k + i] = exp(8.0 * (a[row + k + (i + 1) % 64]"}},
	{"index off by one", "attention", []string{"p[k] * c[k * D + i]", "p[k] * c[k * D + (i + 1) % 32]"}},
	{"index off by one", "fft", []string{"b[k * (128 / h)]", "b[(k * (128 / h) + 1) % 128]"}},
	{"index off by one", "layernorm", []string{"scale * b[k + i]", "scale * b[k + (i + 1) % 64]"}},
	{"index off by one", "nbody", []string{"s[k].xyz - at", "s[(k + 1) % 32].xyz - at"}},

	{"product missing", "gemm_naive", []string{"k < K; k++", "k < K - 1; k++"}},
	{"product missing", "gemm_tiled", []string{"k < 8; k++", "k < (x == 3 ? 7 : 8); k++"}},
	{"product missing", "gemm_register", []string{"for (uint k = 0; k < 8; k++)", "for (uint k = 0; k < (i == 5 ? 7 : 8); k++)"}},
	{"product missing", "convolution", []string{"x < 5; x++", "x < (gl_LocalInvocationIndex == 9 && y == 4 ? 4 : 5); x++"}},
	{"product missing", "reduction", []string{"k < 512; k += 64", "k < (i == 7 ? 448 : 512); k += 64"}},
	{"product missing", "softmax", []string{"for (uint k = 0; k < 256; k += 64)\n        sum", "for (uint k = 0; k < (i == 7 ? 192 : 256); k += 64)\n        sum"}},
	{"product missing", "attention", []string{"for (uint k = 0; k < D; k++)", "for (uint k = 0; k < D - 1; k++)"}},
	{"product missing", "layernorm", []string{"for (uint k = 0; k < 256; k += 64) {", "for (uint k = 0; k < (i == 7 ? 192 : 256); k += 64) {"}},
	{"product missing", "nbody", []string{"k < 32; k++", "k < (i == 7 ? 31 : 32); k++"}},

	{"half precision", "gemm_naive", []string{"sum += a[row * K + k] * b[k * N + col];", "sum = " + fmt.Sprintf(halved, "sum + a[row * K + k] * b[k * N + col]") + ";"}},
	{"half precision", "gemm_tiled", []string{"sum += ta[y][k] * tb[k][x];", "sum = " + fmt.Sprintf(halved, "sum + ta[y][k] * tb[k][x]") + ";"}},
	{"half precision", "gemm_register", []string{"acc[r][q] += ra[r] * rb[q];", "acc[r][q] = " + fmt.Sprintf(halved, "acc[r][q] + ra[r] * rb[q]") + ";"}},
	{"half precision", "convolution", []string{"o[at.y * N + at.x] = sum", "o[at.y * N + at.x] = " + fmt.Sprintf(halved, "sum")}},
	{"half precision", "reduction", []string{"s[i] = sum", "s[i] = " + fmt.Sprintf(halved, "sum")}},
	{"half precision", "attention", []string{"acc / sum", fmt.Sprintf(halved, "acc / sum")}},
	{"half precision", "layernorm", []string{"t[i] = squares", "t[i] = " + fmt.Sprintf(halved, "squares")}},
	{"half precision", "fft", []string{"s[p] = x + t", "s[p] = vec2(" + fmt.Sprintf(halved, "x.x + t.x") + ", x.y + t.y)"}},

	{"constant", "gemm_naive", []string{"0.75 * sum", "0.75075 * sum"}},
	{"constant", "gemm_tiled", []string{"0.75 * sum", "0.75075 * sum"}},
	{"constant", "gemm_register", []string{"0.75 * acc", "0.75075 * acc"}},
	{"constant", "convolution", []string{"0.125 * c[0]", "0.125125 * c[0]"}},
	{"constant", "reduction", []string{"0.75 * s[0]", "0.75075 * s[0]"}},
	{"constant", "softmax", []string{"8.0 * (", "8.008 * ("}},
	{"constant", "attention", []string{"inversesqrt(32.0)", "inversesqrt(32.064)"}},
	{"constant", "layernorm", []string{"+ 1e-5", "+ 1e-3"}},
	{"constant", "subgroup_sum", []string{"0.75 *", "0.75075 *"}},
	{"constant", "nbody", []string{"* 0.995", "* 0.994"}},

	{"stale value", "gemm_tiled", []string{"sum += ta[y][k] * tb[k][x];\n        barrier();", "sum += ta[y][k] * tb[k][x];"}},
	{"stale value", "gemm_register", []string{"acc[r][q] += ra[r] * rb[q];\n        }\n        barrier();", "acc[r][q] += ra[r] * rb[q];\n        }"}},
	{"stale value", "convolution", []string{"    }\n    barrier();", "    }"}},
	{"stale value", "softmax", []string{"s[i] += s[i + k];\n        barrier();", "s[i] += s[i + k];"}},
	{"stale value", "layernorm", []string{"t[i] = squares;\n    barrier();", "t[i] = squares;"}},
	{"stale value", "reduction", []string{"s[i] = sum;\n    barrier();", "s[i] = sum;"}},
	{"stale value", "attention", []string{"s[i] = score;\n    barrier();", "s[i] = score;"}},
	{"stale value", "fft", []string{"s[p + h] = x - t;\n        barrier();", "s[p + h] = x - t;"}},
	{"stale value", "nbody", []string{"a[t + gl_LocalInvocationID.x];\n        barrier();", "a[t + gl_LocalInvocationID.x];"}},
}

// Planted faults are larger than what the rules allow, also on a machine that
// uses what they allow.
func TestFaultsExceedTheBounds(t *testing.T) {
	needsGLSL(t)
	kernels := map[string]map[string]bool{}
	for _, f := range faults {
		if kernels[f.fault] == nil {
			kernels[f.fault] = map[string]bool{}
		}
		kernels[f.fault][f.kernel] = true
		o := compared(t, [2]*Side{EmulatorSide(load(t, "testdata/"+f.kernel+".amber"), emu.Options{}), deviant(source(t, f.kernel, f.replace...))})
		if o.class() != "differs" && o.class() != "racy" {
			t.Errorf("%s in %s is %s:\n%s", f.fault, f.kernel, o.class(), text(o))
			continue
		}
		for i := range o.Memories {
			if m := o.Memories[i]; !m.Same() && (!m.First[0].Bounded || m.First[0].Distance <= m.First[0].Bound/2) {
				t.Errorf("%s in %s: not by the bound: %+v", f.fault, f.kernel, m.First[0])
			}
		}
	}
	for fault, in := range kernels {
		if len(in) < 5 {
			t.Errorf("%s is planted in %d kernels", fault, len(in))
		}
	}
}

// Where all operations are exact, one unit in the last place is a fault.
func TestOneUnitInExactKernels(t *testing.T) {
	needsGLSL(t)
	const next = "uintBitsToFloat(floatBitsToUint(%s) + 1)"
	for _, c := range []struct {
		name   string
		exact  []string // makes it exact
		result string   // in the exact kernel
	}{
		{"gemm_naive", []string{"float sum = 0;", "precise float sum = 0;", "o[row * N + col] = 0.75 * sum + 0.5 * c[row * N + col];", "precise float x = 0.75 * sum + 0.5 * c[row * N + col]; o[row * N + col] = x;"}, "= x;"},
		{"gemm_tiled", []string{"float sum = 0;", "precise float sum = 0;", "= 0.75 * sum;", "= sum;"}, "= sum;"},
		{"gemm_register", []string{"float acc[4][4];", "precise float acc[4][4];", "= 0.75 * acc[r][q];", "= acc[r][q];"}, "= acc[r][q];"},
		{"convolution", []string{"float sum =", "precise float sum ="}, "= sum;"},
		{"reduction", []string{"float sum =", "precise float sum =", "0.75 * s[0]", "s[0]"}, "= s[0];"},
	} {
		value := strings.TrimSuffix(strings.TrimPrefix(c.result, "= "), ";")
		exact := source(t, c.name, c.exact...)
		same := compared(t, [2]*Side{EmulatorSide(exact, emu.Options{}), deviant(source(t, c.name, c.exact...))})
		if same.class() != "equal" {
			t.Errorf("%s made exact: %s\n%s", c.name, same.class(), text(same))
		}
		o := compared(t, [2]*Side{EmulatorSide(source(t, c.name, c.exact...), emu.Options{}),
			deviant(source(t, c.name, append(slices.Clone(c.exact), c.result, "= "+fmt.Sprintf(next, value)+";")...))})
		if o.class() != "differs" {
			t.Errorf("one unit in %s: %s\n%s", c.name, o.class(), text(o))
			continue
		}
		for _, m := range o.Memories {
			if !m.Same() && m.First[0].ULP != 1 {
				t.Errorf("one unit in %s: %v", c.name, &m.First[0])
			}
		}
	}
}

// What a branch, an index or a conversion decides by an inexact number is
// neither equal nor a fault.
func TestUncertainDecisions(t *testing.T) {
	needsGLSL(t)
	for _, c := range []struct{ name, body, other, want string }{
		// x is 1/3 + 1e-9 or so away from where the branch turns.
		{"branch", "float x = a[i] / 3.0; if (x > t) o[i] = 1.0; else o[i] = 2.0;", "float x = a[i] / 3.0; if (x >= t) o[i] = 1.0; else o[i] = 2.0;", "branch"},
		{"conversion", "o[i] = float(int(a[i] / t) / 3 * 100);", "o[i] = float(int(a[i] / t - 1e-4) / 3 * 100);", ""},
		{"index", "float x[4] = {1, 10, 100, 1000}; o[i] = x[int(a[i] / t) % 4];", "float x[4] = {1, 10, 100, 1000}; o[i] = x[int(a[i] / t + 1e-4) % 4];", ""},
	} {
		build := func(body string) *launch.Launch {
			return script(t, `#!amber
SHADER compute k GLSL
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer A { float a[]; };
layout(set = 0, binding = 1) buffer O { float o[]; };
layout(set = 0, binding = 2) buffer T { float t; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    `+body+`
}
END
BUFFER a DATA_TYPE float DATA 1 2 3 0.99999994 END
BUFFER o DATA_TYPE float SIZE 4 FILL 0
BUFFER t DATA_TYPE float DATA 0.33333334 END
PIPELINE compute p
  ATTACH k
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER o AS storage DESCRIPTOR_SET 0 BINDING 1
  BIND BUFFER t AS storage DESCRIPTOR_SET 0 BINDING 2
END
RUN p 1 1 1
`)
		}
		o := compared(t, [2]*Side{EmulatorSide(build(c.body), emu.Options{}), EmulatorSide(build(c.other), emu.Options{})})
		if o.class() != "undecided" {
			t.Errorf("%s: %s\n%s", c.name, o.class(), text(o))
			continue
		}
		r := o.Report()
		if len(r.Findings) != 0 || len(r.Errors) == 0 || !strings.Contains(r.Errors[0].Msg, "depends on inexact floats") || !strings.Contains(r.Errors[0].Msg, c.want) {
			t.Errorf("%s: %+v %+v", c.name, r.Findings, r.Errors)
		}
	}
}

// Either operand may be the result of min, max and clamp if one is NaN, also
// where nothing is inexact.
func TestMinimumOfNaN(t *testing.T) {
	needsGLSL(t)
	build := func(body string) *launch.Launch {
		return script(t, `#!amber
SHADER compute k GLSL
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer A { float a[]; };
layout(set = 0, binding = 1) buffer O { float o[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    float n = uintBitsToFloat(0x7fc00000u + i);
    o[i] = `+body+`;
}
END
BUFFER a DATA_TYPE float DATA 1 2 3 4 END
BUFFER o DATA_TYPE float SIZE 4 FILL 0
PIPELINE compute p
  ATTACH k
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER o AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 1 1 1
`)
	}
	for _, c := range []struct{ body, other, want string }{
		{"min(a[i], n)", "n", "undecided"},
		{"max(n, a[i])", "n", "undecided"},
		{"clamp(n, a[i], a[i] + 1.0)", "n", "undecided"},
		{"clamp(a[i], n, n)", "n", "undecided"},
		{"min(a[i], 2.0)", "n", "differs"},
	} {
		o := compared(t, [2]*Side{EmulatorSide(build(c.body), emu.Options{}), EmulatorSide(build(c.other), emu.Options{})})
		if o.class() != c.want {
			t.Errorf("%s: %s, want %s\n%s", c.body, o.class(), c.want, text(o))
		}
	}
}

// The report shows what an error bound has decided, in text and JSON.
func TestReportsShowBounds(t *testing.T) {
	needsGLSL(t)
	o := compared(t, [2]*Side{EmulatorSide(source(t, "gemm_naive"), emu.Options{}),
		EmulatorSide(source(t, "gemm_naive", "row * K + k", "row * K + K - 1 - k", "b[k * N", "b[(K - 1 - k) * N"), emu.Options{})})
	if o.class() != "within tolerance" {
		t.Fatal(text(o))
	}
	if s := text(o); !strings.Contains(s, "by their error bounds") || !strings.Contains(s, "allowed, the error bound decided: difference ") {
		t.Errorf("no bound in\n%s", s)
	}
	data, err := json.Marshal(o.Report().Data)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"within_error_bound":`, `"error_bound":`, `"decided_by":"error bound"`, `"difference":`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %s", want, data)
		}
	}
	// --ulp and the like decide alone.
	o, err = Compare(t.Context(), [2]*Side{EmulatorSide(source(t, "gemm_naive"), emu.Options{}),
		EmulatorSide(source(t, "gemm_naive", "row * K + k", "row * K + K - 1 - k", "b[k * N", "b[(K - 1 - k) * N"), emu.Options{})}, Options{Override: Override{ULP: 1, Abs: math.NaN(), Rel: math.NaN()}})
	if err != nil || o.class() != "differs" {
		t.Errorf("%v, %v", o.class(), err)
	}
}

// Atomic sums of floats may be in any order.
func TestAtomicSums(t *testing.T) {
	s := newShadow(64)
	f := (&boundKeeper{m: &emu.Machine{Entry: &spirv.EntryPoint{}}, formats: map[int]*bound.Format{}}).format(32)
	old := float32(0)
	for i := range 10 {
		x := float32(i) + 0.1
		now := old + x
		s.add(f, 4, 4, float64(old), float64(x), float64(now), bound.Value{}, 0)
		old = now
	}
	v := s.get(4, 4)
	if v.Err < 1e-6 || v.Err > 1e-4 {
		t.Errorf("a sum of ten numbers up to 9.1 has a bound of %g", v.Err)
	}
	if v := s.get(8, 4); v.Err != 0 {
		t.Errorf("its neighbour has a bound of %g", v.Err)
	}
}

// The SPIR-V text in testdata is what the compiler makes of the source.
func TestNumericKernelsAreFresh(t *testing.T) {
	for _, tool := range []string{"glslangValidator", "spirv-dis"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	if out, _ := exec.Command("glslangValidator", "--version").Output(); !strings.Contains(string(out), "Glslang Version: 11:12.0.0") {
		t.Skip("another compiler numbers ids differently")
	}
	sources, _ := filepath.Glob("testdata/*.comp")
	for _, file := range sources {
		spv := filepath.Join(t.TempDir(), "x.spv")
		cmd := exec.Command("glslangValidator", "-V", "-g", "--target-env", "vulkan1.1", filepath.Base(file), "-o", spv)
		cmd.Dir = "testdata"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, out)
		}
		got, err := exec.Command("spirv-dis", "--no-color", spv).Output()
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(file, ".comp") + ".spvasm")
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is stale: %v", file, err)
		}
	}
}
