package spirv

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// typeModule declares the types of:
//
//	struct In { float a; mat3x2 m[2]; };                 // row-major m
//	buffer Out { uint n; In in; mat2x3 c; float data[]; };
const typeModule = `
OpCapability Shader
OpCapability Float16
OpCapability Int64
OpCapability Linkage
OpCapability PhysicalStorageBufferAddresses
OpExtension "SPV_KHR_physical_storage_buffer"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpName %In "In"
OpName %Out "Out"
OpName %Plain "Plain"
OpName %Twin "Twin"
OpName %Node "Node"
OpName %var "var"
OpMemberName %Out 3 "data"
OpDecorate %group NonWritable
OpDecorate %group Coherent
%group = OpDecorationGroup
OpGroupMemberDecorate %group %Out 0 %In 1
OpDecorate %names Restrict
OpDecorate %names DescriptorSet 3
%names = OpDecorationGroup
OpGroupDecorate %names %var
OpDecorate %Out Block
OpDecorate %run ArrayStride 8
OpDecorate %mats ArrayStride 40
OpMemberDecorate %In 0 Offset 0
OpMemberDecorate %In 1 Offset 16
OpMemberDecorate %In 1 MatrixStride 16
OpMemberDecorate %In 1 RowMajor
OpMemberDecorate %Out 0 Offset 0
OpMemberDecorate %Out 1 Offset 16
OpMemberDecorate %Out 2 Offset 128
OpMemberDecorate %Out 2 MatrixStride 16
OpMemberDecorate %Out 2 ColMajor
OpMemberDecorate %Out 3 Offset 160
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%m32 = OpTypeMatrix %v2 3
%m23 = OpTypeMatrix %v3 2
%two = OpConstant %uint 2
%mats = OpTypeArray %m32 %two
%run = OpTypeRuntimeArray %float
%In = OpTypeStruct %float %mats
%Out = OpTypeStruct %uint %In %m23 %run
%h3 = OpTypeVector %half 3
%h3s = OpTypeArray %h3 %two
%Plain = OpTypeStruct %bool %half %u64 %h3s %half
%Twin = OpTypeStruct %bool %half %u64 %h3s %half
%ptr = OpTypePointer StorageBuffer %Out
OpTypeForwardPointer %next PhysicalStorageBuffer
%Node = OpTypeStruct %next %uint
%next = OpTypePointer PhysicalStorageBuffer %Node
%var = OpVariable %ptr StorageBuffer
`

// Decorations lay out what lies in Workgroup memory, at any depth, where its
// variables are blocks.
func TestWorkgroupLayout(t *testing.T) {
	for _, block := range []bool{false, true} {
		text := `OpCapability Shader
OpCapability Linkage
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpMemoryModel Logical GLSL450
OpName %ptr "ptr"
OpDecorate %run ArrayStride 16
OpDecorate %ptr ArrayStride 32
OpMemberDecorate %S 0 Offset 0
%uint = OpTypeInt 32 0
%two = OpConstant %uint 2
%run = OpTypeArray %uint %two
%S = OpTypeStruct %run
%ptr = OpTypePointer Workgroup %run
%ps = OpTypePointer Workgroup %S
%var = OpVariable %ps Workgroup
`
		layout, stride, size := natural, 8, 8
		if block {
			text = strings.Replace(text, "OpMemberDecorate", "OpDecorate %S Block\nOpMemberDecorate", 1)
			layout, stride, size = Explicit, 32, 20
		}
		u := mustResolve(t, text)
		p := u.Type(u.named(t, "ptr"))
		if l := LayoutOf(p); l != layout || p.Stride(l) != stride || p.Elem.Size(l) != size {
			t.Errorf("block %v: layout %+v, stride %d, size %d; want %+v, %d, %d", block, l, p.Stride(l), p.Elem.Size(l), layout, stride, size)
		}
	}
}

// walkText lists the scalars of a type as path@offset.
func walkText(typ *Type, l Layout) []string {
	var out []string
	typ.Walk(l, func(path []int, s *Type, offset int) bool {
		p := strings.Trim(strings.ReplaceAll(fmt.Sprint(path), " ", "."), "[]")
		out = append(out, fmt.Sprintf("%s@%d", p, offset))
		return true
	})
	return out
}

func TestLayout(t *testing.T) {
	u := mustResolve(t, typeModule)
	tests := []struct {
		name   string
		layout Layout
		size   int
		want   string
	}{
		// Row-major 3 columns of 2: rows 16 apart, columns 4 apart.
		{"In", Explicit, 16 + 40 + 16 + 12, "0@0" +
			" 1.0.0.0@16 1.0.0.1@32 1.0.1.0@20 1.0.1.1@36 1.0.2.0@24 1.0.2.1@40" +
			" 1.1.0.0@56 1.1.0.1@72 1.1.1.0@60 1.1.1.1@76 1.1.2.0@64 1.1.2.1@80"},
		{"In", natural, 4 + 2*24, "0@0" +
			" 1.0.0.0@4 1.0.0.1@8 1.0.1.0@12 1.0.1.1@16 1.0.2.0@20 1.0.2.1@24" +
			" 1.1.0.0@28 1.1.0.1@32 1.1.1.0@36 1.1.1.1@40 1.1.2.0@44 1.1.2.1@48"},
		{"Plain", natural, 32, "0@0 1@4 2@8 3.0.0@16 3.0.1@18 3.0.2@20 3.1.0@22 3.1.1@24 3.1.2@26 4@28"},
		{"Node", natural, 16, "0@0 1@8"},
	}
	for _, tt := range tests {
		typ := u.Type(u.named(t, tt.name))
		if got := walkText(typ, tt.layout); !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s %+v:\n got %v\nwant %s", tt.name, tt.layout, got, tt.want)
		}
		if got := typ.Size(tt.layout); got != tt.size {
			t.Errorf("%s %+v: size %d, want %d", tt.name, tt.layout, got, tt.size)
		}
		if got := len(strings.Fields(tt.want)); typ.Scalars() != got {
			t.Errorf("%s: %d scalars, want %d", tt.name, typ.Scalars(), got)
		}
	}
	out := u.Type(u.named(t, "Out"))
	if got := out.Size(Explicit); got != 160 {
		t.Errorf("size of Out %d, want 160", got)
	}
	mat, at, l := out.Place(Explicit, 2)
	if at != 128 || mat.Stride(l) != 16 || mat.Size(l) != 28 {
		t.Errorf("Out.c at %d, stride %d, size %d, want 128, 16, 28", at, mat.Stride(l), mat.Size(l))
	}
	run, _, l := out.Place(Explicit, 3)
	if run.Stride(l) != 8 || run.Size(l) != 0 || run.Kind != RuntimeArray {
		t.Errorf("Out.data: stride %d, size %d", run.Stride(l), run.Size(l))
	}
	if LayoutOf(u.Globals[0].Type) != Explicit || LayoutOf(&Type{Kind: Pointer, Elem: out, Storage: StorageClassPrivate}) != natural {
		t.Error("LayoutOf")
	}
	if !out.hasLayout() || u.Type(u.named(t, "Plain")).hasLayout() {
		t.Error("HasLayout")
	}
}

func TestTypes(t *testing.T) {
	u := mustResolve(t, typeModule)
	node, plain, twin := u.Type(u.named(t, "Node")), u.Type(u.named(t, "Plain")), u.Type(u.named(t, "Twin"))
	if next := node.Members[0].Type; next.Kind != Pointer || next.Elem != node || next != u.Type(next.ID) {
		t.Errorf("Node's first member is %s to %s, want a pointer to Node", next, next.Elem)
	}
	if !plain.Same(twin) || plain == twin || plain.Same(node) || !node.Same(node) {
		t.Error("Same")
	}
	out := u.Type(u.named(t, "Out"))
	if !out.Block || out.Members[3].Name != "data" || !out.Members[0].NonWritable || !out.Members[0].Coherent || out.Members[1].Coherent {
		t.Errorf("decorations of Out: %+v", out)
	}
	if in := u.Type(u.named(t, "In")); !in.Members[1].Coherent || !in.Members[1].RowMajor || in.Members[1].MatrixStride != 16 {
		t.Errorf("decorations of In: %+v", in)
	}
	v := u.named(t, "var")
	if a, ok := u.Decoration(v, DecorationDescriptorSet); !ok || a[0] != 3 || !u.HasDecoration(v, DecorationRestrict) || u.HasDecoration(v, DecorationBlock) {
		t.Error("decorations of var")
	}
	if u.Var(v) != u.Globals[0] || u.TypeOf(v).Elem != out || u.DisplayName(v) != "%var" {
		t.Errorf("var: %+v", u.Var(v))
	}
	for _, id := range []ID{0, 99999, 1 << 31} {
		if u.Type(id) != nil || u.Const(id) != nil || u.Def(id) != -1 || u.Name(id) != "" || u.TypeOf(id) != nil || u.Block(id) != nil {
			t.Errorf("id %d has a meaning", id)
		}
	}
}

func TestBadModules(t *testing.T) {
	const head = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n"
	const types = head + `
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%true = OpConstantTrue %bool
%one = OpConstant %uint 1
%fn = OpTypeFunction %void
%get = OpTypeFunction %uint %uint
`
	const main = "%f = OpFunction %void None %fn\n%l = OpLabel\n"
	tests := []struct{ name, text, want string }{
		{"type is no type", types + "%v = OpTypeVector %one 2", "not a type"},
		{"type declared later", types + "%v = OpTypeArray %w %one\n%w = OpTypeInt 16 0", "declared only later"},
		{"recursive type", types + "%s = OpTypeStruct %s", "declared only later"},
		{"undefined id", types + "%v = OpTypeArray %uint %nowhere", "not defined"},
		{"absurd array", types + "%l = OpTypeInt 64 0\n%n = OpConstant %l 0xffffffffffffffff\n%v = OpTypeArray %uint %n", "length"},
		{"array of arrays too large", types + "%n = OpConstant %uint 0xffffffff\n%v = OpTypeArray %uint %n\n%w = OpTypeArray %v %n", "larger"},
		{"constant too large", types + "%n = OpConstant %uint 0xffffff\n%v = OpTypeArray %uint %n\n%w = OpTypeArray %v %one\n%c = OpConstantNull %w\n%d = OpConstantNull %w", "constants"},
		{"array length negative", types + "%i = OpTypeInt 32 1\n%n = OpConstant %i -1\n%v = OpTypeArray %uint %n", "negative"},
		{"vector of 5", types + "%v = OpTypeVector %uint 5", "components"},
		{"int of 24 bits", types + "%v = OpTypeInt 24 0", "width"},
		{"matrix of ints", types + "%v = OpTypeVector %uint 2\n%m = OpTypeMatrix %v 2", "floats"},
		{"composite of wrong length", types + "%v = OpTypeVector %uint 2\n%c = OpConstantComposite %v %one", "constituents"},
		{"composite of wrong type", types + "%v = OpTypeVector %uint 2\n%c = OpConstantComposite %v %one %true", "expected uint32"},
		{"constant of an undeclared constant", types + "%v = OpTypeVector %uint 2\n%c = OpConstantComposite %v %one %d\n%d = OpConstant %uint 1", "not a constant declared before"},
		{"operation on wrong types", types + "%c = OpSpecConstantOp %uint IAdd %one %true", "operand"},
		{"extract beyond the end", types + "%v = OpTypeVector %uint 2\n%c = OpConstantComposite %v %one %one\n%d = OpSpecConstantOp %uint CompositeExtract %c 2", "no part 2"},
		{"variable of a plain type", types + "%v = OpVariable %uint Private", "not a pointer"},
		{"variable of another storage class", types + "%p = OpTypePointer Private %uint\n%v = OpVariable %p Workgroup", "storage class"},
		{"block without offsets", head + "OpDecorate %s Block\n%uint = OpTypeInt 32 0\n%s = OpTypeStruct %uint\n%p = OpTypePointer StorageBuffer %s\n%v = OpVariable %p StorageBuffer", "lacks an Offset"},
		{"member decoration beyond the end", head + "OpMemberDecorate %s 1 Offset 0\n%uint = OpTypeInt 32 0\n%s = OpTypeStruct %uint", "no member 1"},
		{"decoration of nothing", head + "OpDecorate %s Block", "not defined"},
		{"entry point is no function", "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %uint \"main\"\n%uint = OpTypeInt 32 0", "not a function"},
		{"missing OpFunctionEnd", types + main + "OpReturn", "lacks its OpFunctionEnd"},
		{"missing terminator", types + main + "OpFunctionEnd", "lacks its terminator"},
		{"block without terminator before the next", types + main + "%k = OpLabel\nOpReturn\nOpFunctionEnd", "lacks its terminator"},
		{"instruction outside a block", types + "%f = OpFunction %void None %fn\n%x = OpIAdd %uint %one %one\nOpFunctionEnd", "inside a block"},
		{"instruction outside a function", types + "%x = OpIAdd %uint %one %one", "inside a function"},
		{"type inside a function", types + main + "%v = OpTypeVector %uint 2\nOpReturn\nOpFunctionEnd", "before all functions"},
		{"missing parameter", types + "%g = OpFunction %uint None %get\n%k = OpLabel\nOpReturnValue %one\nOpFunctionEnd", "parameters"},
		{"branch to another function", types + main + "OpBranch %m\nOpFunctionEnd\n%g = OpFunction %void None %fn\n%k = OpLabel\nOpBranch %m\n%m = OpLabel\nOpReturn\nOpFunctionEnd", "another function"},
		{"branch to a value", types + main + "OpBranch %one\nOpFunctionEnd", "not a label"},
		{"condition is no Boolean", types + main + "OpSelectionMerge %b None\nOpBranchConditional %one %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\nOpReturn\nOpFunctionEnd", "expected bool"},
		{"value used before its definition", types + main + "%x = OpIAdd %uint %y %one\n%y = OpIAdd %uint %one %one\nOpReturn\nOpFunctionEnd", "not defined on every path"},
		{"value used where it is not defined", types + main + "OpSelectionMerge %b None\nOpBranchConditional %true %a %b\n%a = OpLabel\n%x = OpIAdd %uint %one %one\nOpBranch %b\n%b = OpLabel\n%y = OpIAdd %uint %x %one\nOpReturn\nOpFunctionEnd", "not defined on every path"},
		{"value of another function", types + main + "%x = OpIAdd %uint %one %one\nOpReturn\nOpFunctionEnd\n%g = OpFunction %void None %fn\n%k = OpLabel\n%y = OpIAdd %uint %x %one\nOpReturn\nOpFunctionEnd", "another function"},
		{"type as a value", types + main + "%x = OpIAdd %uint %uint %one\nOpReturn\nOpFunctionEnd", "no value"},
		{"phi without its predecessors", types + main + "OpBranch %k\n%k = OpLabel\n%x = OpPhi %uint\nOpReturn\nOpFunctionEnd", "predecessors"},
		{"phi of a wrong parent", types + main + "OpBranch %k\n%k = OpLabel\n%x = OpPhi %uint %one %k\nOpReturn\nOpFunctionEnd", "not a predecessor"},
		{"call of a value", types + main + "%x = OpFunctionCall %void %one\nOpReturn\nOpFunctionEnd", "not a function"},
		{"call with too few arguments", types + main + "%x = OpFunctionCall %uint %g\nOpReturn\nOpFunctionEnd\n%g = OpFunction %uint None %get\n%p = OpFunctionParameter %uint\n%k = OpLabel\nOpReturnValue %p\nOpFunctionEnd", "arguments"},
		{"recursion", types + main + "%x = OpFunctionCall %void %f\nOpReturn\nOpFunctionEnd", "calls itself"},
		{"return without value", types + "%g = OpFunction %uint None %get\n%p = OpFunctionParameter %uint\n%k = OpLabel\nOpReturn\nOpFunctionEnd", "OpReturnValue"},
		{"function variable outside", types + "%p = OpTypePointer Function %uint\n%v = OpVariable %p Function", "outside a function"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Assemble("bad.spvasm", tt.text+"\n")
			if err != nil {
				t.Fatal(err)
			}
			_, err = Resolve(m, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "bad.spvasm:") {
				t.Errorf("error %v, want one with %q and its place", err, tt.want)
			}
		})
	}
}

func TestDuplicateResult(t *testing.T) {
	m := &Module{Bound: 3, Insts: []Inst{
		{Op: OpTypeVoid, Result: 1, Offset: 5},
		{Op: OpTypeBool, Result: 1, Offset: 7},
	}}
	if _, err := Resolve(m, nil); err == nil || !strings.Contains(err.Error(), "module word offset 7, id %1") {
		t.Errorf("error %v", err)
	}
	m = &Module{Bound: 1 << 31}
	if _, err := Resolve(m, nil); err == nil || !strings.Contains(err.Error(), "bound") {
		t.Errorf("error %v", err)
	}
}

// TestResolvesKernels resolves every kernel at hand.
func TestResolvesKernels(t *testing.T) {
	names, _ := filepath.Glob("testdata/*-*.spvasm")
	more, _ := filepath.Glob("../testdata/*/*.spvasm")
	for _, name := range append(names, more...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Assemble(name, string(text))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		u, err := Resolve(m, nil)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		checkFlow(t, u)
	}
}

// Every byte of a scalar leads to it, and no byte between scalars to any.
func TestScalarAt(t *testing.T) {
	u := mustResolve(t, typeModule)
	tried := 0
	for i := range u.Insts {
		typ := u.Type(u.Insts[i].Result)
		if typ == nil || !typ.IsComposite() {
			continue
		}
		if typ.Kind == RuntimeArray {
			scalar, start, ok := typ.ScalarAt(Explicit, 8*1000+2)
			if !ok || scalar != typ.Elem || start != 8000 {
				t.Errorf("%s: got %s at %d, %t", typ, scalar, start, ok)
			}
		}
		if typ.unsized() {
			continue
		}
		for _, l := range []Layout{natural, Explicit} {
			type place struct {
				scalar *Type
				start  int64
			}
			covered := map[int64]place{}
			typ.Walk(l, func(_ []int, scalar *Type, off int) bool {
				for b := range scalar.Size(l) {
					covered[int64(off+b)] = place{scalar, int64(off)}
				}
				return true
			})
			for off := int64(-4); off < int64(typ.Size(l))+8; off++ {
				want, held := covered[off]
				scalar, start, ok := typ.ScalarAt(l, off)
				if ok != held || ok && (scalar != want.scalar || start != want.start) {
					t.Errorf("byte %d of %s: got %s at %d, %t; want %s at %d, %t", off, typ, scalar, start, ok, want.scalar, want.start, held)
				}
				tried++
			}
		}
	}
	if tried < 500 {
		t.Errorf("%d bytes looked at", tried)
	}
}
