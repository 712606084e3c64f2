package racecheck_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// undefinedCase is an expression that has no defined result, and one that comes
// close and has. T stands for the type, one for a 1 that no compiler knows, MIN
// and BITS for the lowest integer and the number of bits.
type undefinedCase struct {
	class, bad, good string
	vector           bool // bad and good are also tried on the second component of a vector
}

var integerCases = []undefinedCase{
	{diag.UndefDivisionByZero, "T(7) / (one - T(1))", "T(7) / one", true},
	{diag.UndefDivisionByZero, "T(7) % (one - T(1))", "T(7) % one", true},
	{diag.UndefShiftRange, "one << (T(BITS) * one)", "one << (T(BITS - 1) * one)", true},
	{diag.UndefShiftRange, "one >> (T(BITS) * one)", "one >> (T(BITS - 1) * one)", true},
	{diag.UndefCrossedEdges, "clamp(one, T(5) * one, T(2))", "clamp(one, T(2) * one, T(2))", true},
}

var signedCases = []undefinedCase{
	{diag.UndefDivisionOverflow, "(MIN * one) / (-one)", "(MIN * one + one) / (-one)", true},
	{diag.UndefDivisionOverflow, "(MIN * one) % (-one)", "T(5) % (T(3) * one)", true},
	{diag.UndefDivisionOverflow, "(MIN * one) / T(-1)", "(MIN * one) / T(1)", true}, // a constant divisor
	{diag.UndefNegativeRemainder, "(T(-5) * one) % T(3)", "(T(5) * one) % T(3)", true},
	{diag.UndefNegativeRemainder, "T(5) % (T(-3) * one)", "T(0) % (T(3) * one)", true},
}

// bitFieldCases are for 32 bits: GLSL has no others.
var bitFieldCases = []undefinedCase{
	{diag.UndefBitFieldRange, "bitfieldExtract(one, 30, int(one) + 2)", "bitfieldExtract(one, 30, int(one) + 1)", false},
	{diag.UndefBitFieldRange, "bitfieldExtract(one, int(one) * -1, 1)", "bitfieldExtract(one, int(one) * 32, 0)", false},
	{diag.UndefBitFieldRange, "bitfieldInsert(one, one, 0, int(one) + 32)", "bitfieldInsert(one, one, 0, int(one) + 31)", false},
}

var floatCases = []undefinedCase{
	{diag.UndefFloatDomain, "sqrt(-one)", "sqrt(one - one)", true},
	{diag.UndefFloatDomain, "inversesqrt(one - one)", "inversesqrt(one)", true},
	{diag.UndefFloatDomain, "mod(one, one - one)", "mod(one, -one)", true},
	{diag.UndefFloatDomain, "frexp(one / (one - one), e)", "frexp(one, e)", false},
	{diag.UndefFloatDomain, "inverse(mat2T(one, one, one, one))[0].x", "inverse(mat2T(one, T(0), T(0), one))[0].x", false},
	{diag.UndefFloatDomain, "inverse(mat3T(one, one, one, one, one, one, one, one, one))[0].x", "inverse(mat3T(one, T(0), T(0), T(0), one, T(0), T(0), T(0), one))[0].x", false},
	{diag.UndefCrossedEdges, "clamp(one, one + one, one)", "clamp(one, one + one, one + one)", true},
	{diag.UndefCrossedEdges, "smoothstep(one, one, one)", "smoothstep(T(0) * one, one, one)", true},
	{diag.UndefExponentRange, "ldexp(one, EXPONENT * int(one) + 1)", "ldexp(one / T(2), EXPONENT * int(one))", false},
	{diag.UndefExponentRange, "ldexp(one + one, EXPONENT * int(one) - 1)", "ldexp(one + one, EXPONENT * int(one) - 2)", false},
	{diag.UndefNaNOperand, "min((one - one) / (one - one), one)", "min(one / (one - one), one)", true},
	{diag.UndefNaNOperand, "max(one, (one - one) / (one - one))", "max(one, one / (one - one))", true},
	{diag.UndefNaNOperand, "clamp((one - one) / (one - one), T(0), one)", "clamp(one / (one - one), T(0), one)", true},
	{diag.UndefZeroVector, "normalize(TVEC(one - one, T(0), T(0))).x", "normalize(TVEC(one, T(0), T(0))).x", false},
	{diag.UndefConversionRange, "T(int(T(60000) * T(60000) * T(60000) * one))", "T(int(T(60000) * one))", false},
	{diag.UndefConversionRange, "T(uint(-one))", "T(uint(-one / T(2)))", false},
	{diag.UndefConversionRange, "T(int((one - one) / (one - one)))", "T(int(one - one))", false},
	{diag.UndefComponentIndex, "(TVEC(one, one, one) + one)[int(one) + 2]", "(TVEC(one, one, one) + one)[int(one) + 1]", false},
	{diag.UndefComponentIndex, "(TVEC(one, one, one) + one)[int(one) - 2]", "(TVEC(one, one, one) + one)[int(one) - 1]", false},
}

// narrowFloatCases are for 16 and 32 bits: GLSL has no others.
var narrowFloatCases = []undefinedCase{
	{diag.UndefFloatDomain, "log(one - one)", "log(one)", true},
	{diag.UndefFloatDomain, "log2(-one)", "log2(one)", true},
	{diag.UndefFloatDomain, "pow(-one, T(2))", "pow(one, T(2))", true},
	{diag.UndefFloatDomain, "pow(one - one, -one)", "pow(one - one, one)", true},
	{diag.UndefFloatDomain, "pow(one - one, one - one)", "pow(one, one - one)", true},
	{diag.UndefFloatDomain, "asin(one + one)", "asin(one)", true},
	{diag.UndefFloatDomain, "acos(-one - one)", "acos(-one)", true},
	{diag.UndefFloatDomain, "acosh(one / T(2))", "acosh(one)", true},
	{diag.UndefFloatDomain, "atanh(one)", "atanh(one / T(2))", true},
	{diag.UndefFloatDomain, "atan(one - one, one - one)", "atan(one - one, one)", true},
}

// TestUndefinedOperations tries operations of all widths at operands for which
// their results are undefined, and next to them.
func TestUndefinedOperations(t *testing.T) {
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip("glslangValidator is not installed")
	}
	type kind struct {
		typ, vec, mat, min, exponent string
		bits                         int
		cases                        [][]undefinedCase
	}
	var kinds []kind
	for _, bits := range []int{8, 16, 32, 64} {
		least := fmt.Sprintf("T(-%d - 1)", int64(1)<<(bits-1)-1)
		if bits == 64 {
			least = "T(-9223372036854775807L - 1L)"
		}
		i := kind{typ: fmt.Sprintf("int%d_t", bits), vec: fmt.Sprintf("i%dvec3", bits), min: least, bits: bits, cases: [][]undefinedCase{integerCases, signedCases}}
		u := kind{typ: fmt.Sprintf("uint%d_t", bits), vec: fmt.Sprintf("u%dvec3", bits), bits: bits, cases: [][]undefinedCase{integerCases}}
		if bits == 32 {
			i.cases, u.cases = append(i.cases, bitFieldCases), append(u.cases, bitFieldCases)
		}
		kinds = append(kinds, i, u)
	}
	kinds = append(kinds, []kind{
		{typ: "float16_t", vec: "f16vec3", mat: "f16mat", exponent: "16", bits: 16, cases: [][]undefinedCase{floatCases, narrowFloatCases}},
		{typ: "float", vec: "vec3", mat: "mat", exponent: "128", bits: 32, cases: [][]undefinedCase{floatCases, narrowFloatCases}},
		{typ: "double", vec: "dvec3", mat: "dmat", exponent: "1024", bits: 64, cases: [][]undefinedCase{floatCases}},
	}...)
	for _, k := range kinds {
		t.Run(k.typ, func(t *testing.T) {
			replace := func(text string) string {
				for _, r := range [][2]string{{"mat2T", k.mat + "2"}, {"mat3T", k.mat + "3"}, {"TVEC", k.vec}, {"MIN", k.min}, {"BITS", fmt.Sprint(k.bits)}, {"EXPONENT", k.exponent}, {"T(", k.typ + "("}} {
					text = strings.ReplaceAll(text, r[0], r[1])
				}
				return text
			}
			var lines, want []string
			add := func(expr, class string) {
				lines = append(lines, fmt.Sprintf("    result[%d] = float(%s);", len(lines), replace(expr)))
				want = append(want, class)
			}
			for _, set := range k.cases {
				for _, c := range set {
					for _, e := range [][2]string{{c.bad, c.class}, {c.good, ""}} {
						add(e[0], e[1])
						if c.vector {
							add("("+strings.NewReplacer("one", "ones", "T(", k.vec+"(", "MIN", strings.ReplaceAll(k.min, "T(", k.vec+"(")).Replace(e[0])+").y", e[1])
						}
					}
				}
			}
			head := "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\nlayout(local_size_x = 1) in;\n" +
				"layout(set = 0, binding = 0) buffer Result { float result[]; };\nlayout(set = 0, binding = 1) buffer One { uint known[]; };\n"
			head += fmt.Sprintf("void main() {\n    int e;\n    %s one = %s(known[0]);\n    %s ones = %s(%s(1), one, %s(1));\n", k.typ, k.typ, k.vec, k.vec, k.typ, k.typ)
			first := strings.Count(head, "\n") + 1
			found := checkGLSL(t, head+strings.Join(lines, "\n")+"\n}\n", len(lines))
			for i, l := range lines {
				if got := strings.Join(found[first+i], " "); got != want[i] {
					t.Errorf("%s\n    gives %q, want %q", strings.TrimSpace(l), got, want[i])
				}
			}
		})
	}
}

// checkGLSL checks a kernel with a buffer of results and one that holds a 1,
// and lists the classes of what it finds by line.
func checkGLSL(t *testing.T, source string, results int) map[int][]string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("k.comp", source)
	cmd := exec.Command("glslangValidator", "-V", "-g", "--target-env", "spirv1.5", "-o", "k.spv", "k.comp")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, source)
	}
	l, err := launch.Load(filepath.Join(dir, "k.spv"), launch.LoadOptions{Binds: []string{
		fmt.Sprintf("0.0=float[%d]", results), "0.1=uint32[1]:1",
	}})
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	r, err := racecheck.Run(t.Context(), l, racecheck.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[int][]string{}
	for _, f := range r.Findings {
		line := f.Position().Line
		found[line] = append(found[line], f.Class)
	}
	return found
}

// TestUndefinedSubgroupOperations reads lanes of a warp of 4 that take part,
// that do not, and that do not exist.
func TestUndefinedSubgroupOperations(t *testing.T) {
	if _, err := exec.LookPath("glslangValidator"); err != nil {
		t.Skip("glslangValidator is not installed")
	}
	const inactive, varying = diag.UndefInactiveLane, diag.UndefNonUniformLane
	all := [][2]string{
		{"subgroupShuffle(l, l + one)", inactive}, {"subgroupShuffle(l, 3u - l)", ""}, {"subgroupShuffle(l, ~0u * one)", inactive},
		{"subgroupShuffleXor(l, 4u * one)", inactive}, {"subgroupShuffleXor(l, 3u * one)", ""},
		{"subgroupShuffleUp(l, one)", inactive}, {"subgroupShuffleUp(l, one - 1u)", ""}, {"l > 0u ? subgroupShuffleUp(l, 0u) : 0u", ""},
		{"subgroupShuffleDown(l, one)", inactive}, {"subgroupShuffleDown(l, ~0u * one)", inactive}, {"subgroupShuffleDown(l, one - 1u)", ""},
		{"subgroupBroadcast(l, 4u * one)", inactive}, {"subgroupBroadcast(l, 3u * one)", ""}, {"subgroupBroadcast(l, l)", varying},
		{"subgroupBroadcastFirst(l)", ""}, {"subgroupElect() ? 1u : 0u", ""}, {"subgroupAdd(l)", ""}, {"subgroupClusteredAdd(l, 2u)", ""},
		{"subgroupQuadBroadcast(l, 3u * one)", ""}, {"subgroupQuadBroadcast(l, 4u * one)", inactive}, {"subgroupQuadBroadcast(l, l)", varying},
		{"subgroupQuadSwapDiagonal(l)", ""}, {"uvec2(subgroupShuffleUp(uvec2(l), one)).y", inactive},
		{"subgroupBallotBitExtract(subgroupBallot(true), 4u * one) ? 1u : 0u", inactive}, {"subgroupBallotBitExtract(subgroupBallot(true), 3u * one) ? 1u : 0u", ""},
		{"subgroupBallotFindLSB(subgroupBallot(l > 3u * one))", inactive}, {"subgroupBallotFindLSB(subgroupBallot(l > 2u * one))", ""},
		{"subgroupBallotFindMSB(uvec4(16u * one, 1, 1, 1))", inactive}, {"subgroupBallotFindMSB(uvec4(8u * one, 0, 0, 0))", ""},
		// An undefined value that goes through other lanes, or is settled.
		{"subgroupShuffle(subgroupShuffleUp(l, one), l)", inactive}, {"subgroupShuffle(subgroupShuffleUp(l, one), 3u * one)", ""},
		{"subgroupAdd(subgroupShuffleUp(l, one))", inactive}, {"mix(subgroupShuffleUp(l, one), 0u, l == 0u)", ""},
		{"subgroupShuffleUp(l, one) & (l == 0u ? 0u : ~0u)", ""},
	}
	some := [][2]string{ // without lane 2
		{"subgroupShuffle(l, 2u * one)", inactive}, {"subgroupShuffle(l, 3u * one)", ""},
		{"subgroupShuffleXor(l, one)", inactive}, {"subgroupShuffleUp(l, one)", inactive}, {"subgroupBroadcast(l, 2u * one)", inactive},
		{"subgroupBroadcast(l, one)", ""}, {"subgroupQuadBroadcast(l, 2u)", inactive}, {"subgroupQuadBroadcast(l, 3u)", ""},
		{"subgroupQuadSwapHorizontal(l)", inactive}, {"subgroupBroadcastFirst(l)", ""}, {"subgroupMax(l)", ""},
		{"subgroupBallotBitExtract(subgroupBallot(true), 2u * one) ? 1u : 0u", ""},
	}
	head := "#version 450\n"
	for _, x := range []string{"basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle_relative", "clustered", "quad"} {
		head += "#extension GL_KHR_shader_subgroup_" + x + " : require\n"
	}
	head += "layout(local_size_x = 4) in;\nlayout(set = 0, binding = 0) buffer Result { float result[]; };\n" +
		"layout(set = 0, binding = 1) buffer One { uint known[]; };\nvoid main() {\n    uint l = gl_LocalInvocationID.x, one = known[0];\n"
	var lines, want []string
	add := func(list [][2]string) {
		for _, c := range list {
			lines, want = append(lines, fmt.Sprintf("    result[%d + l] = float(%s);", 4*len(lines), c[0])), append(want, c[1])
		}
	}
	add(all)
	lines, want = append(lines, "    if (l != 2u) {"), append(want, "")
	add(some)
	found := checkGLSL(t, head+strings.Join(lines, "\n")+"\n    }\n}\n", 4*len(lines))
	for i, l := range lines {
		if got := strings.Join(found[strings.Count(head, "\n")+1+i], " "); got != want[i] {
			t.Errorf("%s\n    gives %q, want %q", strings.TrimSpace(l), got, want[i])
		}
	}
}
