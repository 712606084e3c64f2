package gpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ampdbg/spirv"
)

// needsOf gives the needs of a testdata kernel, sorted, without reasons.
func needsOf(t *testing.T, name string, replace ...string) []string {
	t.Helper()
	u, err := spirv.Resolve(kernel(t, name, replace...), nil)
	if err != nil {
		t.Fatal(err)
	}
	us, err := use(u, "main")
	if err != nil {
		t.Fatal(err)
	}
	all := us.needs
	for k, v := range us.extensionsFor(makeAPIVersion(1, 3)) {
		all[k] = v
	}
	var out []string
	for k := range all {
		out = append(out, strings.TrimPrefix(k, "feature "))
	}
	slices.Sort(out)
	return out
}

func TestNeedsAreExactlyTheModules(t *testing.T) {
	for _, c := range []struct {
		kernel  string
		replace []string
		want    string
	}{
		{"double.spvasm", nil, ""},
		{"kinds.spvasm", nil, ""},
		{"images.spvasm", nil, ""},
		{"address.spvasm", nil, "bufferDeviceAddress shaderInt64"},
		{"subgroup.spvasm", nil, "subgroup basic"},
		{"types.spvasm", nil, "extension VK_EXT_shader_atomic_float shaderBufferFloat32AtomicAdd shaderFloat16 shaderFloat64 shaderInt16 " +
			"shaderInt64 shaderInt8 shaderSharedInt64Atomics shaderSubgroupExtendedTypes storageBuffer16BitAccess storageBuffer8BitAccess " +
			"subgroup arithmetic subgroup basic"},
		{"double.spvasm", []string{"OpCapability Shader", "OpCapability Shader\nOpCapability VariablePointers\nOpExtension \"SPV_KHR_variable_pointers\""},
			"variablePointers variablePointersStorageBuffer"},
		{"double.spvasm", []string{"OpCapability Shader", "OpCapability Shader\nOpCapability Kernel\nOpExtension \"SPV_KHR_shader_clock\""},
			"anything that allows Kernel extension VK_KHR_shader_clock"},
		{"double.spvasm", []string{"ArrayStride 4", "ArrayStride 6"}, "scalarBlockLayout"},
		{"double.spvasm", []string{"OpCapability Shader", "OpCapability Shader\nOpCapability DenormPreserve\nOpExtension \"SPV_KHR_float_controls\"",
			"OpExecutionMode %main Local", "OpExecutionMode %main DenormPreserve 32\nOpExecutionMode %main Local"}, "property shaderDenormPreserveFloat32"},
	} {
		got := strings.Join(needsOf(t, c.kernel, c.replace...), " ")
		if got != c.want {
			t.Errorf("%s %q:\nexpected %s\nfound    %s", c.kernel, c.replace, c.want, got)
		}
	}
}

func TestNewerSPIRVNeedsANewerVulkan(t *testing.T) {
	for _, c := range []struct {
		version spirv.Version
		api     APIVersion
		want    string
	}{
		{spirv.MakeVersion(1, 0), makeAPIVersion(1, 1), ""},
		{spirv.MakeVersion(1, 3), makeAPIVersion(1, 1), ""},
		{spirv.MakeVersion(1, 4), makeAPIVersion(1, 1), "extension VK_KHR_spirv_1_4"},
		{spirv.MakeVersion(1, 5), makeAPIVersion(1, 1), "SPIR-V 1.5"},
		{spirv.MakeVersion(1, 5), makeAPIVersion(1, 2), ""},
		{spirv.MakeVersion(1, 6), makeAPIVersion(1, 2), "SPIR-V 1.6"},
		{spirv.MakeVersion(1, 6), makeAPIVersion(1, 4), ""},
	} {
		us := &usage{unit: &spirv.Unit{Module: &spirv.Module{Version: c.version}}}
		n := us.extensionsFor(c.api)
		var got string
		for k := range n {
			got = k
		}
		if got != c.want || len(n) > 1 {
			t.Errorf("SPIR-V %v on Vulkan %v: expected %q, found %v", c.version, c.api, c.want, n)
		}
	}
}

// layoutKernel has one block with the given members in the storage class.
func layoutKernel(t *testing.T, block, storage, types, members, offsets string) []string {
	t.Helper()
	text := fmt.Sprintf(`; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main"
OpExecutionMode %%main LocalSize 1 1 1
OpDecorate %%s %s
OpDecorate %%v DescriptorSet 0
OpDecorate %%v Binding 0
%s
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%f = OpTypeFloat 32
%%u = OpTypeInt 32 0
%%four = OpConstant %%u 4
%%zero = OpConstant %%u 0
%%v2 = OpTypeVector %%f 2
%%v3 = OpTypeVector %%f 3
%%v4 = OpTypeVector %%f 4
%%m = OpTypeMatrix %%v2 2
%s
%%s = OpTypeStruct %s
%%ps = OpTypePointer %s %%s
%%v = OpVariable %%ps %s
%%main = OpFunction %%void None %%fn
%%l = OpLabel
%%x = OpLoad %%s %%v
OpReturn
OpFunctionEnd`, block, offsets, types, members, storage, storage)
	m, err := spirv.Assemble("layout", text)
	if err != nil {
		t.Fatal(err)
	}
	u, err := spirv.Resolve(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	us, err := use(u, "main")
	if err != nil {
		t.Fatal(err)
	}
	return us.needs.names("feature")
}

func TestLooseLayoutsAreSeen(t *testing.T) {
	at := func(offsets ...int) string {
		var b strings.Builder
		for i, o := range offsets {
			fmt.Fprintf(&b, "OpMemberDecorate %%s %d Offset %d\n", i, o)
		}
		return b.String()
	}
	const (
		array = "%a = OpTypeArray %f %four"
		inner = "%i = OpTypeStruct %v3"
	)
	in := "OpMemberDecorate %i 0 Offset 0\n"
	for _, c := range []struct {
		name, types, members, offsets string
		uniform, storage              string // the feature that each needs
	}{
		{"scalars and vectors", "", "%f %v2 %v4", at(0, 8, 16), "", ""},
		{"vec3 and the float behind it", "", "%v3 %f", at(0, 12), "", ""},
		{"vec3 at 4 within 16 bytes", "", "%f %v3", at(0, 4), "", ""},
		{"vec3 over 16 bytes", "", "%v2 %v3", at(0, 8), "scalarBlockLayout", "scalarBlockLayout"},
		{"vec4 at 4", "", "%f %v4", at(0, 4), "scalarBlockLayout", "scalarBlockLayout"},
		{"float array of stride 16", array, "%a", at(0) + "OpDecorate %a ArrayStride 16", "", ""},
		{"float array of stride 4", array, "%a", at(0) + "OpDecorate %a ArrayStride 4", "uniformBufferStandardLayout", ""},
		{"array behind a float", array, "%f %a", at(0, 4) + "OpDecorate %a ArrayStride 4", "uniformBufferStandardLayout", ""},
		{"float in a struct's padding", inner, "%i %f", at(0, 12) + in, "scalarBlockLayout", "scalarBlockLayout"},
		{"float behind a struct", inner, "%i %f", at(0, 16) + in, "", ""},
		{"matrix of stride 8", "", "%m", at(0) + "OpMemberDecorate %s 0 ColMajor\nOpMemberDecorate %s 0 MatrixStride 8", "uniformBufferStandardLayout", ""},
		{"matrix of stride 16", "", "%m", at(0) + "OpMemberDecorate %s 0 ColMajor\nOpMemberDecorate %s 0 MatrixStride 16", "", ""},
	} {
		if got := strings.Join(layoutKernel(t, "Block", "Uniform", c.types, c.members, c.offsets), " "); got != c.uniform {
			t.Errorf("%s in a uniform buffer: expected %q, found %q", c.name, c.uniform, got)
		}
		if got := strings.Join(layoutKernel(t, "Block", "StorageBuffer", c.types, c.members, c.offsets), " "); got != c.storage {
			t.Errorf("%s in a storage buffer: expected %q, found %q", c.name, c.storage, got)
		}
	}
}

func TestSharedTypesTakeNoTime(t *testing.T) {
	// Each struct holds the one before it twice: 2^40 ways down.
	types, offsets := "", ""
	last := "f"
	for i := range 40 {
		name := fmt.Sprintf("t%d", i)
		types += fmt.Sprintf("%%%s = OpTypeStruct %%%s %%%s\n", name, last, last)
		offsets += fmt.Sprintf("OpMemberDecorate %%%s 0 Offset 0\nOpMemberDecorate %%%s 1 Offset %d\n", name, name, 4<<min(i, 26))
		last = name
	}
	layoutKernel(t, "Block", "StorageBuffer", types, "%"+last, "OpMemberDecorate %s 0 Offset 0\n"+offsets)
}
