package spirv

import (
	"fmt"
	"strings"
	"testing"
)

// TestBuiltInTypes checks that built-in inputs are held to their types.
func TestBuiltInTypes(t *testing.T) {
	tests := []struct {
		builtIn, typ, storage string
		want                  string // empty: valid
	}{
		{"LocalInvocationId", "uint3", "Input", ""},
		{"LocalInvocationId", "int3", "Input", ""},
		{"LocalInvocationId", "uint4", "Input", "is vec4<uint32>, expected a vector of 3 32-bit integers"},
		{"GlobalInvocationId", "float3", "Input", "expected a vector of 3 32-bit integers"},
		{"WorkgroupId", "uint", "Input", "expected a vector of 3 32-bit integers"},
		{"NumWorkgroups", "array3", "Input", "expected a vector of 3 32-bit integers"},
		{"NumWorkgroups", "uint3", "Private", "is in Private memory, expected Input"},
		{"LocalInvocationIndex", "uint", "Input", ""},
		{"LocalInvocationIndex", "float", "Input", "is float32, expected a 32-bit integer"},
		{"LocalInvocationIndex", "uint3", "Input", "expected a 32-bit integer"},
		{"SubgroupEqMask", "uint4", "Input", ""},
		{"SubgroupEqMask", "uint3", "Input", "expected a vector of 4 32-bit integers"},
	}
	for _, tt := range tests {
		t.Run(tt.builtIn+" "+tt.typ+" "+tt.storage, func(t *testing.T) {
			m, err := Assemble("builtin.spvasm", fmt.Sprintf(`
OpCapability Shader
OpCapability GroupNonUniformBallot
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main"
OpExecutionMode %%main LocalSize 1 1 1
OpDecorate %%v BuiltIn %s
%%void = OpTypeVoid
%%uint = OpTypeInt 32 0
%%int = OpTypeInt 32 1
%%float = OpTypeFloat 32
%%uint3 = OpTypeVector %%uint 3
%%uint4 = OpTypeVector %%uint 4
%%int3 = OpTypeVector %%int 3
%%float3 = OpTypeVector %%float 3
%%three = OpConstant %%uint 3
%%array3 = OpTypeArray %%uint %%three
%%p = OpTypePointer %s %%%s
%%fn = OpTypeFunction %%void
%%v = OpVariable %%p %[2]s
%%main = OpFunction %%void None %%fn
%%l = OpLabel
OpReturn
OpFunctionEnd
`, tt.builtIn, tt.storage, tt.typ))
			if err != nil {
				t.Fatal(err)
			}
			u, err := Resolve(m, nil)
			if err == nil {
				err = Validate(u)
			}
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}
