package racecheck_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// example is what an example of the table of findings needs around it to be a
// kernel. Lines of the example that declare something at module scope stand
// before main, the others in it.
type example struct {
	decl  string // more declarations
	first string // statements before the example
	last  string // statements after it
	local string // threads of a tile, 16 if empty
	grid  [3]uint32
	binds []string
	width int
	spv   string // the target, if not Vulkan 1.2
	opt   string // a pass of spirv-opt
}

// gid and lid are what most examples call the thread's number.
const (
	gid = "uint i = gl_GlobalInvocationID.x;"
	lid = "uint i = gl_LocalInvocationID.x;"
	u32 = "0.0=uint32[256]"
	f32 = "0.0=float[256]"
)

// examples are those of the table, by rule.
var examples = map[string]example{
	"null-pointer": {
		decl: "layout(buffer_reference) buffer Node; layout(set=0,binding=0) buffer In { Node head; uint r; };", last: "r = second(head);", local: "1",
		binds: []string{"0.0=uint64[2]:&0.1", "0.1=uint32[4]"},
	},
	"misaligned": {
		decl: "layout(set=0,binding=0) buffer In { uint64_t b; float r; };", last: "r = at(b).x;", local: "1",
		binds: []string{"0.0=uint64[2]:&0.1", "0.1=uint32[8]"},
	},
	"out-of-bounds":     {local: "8", binds: []string{"0.0=float[8]"}},
	"divergent-barrier": {},
	"divergent-barrier/exited": {
		decl: "const uint n = 10; shared float tile[16]; layout(set=0,binding=0) buffer D { float data[]; };", binds: []string{f32},
	},
	"divergent-barrier/missing":         {},
	"divergent-barrier/other-barrier":   {decl: "shared uint a[16], b[16];"},
	"divergent-barrier/other-call-site": {},
	"divergent-barrier/fallthrough":     {decl: "shared uint a[16];", local: "8"},
	"divergent-barrier/after-divergent-return": {
		decl: "const uint n = 10; shared float tile[16]; layout(set=0,binding=0) buffer D { float data[]; };",
		last: "load(gl_LocalInvocationID.x);", binds: []string{f32},
	},
	"deadlock": {},

	"race": {decl: "layout(set=0,binding=0) buffer R { uint result[]; };", first: lid + " uint v = 2u * i, total;", last: "result[i] = total;", binds: []string{u32}},
	"race/same-instruction": {
		decl: "shared uint sums[16];", first: "uint v = gl_LocalInvocationID.x;",
	},
	"race/lockstep": {
		decl: "shared uint sums[64];", first: lid + " sums[i] = i; sums[i + 8u] = 0u; subgroupMemoryBarrierShared(); subgroupBarrier();", local: "4",
	},
	"race/intra-tile": {
		decl:  "shared uint tile[64]; layout(set=0,binding=0) buffer D { uint data[]; }; layout(set=0,binding=1) buffer O { uint out_[]; };",
		first: lid, local: "64", binds: []string{u32, "0.1=uint32[64]"},
	},
	"race/unfenced-barrier": {
		decl: "layout(set=0,binding=0) coherent buffer D { uint data[]; }; layout(set=0,binding=1) buffer O { uint o[]; };", first: lid + " uint v = i, w;", last: "o[i] = w;",
		binds: []string{u32, "0.1=uint32[64]"},
	},
	"race/half-fenced": {
		decl: "layout(set=0,binding=0) coherent buffer D { uint data[]; }; layout(set=0,binding=1) buffer O { uint o[]; };", first: lid + " uint v = i, w;", last: "o[i] = w;",
		binds: []string{u32, "0.1=uint32[64]"},
	},
	"race/inter-tile": {
		decl: "layout(set=0,binding=0) buffer T { float total[]; };", first: "float partial = 2.0;", grid: [3]uint32{2, 1, 1}, local: "1", binds: []string{f32},
	},
	"race/atomic-plain": {
		decl: "layout(set=0,binding=0) coherent buffer C { uint count; uint limit; };", binds: []string{u32},
	},
	"race/same-value": {decl: "layout(set=0,binding=0) buffer F { uint found[]; };", binds: []string{u32}},
	"uninitialized":   {decl: "layout(set=0,binding=0) buffer R { uint result; };", binds: []string{u32}},

	"undefined-value": {decl: "layout(set=0,binding=0) buffer R { uint result[]; };", first: gid + " uint total = 100u, count = result[0];", last: "result[i] = share;", local: "1", binds: []string{u32}},
	"undefined-value/undef": {
		decl: "layout(set=0,binding=0) buffer R { float a[]; };", first: "const uint n = 8u;", last: "a[0] = float(best);", local: "1", binds: []string{f32}, opt: "--ssa-rewrite",
	},
	"undefined-value/division-by-zero": {
		decl: "layout(set=0,binding=0) buffer R { uint result[]; };", first: gid + " uint width = result[i];", last: "result[i] = row;", binds: []string{u32},
	},
	"undefined-value/division-overflow": {
		decl: "layout(set=0,binding=0) buffer R { int result[]; };", first: gid + " int level = result[2u * i], sign = result[2u * i + 1u];", last: "result[2u * i] = turned;", local: "1",
		binds: []string{"0.0=int32[2]:-2147483648,-1"},
	},
	"undefined-value/shift-range": {
		decl: "layout(set=0,binding=0) buffer R { uint result[]; };", first: gid + " uint n = 32u + result[i];", last: "result[i] = mask;", binds: []string{u32},
	},
	"undefined-value/bit-field-range": {
		decl: "layout(set=0,binding=0) buffer R { uint result[]; };", first: gid + " uint word = 7u; int bits = 12 + int(result[i]);", last: "result[i] = high;", binds: []string{u32},
	},
	"undefined-value/conversion-range": {
		decl: "layout(set=0,binding=0) buffer R { float result[]; };", first: gid + " float x = result[i] - 0.1;", last: "result[i] = float(bin);", binds: []string{f32},
	},
	"undefined-value/negative-remainder": {
		decl: "layout(set=0,binding=0) buffer R { int result[]; };", first: gid + " int key = result[i] - 5;", last: "result[i] = slot;", binds: []string{"0.0=int32[16]"},
	},
	"undefined-value/float-domain": {
		decl: "layout(set=0,binding=0) buffer R { float result[]; };", first: gid + " float x = result[i] + 1.0000001;", last: "result[i] = radius;", binds: []string{f32},
	},
	"undefined-value/crossed-edges": {
		decl: "layout(set=0,binding=0) buffer R { float result[]; };", first: gid + " float d = result[i];", last: "result[i] = shade;", binds: []string{f32},
	},
	"undefined-value/exponent-range": {
		decl: "layout(set=0,binding=0) buffer R { float result[]; };", first: gid + " float x = result[i] + 1.0e-20;", last: "result[i] = scaled;", binds: []string{f32},
	},
	"undefined-value/nan-operand": {
		decl: "layout(set=0,binding=0) buffer R { float result[]; };", first: gid + " float level = result[i] / 0.0, peak = 1.0;", last: "result[i] = peak;", binds: []string{f32},
	},
	"undefined-value/zero-vector": {
		decl: "layout(set=0,binding=0) buffer R { float result[]; };", first: gid + " vec3 a = vec3(result[i]), b = a;", last: "result[i] = direction.x;", binds: []string{f32},
	},
	"undefined-value/component-index": {
		decl: "layout(set=0,binding=0) buffer R { float result[]; };", first: "uint k = gl_GlobalInvocationID.x; vec4 a = vec4(result[k]), b = a; int i = 4;", last: "result[k] = part;", binds: []string{f32},
	},
	"undefined-value/inactive-lane": {
		decl: "layout(set=0,binding=0) buffer R { uint result[]; };", first: "uint x = result[gl_GlobalInvocationID.x];", binds: []string{u32},
	},
	"undefined-value/nonuniform-lane": {
		decl: "layout(set=0,binding=0) buffer R { float result[]; };", first: gid + " float x = result[i];", last: "result[i] = v;", binds: []string{f32}, spv: "spirv1.5",
	},
}

// declares finds the lines of an example that stand at module scope.
var declares = regexp.MustCompile(`^(shared|layout|buffer|struct) ?`)

// source makes a kernel of an example.
func (x example) source(text string) string {
	local := x.local
	if local == "" {
		local = "16"
	}
	head := "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
	for _, e := range []string{"basic", "ballot", "shuffle", "shuffle_relative"} {
		head += "#extension GL_KHR_shader_subgroup_" + e + " : require\n"
	}
	head += "#extension GL_KHR_memory_scope_semantics : enable\n#extension GL_EXT_buffer_reference : require\nlayout(local_size_x = " + local + ") in;\n" + x.decl + "\n"
	if strings.Contains(text, "void main()") {
		return head + text + "\n"
	}
	var outside, inside []string
	depth := 0
	for _, line := range strings.Split(text, "\n") {
		function := regexp.MustCompile(`^\w+ \w+\(.*\) \{`).MatchString(line)
		if depth > 0 || function || declares.MatchString(line) {
			outside = append(outside, line)
			if depth > 0 || function {
				depth += strings.Count(line, "{") - strings.Count(line, "}")
			}
			continue
		}
		inside = append(inside, "    "+line)
	}
	return head + strings.Join(outside, "\n") + "\nvoid main() {\n    " + x.first + "\n" + strings.Join(inside, "\n") + "\n    " + x.last + "\n}\n"
}

// elsewhere are the kinds that one check on the emulator does not look for.
var elsewhere = map[diag.Code]string{
	diag.Difference:     "diff's tests plant differences",
	diag.Validation:     "gpu's tests break rules",
	diag.OrderDependent: "takes several schedules, whose tests show it",
}

// comment is one to the end of a line, in GLSL, SPIR-V text or AmberScript.
var comment = regexp.MustCompile(`\s*(//|;\s|#).*$|;$`)

// bare is a line of code without comment and indentation.
func bare(line string) string {
	return strings.Join(strings.Fields(comment.ReplaceAllString(strings.TrimSpace(line), "")), " ")
}

// isFrom reports whether the lines of an example are those of a launch script
// or of its kernels, in their order.
func isFrom(t *testing.T, example, script string) bool {
	t.Helper()
	text, err := os.ReadFile("../testdata/" + script + ".amber")
	if err != nil {
		t.Fatal(err)
	}
	files := [][]byte{text}
	for _, m := range regexp.MustCompile(`FILE (\S+)\.spvasm`).FindAllSubmatch(text, -1) {
		for _, ext := range []string{".comp", ".spvasm"} {
			if b, err := os.ReadFile(filepath.Join("../testdata", filepath.Dir(script), string(m[1])+ext)); err == nil {
				files = append(files, b)
			}
		}
	}
	for _, b := range files {
		left := strings.Split(example, "\n")
		for _, line := range strings.Split(string(b), "\n") {
			if len(left) > 0 && bare(line) == bare(left[0]) {
				left = left[1:]
			}
		}
		if len(left) == 0 {
			return true
		}
	}
	return false
}

// TestExamplesShowWhatTheyExplain checks the examples of "ampdbg explain". One
// that has no kernel made around it here stands in the kernel that shows it,
// which TestEveryKindIsShown checks.
func TestExamplesShowWhatTheyExplain(t *testing.T) {
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip("glslangValidator is not installed")
	}
	for _, e := range diag.Explanations() {
		x, ok := examples[e.Rule()]
		if !ok {
			if elsewhere[e.Code] == "" && (e.Shows == "" || !isFrom(t, e.Example, e.Shows)) {
				t.Errorf("the example of %s is not run, and stands in no kernel of %s:\n%s", e.Rule(), e.Shows, e.Example)
			}
			continue
		}
		t.Run(strings.ReplaceAll(e.Rule(), "/", "_"), func(t *testing.T) {
			dir := t.TempDir()
			source := x.source(e.Example)
			if err := os.WriteFile(filepath.Join(dir, "k.comp"), []byte(source), 0o644); err != nil {
				t.Fatal(err)
			}
			target := x.spv
			if target == "" {
				target = "vulkan1.2"
			}
			cmd := exec.Command("glslangValidator", "-V", "-g", "--target-env", target, "-o", "k.spv", "k.comp")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s\n%s", err, out, source)
			}
			if x.opt != "" {
				if _, err := exec.LookPath("spirv-opt"); err != nil {
					t.Skip("spirv-opt is not installed")
				}
				cmd := exec.Command("spirv-opt", x.opt, "k.spv", "-o", "k.spv")
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			l, err := launch.Load(filepath.Join(dir, "k.spv"), launch.LoadOptions{Binds: x.binds, Groups: x.grid})
			if err != nil {
				t.Fatalf("%v\n%s", err, source)
			}
			found, _, err := findRules(t, l, racecheck.Options{Steps: 1 << 20, Warp: x.width})
			if err != nil {
				t.Fatal(err)
			}
			hit := false
			for _, r := range found {
				hit = hit || r == e.Rule() || e.Class == "" && strings.HasPrefix(r, string(e.Code)+"/")
			}
			if !hit {
				t.Errorf("shows %v\n%s", found, source)
			}
		})
	}
}
