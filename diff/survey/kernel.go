package survey

import (
	"context"
	"fmt"
	"strings"

	"ampdbg/launch"
	"ampdbg/spirv"
)

const tile = 64

// kernel is the SPIR-V text of an operation: thread i takes its operands from
// x[i*args...] and leaves the result in r[i].
func (op *Operation) kernel() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("OpCapability Shader")
	widths := map[int]bool{op.Width: true, op.result(): true, op.from: true}
	if widths[16] {
		line("OpCapability Float16")
	}
	if widths[64] {
		line("OpCapability Float64")
	}
	line(`%%glsl = OpExtInstImport "GLSL.std.450"`)
	line("OpMemoryModel Logical GLSL450")
	line(`OpEntryPoint GLCompute %%main "main" %%gid`)
	line("OpExecutionMode %%main LocalSize %d 1 1", tile)
	line("OpDecorate %%gid BuiltIn GlobalInvocationId")
	line("OpDecorate %%run ArrayStride %d", op.stored()/8)
	line("OpDecorate %%block Block\nOpMemberDecorate %%block 0 Offset 0")
	line("OpDecorate %%x DescriptorSet 0\nOpDecorate %%x Binding 0\nOpDecorate %%x NonWritable")
	line("OpDecorate %%r DescriptorSet 0\nOpDecorate %%r Binding 1")
	line("OpDecorate %%value NoContraction")
	line("%%void = OpTypeVoid\n%%fn = OpTypeFunction %%void\n%%bool = OpTypeBool")
	line("%%uint = OpTypeInt 32 0\n%%int = OpTypeInt 32 1\n%%uint3 = OpTypeVector %%uint 3")
	line("%%f32 = OpTypeFloat 32")
	if widths[16] {
		line("%%f16 = OpTypeFloat 16")
	}
	if widths[64] {
		line("%%f64 = OpTypeFloat 64")
	}
	line("%%T = OpTypeVector %%f%d 4\n%%T2 = OpTypeVector %%f%d 2\n%%T3 = OpTypeVector %%f%d 3\n%%M2 = OpTypeMatrix %%T2 2", op.Width, op.Width, op.Width)
	line("%%in3 = OpTypePointer Input %%uint3\n%%gid = OpVariable %%in3 Input")
	line("%%run = OpTypeRuntimeArray %%f%d\n%%block = OpTypeStruct %%run\n%%pblock = OpTypePointer StorageBuffer %%block", op.stored())
	line("%%pf = OpTypePointer StorageBuffer %%f%d", op.stored())
	line("%%x = OpVariable %%pblock StorageBuffer\n%%r = OpVariable %%pblock StorageBuffer")
	for i := range max(op.args, 2) + 1 {
		line("%%c%d = OpConstant %%uint %d", i, i)
	}
	line("%%zero = OpConstant %%f%d 0\n%%one = OpConstant %%f%d 1", op.result(), op.result())
	line("%%main = OpFunction %%void None %%fn\n%%label = OpLabel")
	line("%%id3 = OpLoad %%uint3 %%gid\n%%i = OpCompositeExtract %%uint %%id3 0")
	line("%%base = OpIMul %%uint %%i %%c%d", op.args)
	from := op.Width
	if op.from != 0 {
		from = op.from
	}
	for k := range op.args {
		line("%%i%d = OpIAdd %%uint %%base %%c%d", k, k)
		line("%%p%d = OpAccessChain %%pf %%x %%c0 %%i%d", k, k)
		if from == op.stored() {
			line("%%a%d = OpLoad %%f%d %%p%d", k, from, k)
		} else {
			line("%%l%d = OpLoad %%f%d %%p%d\n%%a%d = OpFConvert %%f%d %%l%d", k, op.stored(), k, k, from, k)
		}
	}
	b.WriteString(strings.ReplaceAll(op.code, "%F", fmt.Sprintf("%%f%d", op.Width)) + "\n")
	line("%%pr = OpAccessChain %%pf %%r %%c0 %%i")
	if op.result() == op.stored() {
		line("OpStore %%pr %%value")
	} else {
		line("%%wide = OpFConvert %%f%d %%value\nOpStore %%pr %%wide", op.stored())
	}
	line("OpReturn\nOpFunctionEnd")
	return b.String()
}

// stored is the width of the floats in memory.
func (op *Operation) stored() int {
	if op.Width == 64 || op.from == 64 || op.result() == 64 {
		return 64
	}
	return 32
}

// result is the width of the result.
func (op *Operation) result() int {
	if op.to != 0 {
		return op.to
	}
	return op.Width
}

// run runs an operation's kernel on operands.
func run(ctx context.Context, ex launch.Executor, op *Operation, in []byte) ([]byte, error) {
	m, err := spirv.AssembleVersion(op.Name, op.kernel(), spirv.MakeVersion(1, 3))
	if err != nil {
		return nil, err
	}
	x := &launch.Buffer{Name: "x", Data: in}
	r := &launch.Buffer{Name: "r", Data: make([]byte, inputs*op.stored()/8)}
	bind := func(n uint32, b *launch.Buffer) launch.Binding {
		return launch.Binding{Binding: n, Kind: launch.StorageBuffer, Elems: []launch.Descriptor{{Buffer: b, Range: int64(len(b.Data))}}}
	}
	d := &launch.Dispatch{Module: m, Entry: "main", Groups: [3]uint32{inputs / tile, 1, 1}, Bindings: []launch.Binding{bind(0, x), bind(1, r)}}
	return r.Data, ex.Dispatch(ctx, d)
}
