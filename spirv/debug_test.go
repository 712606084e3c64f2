package spirv

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/diag"
)

// The modules in testdata/debug are loop.comp by glslangValidator -g, by -gVS,
// and that by spirv-opt -O.
func debugModule(t *testing.T, name string) *Unit {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/debug", name))
	if err != nil {
		t.Fatal(err)
	}
	return mustResolve(t, string(text))
}

func TestSources(t *testing.T) {
	want, err := os.ReadFile("testdata/debug/loop.comp")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"loop_g.spvasm", "loop_gVS.spvasm", "loop_gVS_opt.spvasm"} {
		u := debugModule(t, name)
		if len(u.Debug.Sources) != 1 {
			t.Fatalf("%s: %d sources, want 1", name, len(u.Debug.Sources))
		}
		if s := u.Debug.Sources[0]; s.Name != "loop.comp" || s.Text != string(want) || s.Language != SourceLanguageGLSL {
			t.Errorf("%s: source %q, language %s, %d bytes of text, want %d", name, s.Name, s.Language, len(s.Text), len(want))
		}
	}
}

// scopeText gives a scope as its functions from the innermost out.
func scopeText(s *LexicalScope) string {
	var out []string
	for s != nil {
		if s.Kind == FunctionScope {
			text := s.Name
			if s.Inlined != nil {
				text += " at " + s.InlinedAt.String()
			}
			out = append(out, text)
			s = s.Inlined
			continue
		}
		s = s.Parent
	}
	return strings.Join(out, " in ")
}

func TestPositionsAndScopes(t *testing.T) {
	tests := []struct {
		module string
		op     Opcode // the only one, or the first, in the module
		want   string
	}{
		{"loop_g.spvasm", OpUMod, "loop.comp:10: main"},
		{"loop_g.spvasm", OpIMul, "loop.comp:7: twice"},
		{"loop_g.spvasm", OpConvertFToS, "loop.comp:13: main"},
		{"loop_gVS.spvasm", OpUMod, "loop.comp:10: main"},
		{"loop_gVS.spvasm", OpIMul, "loop.comp:7: twice"},
		{"loop_gVS.spvasm", OpISub, "loop.comp:7: twice"},
		{"loop_gVS.spvasm", OpReturnValue, "loop.comp:7: twice"},
		{"loop_gVS_opt.spvasm", OpUMod, "loop.comp:10: main"},
		{"loop_gVS_opt.spvasm", OpIMul, "loop.comp:7: twice at loop.comp:11 in main"},
		{"loop_gVS_opt.spvasm", OpSGreaterThan, "loop.comp:11: main"},
		{"loop_gVS_opt.spvasm", OpConvertFToS, "loop.comp:13: main"},
		{"loop_gVS_opt.spvasm", OpLoopMerge, "loop.comp:11: main"},
		{"loop_gVS_opt.spvasm", OpTypeVoid, ": "},
	}
	for _, tt := range tests {
		u := debugModule(t, tt.module)
		for i := range u.Insts {
			if u.Insts[i].Op != tt.op {
				continue
			}
			pos := u.PosOf(i)
			if got := pos.String() + ": " + scopeText(u.ScopeOf(i)); got != tt.want {
				t.Errorf("%s: %s is at %q, want %q", tt.module, tt.op, got, tt.want)
			}
			break
		}
	}
	u := debugModule(t, "loop_g.spvasm")
	for _, i := range []int{-1, len(u.Insts)} {
		if u.PosOf(i) != (diag.Pos{}) || u.ScopeOf(i) != nil {
			t.Errorf("instruction %d has a place", i)
		}
	}
}

// localText gives a local with where its value is found, by opcodes.
func localText(u *Unit, l *Local) string {
	s := l.Name
	if l.Pos.Line > 0 {
		s += fmt.Sprintf(":%d", l.Pos.Line)
	}
	if l.Type != nil && l.Type.Kind == Struct {
		s += " " + u.DisplayName(l.Type.ID) + " (" + scopeText(l.Scope) + ")"
	} else {
		s += " " + l.Type.String() + " (" + scopeText(l.Scope) + ")"
	}
	if l.Declare != 0 {
		s += " in " + u.Insts[u.Def(l.Declare)].Op.String()
	}
	if l.Global != 0 {
		s += " global " + u.DisplayName(l.Global)
	}
	for _, v := range l.Values {
		if v.Value == 0 {
			s += " none"
			continue
		}
		s += " " + u.Insts[u.Def(v.Value)].Op.String()
		if v.Indexes != nil {
			s += fmt.Sprint(v.Indexes)
		}
		if v.Deref {
			s += "*"
		}
	}
	return s
}

func TestLocals(t *testing.T) {
	tests := []struct{ module, want string }{
		{"loop_g.spvasm", `
gl_GlobalInvocationID vec3<uint32> () global %gl_GlobalInvocationID
total int32 () global %total
b %B () global %b
i:8 uint32 (main) in OpVariable
p:8 %P (main) in OpVariable
indexable:8 [3]float32 (main) in OpVariable
k:8 int32 (main) in OpVariable
param:8 int32 (main) in OpVariable
x:7 int32 (twice) in OpFunctionParameter
y:7 int32 (twice) in OpVariable
z:7 int32 (twice) in OpVariable`},
		{"loop_gVS.spvasm", `
x int32 (twice) in OpFunctionParameter
y:7 int32 (twice) in OpVariable
z:7 int32 (twice) in OpVariable
i:9 uint32 (main) in OpVariable
gl_GlobalInvocationID:9 vec3<uint32> () global %gl_GlobalInvocationID
p:10 %P (main) in OpVariable
k:11 int32 (main) in OpVariable
total:12 int32 () global %total
b:13 %B () global %b`},
		{"loop_gVS_opt.spvasm", `
x int32 (twice at loop.comp:11 in main) OpPhi
y:7 int32 (twice at loop.comp:11 in main) OpIMul
z:7 int32 (twice at loop.comp:11 in main) OpIAdd
i:9 uint32 (main) OpLoad
gl_GlobalInvocationID:9 vec3<uint32> () global %gl_GlobalInvocationID
p:10 no type (main) OpBitcast[0] OpLoad[1] OpPhi[0] OpIAdd[0] OpPhi[0]
k:11 int32 (main) OpConstant OpPhi OpIAdd
total:12 no type ()
b:13 %B () global %b`},
	}
	for _, tt := range tests {
		u := debugModule(t, tt.module)
		var got strings.Builder
		for _, l := range u.Debug.Locals {
			got.WriteString("\n" + localText(u, l))
		}
		if got.String() != tt.want {
			t.Errorf("%s: got%s\n\nwant%s", tt.module, got.String(), tt.want)
		}
	}
}

func TestLineScopes(t *testing.T) {
	u := mustResolve(t, `
OpCapability Shader
OpCapability Linkage
OpExtension "SPV_KHR_non_semantic_info"
%d = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
OpMemoryModel Logical GLSL450
%file = OpString "a.c"
%more = OpString "b.c"
%text = OpString "one "
%rest = OpString "two"
OpSource OpenCL_C 120 %file "x"
OpSourceContinued "y"
%void = OpTypeVoid
%u = OpTypeInt 32 0
%one = OpConstant %u 1
%n5 = OpConstant %u 5
%n6 = OpConstant %u 6
%src = OpExtInst %void %d DebugSource %more %text
%cont = OpExtInst %void %d DebugSourceContinued %rest
%fn = OpTypeFunction %void
%f = OpFunction %void None %fn
%l = OpLabel
%a0 = OpIAdd %u %one %one
OpLine %file 3 4
%a1 = OpIAdd %u %one %one
%x = OpExtInst %void %d DebugLine %src %n5 %n6 %one %n5
%a2 = OpIAdd %u %one %one
OpLine %file 9 9
%a3 = OpIAdd %u %one %one
%y = OpExtInst %void %d DebugNoLine
%a4 = OpIAdd %u %one %one
OpNoLine
%a5 = OpIAdd %u %one %one
OpLine %file 10 0
OpBranch %m
%m = OpLabel
%a6 = OpIAdd %u %one %one
OpReturn
OpFunctionEnd
`)
	want := []diag.Pos{
		{},
		{File: "a.c", Line: 3, Col: 4},
		{File: "b.c", Line: 5, Col: 1, EndLine: 6, EndCol: 5},
		{File: "b.c", Line: 5, Col: 1, EndLine: 6, EndCol: 5},
		{File: "a.c", Line: 9, Col: 9},
		{},
		{},
	}
	n := 0
	for i := range u.Insts {
		switch u.Insts[i].Op {
		case OpIAdd:
			if got := u.PosOf(i); got != want[n] {
				t.Errorf("addition %d is at %+v, want %+v", n, got, want[n])
			}
			n++
		case OpBranch:
			if got := u.PosOf(i).String(); got != "a.c:10" {
				t.Errorf("branch is at %s", got)
			}
		}
	}
	var sources []string
	for _, s := range u.Debug.Sources {
		sources = append(sources, s.Name+"="+s.Text)
	}
	if got := strings.Join(sources, ";"); got != "a.c=xy;b.c=one two" {
		t.Errorf("sources %s", got)
	}
}

// TestMalformedDebugInfoIsLeftOut: debug information does not bear on what a
// module does, so none of it is an error.
func TestMalformedDebugInfoIsLeftOut(t *testing.T) {
	u := mustResolve(t, `
OpCapability Shader
OpCapability Linkage
OpExtension "SPV_KHR_non_semantic_info"
%d = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
OpMemoryModel Logical GLSL450
%name = OpString "v"
%void = OpTypeVoid
%u = OpTypeInt 32 0
%one = OpConstant %u 1
%unit = OpExtInst %void %d DebugCompilationUnit %one %one %void %one
%block = OpExtInst %void %d DebugLexicalBlock %void %one %one %block2
%block2 = OpExtInst %void %d DebugLexicalBlock %void %one %one %block
%at = OpExtInst %void %d DebugInlinedAt %one %block %at
%expr = OpExtInst %void %d DebugExpression %void
%v = OpExtInst %void %d DebugLocalVariable %name %void %void %one %one %block %one
%fn = OpTypeFunction %void
%f = OpFunction %void None %fn
%l = OpLabel
%s = OpExtInst %void %d DebugScope %block %at
%x = OpExtInst %void %d DebugDeclare %v %one %expr
%y = OpExtInst %void %d DebugValue %v %one %expr
%z = OpExtInst %void %d DebugValue %void %void %void
%w = OpExtInst %void %d DebugScope %one
OpReturn
OpFunctionEnd
`)
	if n := len(u.Debug.Locals); n != 1 {
		t.Fatalf("%d locals, want 1", n)
	}
	if got := localText(u, u.Debug.Locals[0]); !strings.HasPrefix(got, "v") || !strings.HasSuffix(got, " none") {
		t.Errorf("local %q", got)
	}
}

// Blocks that a compiler gives no line have that of the branch they belong to.
func TestLinesAcrossTheBlocksOfAnExpression(t *testing.T) {
	u := mustResolve(t, `
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
%file = OpString "k.comp"
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%u = OpTypeInt 32 0
%one = OpConstant %u 1
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpLine %file 7 2
OpSelectionMerge %m None
OpBranchConditional %true %a %b
%a = OpLabel
OpLine %file 8 0
%at8 = OpIAdd %u %one %one
OpBranch %m
%b = OpLabel
%at7b = OpIAdd %u %one %one
OpBranch %m
%m = OpLabel
%p = OpPhi %u %at8 %a %at7b %b
%at7c = OpIAdd %u %p %one
OpLine %file 9 0
OpBranch %head
%head = OpLabel
OpLine %file 10 0
OpLoopMerge %after %again None
OpBranchConditional %true %body %after
%body = OpLabel
%at10 = OpIAdd %u %one %one
OpBranch %again
%again = OpLabel
%nowhere = OpIAdd %u %one %one
OpBranch %head
%after = OpLabel
%nowhere2 = OpIAdd %u %one %one
OpSelectionMerge %end None
OpBranchConditional %true %then %end
%then = OpLabel
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
`)
	want := []string{"k.comp:8", "k.comp:7:2", "k.comp:7:2", "k.comp:10", "", ""}
	n := 0
	for i := range u.Insts {
		switch u.Insts[i].Op {
		case OpIAdd:
			got := ""
			if p := u.PosOf(i); p.IsValid() {
				got = p.String()
			}
			if got != want[n] {
				t.Errorf("addition %d is at %q, want %q", n, got, want[n])
			}
			n++
		case OpReturn:
			if p := u.PosOf(i); p.IsValid() {
				t.Errorf("the return is at %v", p)
			}
		}
	}
}
