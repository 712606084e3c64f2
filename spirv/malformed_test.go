package spirv_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/spirv"
)

const wellFormed = `OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 4 1 1
OpName %main "main"
OpDecorate %arr ArrayStride 4
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
OpDecorate %buf DescriptorSet 0
OpDecorate %buf Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%zero = OpConstant %uint 0
%two = OpConstant %uint 2
%sem = OpConstant %uint 264
%half = OpConstant %float 0x1p-1
%true = OpConstantTrue %bool
%arr = OpTypeArray %uint %two
%S = OpTypeStruct %arr
%pS = OpTypePointer StorageBuffer %S
%buf = OpVariable %pS StorageBuffer
%pu = OpTypePointer StorageBuffer %uint
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpAccessChain %pu %buf %zero %zero
%old = OpLoad %uint %at
%sum = OpIAdd %uint %old %two
OpStore %at %sum
OpControlBarrier %two %two %sem
OpSelectionMerge %end None
OpBranchConditional %true %then %end
%then = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
`

// malformed are changes of a line of wellFormed and what is said of that line,
// or of the one that begins with at.
var malformed = []struct{ old, new, at, want string }{
	// The text itself.
	{"OpReturn", "OpRetrun", "", "unknown opcode OpRetrun"},
	{"OpReturn", "Return", "", "expected an instruction"},
	{"OpReturn", "= OpReturn", "", "expected an instruction"},
	{"OpReturn", "%x = OpReturn", "", "OpReturn has no result id"},
	{"%then = OpLabel", "OpLabel", "OpLabel\nOpBranch %end", "expected a result id"},
	{"%at = OpAccessChain", "%at OpAccessChain", "", "expected '=' after the result id"},
	{"%at = OpAccessChain", "%at = chain", "", "expected an opcode after"},
	{"%then = OpLabel", "% = OpLabel", "", "expected a name after %"},
	{"%then = OpLabel", "%th€n = OpLabel", "", "expected an id of letters"},
	{"OpStore %at %sum", "OpStore at %sum", "", "expected an id (Pointer)"},
	{"OpStore %at %sum", "OpStore %at", "OpControlBarrier", "expected an id (Object)"},
	{"OpStore %at %sum", "OpStore %at %sum Aligned", "OpControlBarrier", "expected an integer"},
	{"OpStore %at %sum", "OpStore %at %sum Crooked", "", "Crooked"},
	{"OpStore %at %sum", "OpStore %at %sum Aligned 4 5", "", "expected an instruction"},
	{"OpBranch %end", "OpBranch 5", "", "expected an id"},
	{"OpCapability Shader", "OpCapability Shading", "", "expected a name of Capability"},
	{"OpCapability Shader", "OpCapability", "%glsl", "expected a name of Capability"},
	{`"GLSL.std.450"`, "GLSL.std.450", "", "expected a string"},
	{`"GLSL.std.450"`, `"GLSL.std.450`, "", "expected a string"},
	{"%glsl = OpExtInstImport", "%glsl = OpExtInstImport 5 ", "", "expected a string"},
	{"OpTypeInt 32 0", "OpTypeInt 32", "%float", "expected an integer (Signedness)"},
	{"OpTypeInt 32 0", "OpTypeInt thirty 0", "", "thirty"},
	{"OpTypeInt 32 0", "OpTypeInt -32 0", "", "-32"},
	{"OpTypeInt 32 0", "OpTypeInt 99999999999 0", "", "99999999999"},
	{"%uint 264", "%uint 4294967296", "", "4294967296"},
	{"%uint 264", "%uint -1", "", "-1"},
	{"%uint 264", "%uint 0x1_0", "", "0x1_0"},
	{"%uint 264", "%uint two", "", "two"},
	{"%uint 264", "%uint 1.5", "", "1.5"},
	{"%uint 264", "%uint", "%half", "expected a number"},
	{"%uint 264", "%nowhere 264", "", "expected a type that is an integer or floating-point scalar"},
	{"0x1p-1", "0x1.8q3", "", "0x1.8q3"},
	{"0x1p-1", "0y1", "", "0y1"},
	{"0x1p-1", "1e", "", "1e"},
	{"0x1p-1", "1.2.3", "", "1.2.3"},
	{"0x1p-1", "1e999", "", "1e999"},
	{"%float = OpTypeFloat 32", "%uint = OpTypeFloat 32", "", "declared as a type already"},
	{"OpReturn", "%x = OpExtInst %uint %glsl Frobnicate %two", "", "expected the name of an instruction of GLSL.std.450"},
	{"OpReturn", "%x = OpExtInst %uint %main FAbs %two", "", "expected the result of an OpExtInstImport"},
	{"OpReturn", "OpSwitch %true %end 0 %end", "", "expected a selector of integer type"},
	{"OpReturn", "!0x0", "", "word count 0"},

	// What the ids are.
	{"%sum = OpIAdd %uint %old %two", "%sum = OpIAdd %uint %old %nothing", "", "%nothing is not defined"},
	{"%sum = OpIAdd %uint %old %two", "%sum = OpIAdd %two %old %two", "", "result type %two is not a type"},
	{"%sum = OpIAdd %uint %old %two", "%sum = OpIAdd %uint %sum %two", "", "%sum is not defined on every path"},
	{"%sum = OpIAdd %uint %old %two", "%sum = OpIAdd %uint %old %uint", "", "%uint is no value"},
	{"%sum = OpIAdd %uint %old %two", "%sum = OpIAdd %uint %old %half", "", "operand 2 is float32"},
	{"%sum = OpIAdd %uint %old %two", "%sum = OpFAdd %uint %old %two", "", "result is uint32"},
	{"%sum = OpIAdd %uint %old %two", "%old = OpIAdd %uint %old %two", "", "already"},
	{"%sum = OpIAdd %uint %old %two", "%sum = OpVectorShuffle %v2 %old %two 0 1", "", "operand 1 is uint32"},
	{"%at = OpAccessChain %pu %buf %zero %zero", "%at = OpAccessChain %pu %buf %two %zero", "", "index"},
	{"%at = OpAccessChain %pu %buf %zero %zero", "%at = OpAccessChain %uint %buf %zero %zero", "", "expected a pointer"},
	{"%old = OpLoad %uint %at", "%old = OpLoad %float %at", "", "expected uint32"},
	{"%old = OpLoad %uint %at", "%old = OpLoad %uint %two", "", "expected a pointer"},
	{"OpTypeVector %float 2", "OpTypeVector %float 7", "", "7 components"},
	{"OpTypeVector %float 2", "OpTypeVector %fn 2", "", "expected a scalar"},
	{"%arr = OpTypeArray %uint %two", "%arr = OpTypeArray %uint %true", "", "%true is not an integer constant"},
	{"%arr = OpTypeArray %uint %two", "%arr = OpTypeArray %uint %zero", "", "length 0"},
	{"OpTypeStruct %arr", "OpTypeStruct %buf", "", "%buf is"},
	{"%buf = OpVariable %pS StorageBuffer", "%buf = OpVariable %pS Private", "", "storage class"},
	{"%buf = OpVariable %pS StorageBuffer", "%buf = OpVariable %S StorageBuffer", "", "%S is not a pointer type"},

	// How the module hangs together.
	{"OpFunctionEnd", "", "%main = OpFunction", "lacks its OpFunctionEnd"},
	{"OpReturn", "", "OpFunctionEnd", "lacks its terminator"},
	{"OpReturn", "OpReturn\nOpReturn", "OpReturn\nOpFunctionEnd", "outside"},
	{"OpReturn", "OpReturnValue %two", "", "expected void"},
	{"OpBranch %end", "OpBranch %main", "", "%main is not a label"},
	{"OpBranch %end", "OpBranch %entry", "", "%entry"},
	{"OpSelectionMerge %end None", "", "OpBranchConditional", "without an OpSelectionMerge"},
	{"OpSelectionMerge %end None", "OpSelectionMerge %entry None", "", "%entry is its own merge block"},
	{"OpBranchConditional %true", "OpBranchConditional %two", "", "expected bool"},
	{"OpControlBarrier %two", "OpControlBarrier %zero", "", "execution scope CrossDevice"},
	{"OpControlBarrier %two %two %sem", "OpControlBarrier %two %two %old", "", "memory semantics"},
	{"OpDecorate %S Block", "OpDecorate %nobody Block", "", "%nobody is not defined"},
	{"OpMemberDecorate %S 0 Offset 0", "OpMemberDecorate %S 5 Offset 0", "", "no member 5"},
	{"OpMemberDecorate %S 0 Offset 0", "OpMemberDecorate %S 0 Offset 3", "%S = OpTypeStruct", "expected a multiple of 4"},
	{"OpEntryPoint GLCompute %main", "OpEntryPoint GLCompute %void", "", "%void is not a function"},
	{"LocalSize 4 1 1", "LocalSize 4 0 1", "", "has a zero"},
	{"OpMemoryModel Logical GLSL450", "OpMemoryModel Logical OpenCL", "", "Kernel"},
	{"OpName %main \"main\"", "OpCapability Int64", "", "expected before"},
}

// A malformed text is an error with the line that is wrong and the text's own
// words for it.
func TestMalformedTexts(t *testing.T) {
	check := func(text string) error {
		m, err := spirv.Assemble("k.spvasm", text)
		if err != nil {
			return err
		}
		u, err := spirv.Resolve(m, nil)
		if err != nil {
			return err
		}
		return spirv.Validate(u)
	}
	if err := check(wellFormed); err != nil {
		t.Fatal(err)
	}
	for i, c := range malformed {
		t.Run(fmt.Sprintf("%d %s", i, c.new), func(t *testing.T) {
			if strings.Count(wellFormed, c.old) == 0 {
				t.Fatalf("nothing is %q", c.old)
			}
			text := strings.Replace(wellFormed, c.old, c.new, 1)
			at := c.at
			if at == "" {
				at = c.new
			}
			line := strings.Count(text[:strings.Index(text, at)], "\n") + 1
			err := check(text)
			var e *diag.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if e.Class != diag.BadInput || e.Pos.Line != line || e.Pos.Col == 0 || e.Pos.File != "k.spvasm" || !strings.Contains(e.Msg, c.want) {
				t.Errorf("%v: %v\nexpected line %d, bad input: %s", e.Class, e, line, c.want)
			}
		})
	}
}
