package emu_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// kernel is a compute shader in pieces, assembled with what every kernel
// needs: the usual types and constants, the built-ins %gid (vector), %g (its x),
// %local (local index, a pointer) and %tileid (a pointer), and storage buffers
// of runtime arrays.
type kernel struct {
	size    uint32   // threads per tile, 32 if 0
	caps    []string // capabilities besides Shader
	exts    []string
	modes   string   // execution modes
	notes   string   // annotations
	globals string   // types, constants, variables
	funcs   string   // functions besides main
	buffers []buffer // storage buffers %b0, %b1, ... of set 0
	vars    string   // interface variables besides the built-ins and those of globals
	body    string   // of main; its first block is open, and so is its last
	ended   bool     // body ends with its own OpReturn
	fvars   string   // Function variables of main

	module *spirv.Module // once assembled
}

// buffer is a runtime array of Elem, one of the standard types.
type buffer struct {
	elem string
	data []byte
}

// scalarTypes are the standard scalar types with their size in bytes.
var scalarTypes = map[string]int{
	"uint": 4, "int": 4, "float": 4,
	"u8": 1, "i8": 1, "u16": 2, "i16": 2, "u64": 8, "i64": 8, "f16": 2, "f64": 8,
}

func elemSize(elem string) int {
	if n, ok := scalarTypes[elem]; ok {
		return n
	}
	return int(elem[1]-'0') * scalarTypes[elem[2:]] // v2uint
}

var moduleVariable = regexp.MustCompile(`(%\w+) = OpVariable`)

func (k *kernel) text() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	caps := map[string]bool{}
	need := func(c string) {
		if !caps[c] {
			caps[c] = true
			p("OpCapability %s", c)
		}
	}
	need("Shader")
	for _, c := range k.caps {
		need(c)
	}
	all := k.globals + k.body + k.funcs + k.fvars
	for _, x := range k.buffers {
		all += " %" + x.elem + " "
	}
	uses := func(t string) bool {
		return strings.Contains(all, "%"+t) || strings.Contains(all, t+"\n") || strings.Contains(all, t+" ")
	}
	for _, t := range []struct{ name, cap string }{{"8", "Int8"}, {"16", "Int16"}, {"64", "Int64"}} {
		if uses("u"+t.name) || uses("i"+t.name) {
			need(t.cap)
		}
	}
	if uses("f16") {
		need("Float16")
	}
	if uses("f64") {
		need("Float64")
	}
	need("StorageBuffer8BitAccess")
	need("StorageBuffer16BitAccess")
	p(`OpExtension "SPV_KHR_8bit_storage"`)
	for _, e := range k.exts {
		p("OpExtension %q", e)
	}
	p(`%%glsl = OpExtInstImport "GLSL.std.450"`)
	model := "GLSL450"
	address := "Logical"
	if caps["PhysicalStorageBufferAddresses"] {
		address = "PhysicalStorageBuffer64"
	}
	if caps["VulkanMemoryModel"] {
		model = "Vulkan"
	}
	p("OpMemoryModel %s %s", address, model)
	vars := append(strings.Fields("%gidvar %local %tileid"), strings.Fields(k.vars)...)
	list := func(id string) {
		if !slices.Contains(vars, id) {
			vars = append(vars, id)
		}
	}
	for i := range k.buffers {
		list(fmt.Sprintf("%%b%d", i))
	}
	for _, m := range moduleVariable.FindAllStringSubmatch(k.globals, -1) {
		list(m[1])
	}
	p(`OpEntryPoint GLCompute %%main "main" %s`, strings.Join(vars, " "))
	size := k.size
	if size == 0 {
		size = 32
	}
	p("OpExecutionMode %%main LocalSize %d 1 1", size)
	p("%s", k.modes)
	p(`OpName %%main "main"`)
	p("OpDecorate %%gidvar BuiltIn GlobalInvocationId\nOpDecorate %%local BuiltIn LocalInvocationIndex\nOpDecorate %%tileid BuiltIn WorkgroupId")
	for i, x := range k.buffers {
		p("OpName %%b%d \"b%d\"\nOpMemberName %%block%d 0 \"data\"", i, i, i)
		p("OpDecorate %%b%d DescriptorSet 0\nOpDecorate %%b%d Binding %d", i, i, i)
		p("OpDecorate %%block%d Block\nOpMemberDecorate %%block%d 0 Offset 0\nOpDecorate %%array%d ArrayStride %d", i, i, i, elemSize(x.elem))
	}
	p("%s", k.notes)
	p("%%void = OpTypeVoid\n%%fn = OpTypeFunction %%void\n%%bool = OpTypeBool")
	p("%%uint = OpTypeInt 32 0\n%%int = OpTypeInt 32 1\n%%float = OpTypeFloat 32")
	for _, w := range []string{"8", "16", "64"} {
		if caps["Int"+w] {
			p("%%u%s = OpTypeInt %s 0\n%%i%s = OpTypeInt %s 1", w, w, w, w)
		}
	}
	for _, w := range []string{"16", "64"} {
		if caps["Float"+w] {
			p("%%f%s = OpTypeFloat %s", w, w)
		}
	}
	for _, t := range []string{"bool", "uint", "int", "float", "u8", "i8", "u16", "i16", "u64", "i64", "f16", "f64"} {
		for n := 2; n <= 4; n++ {
			v := fmt.Sprintf("v%d%s", n, t)
			if strings.Contains(all, "%"+v) || v == "v3uint" {
				p("%%%s = OpTypeVector %%%s %d", v, t, n)
			}
		}
	}
	for _, c := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 64, 100, 264} {
		p("%%uint_%d = OpConstant %%uint %d", c, c)
	}
	p("%%true = OpConstantTrue %%bool\n%%false = OpConstantFalse %%bool")
	p("%%in_v3uint = OpTypePointer Input %%v3uint\n%%in_uint = OpTypePointer Input %%uint")
	p("%%gidvar = OpVariable %%in_v3uint Input\n%%tileid = OpVariable %%in_v3uint Input\n%%local = OpVariable %%in_uint Input")
	elems := map[string]bool{}
	for i, x := range k.buffers {
		if !elems[x.elem] {
			elems[x.elem] = true
			p("%%sb_%s = OpTypePointer StorageBuffer %%%s", x.elem, x.elem)
		}
		p("%%array%d = OpTypeRuntimeArray %%%s\n%%block%d = OpTypeStruct %%array%d", i, x.elem, i, i)
		p("%%pblock%d = OpTypePointer StorageBuffer %%block%d\n%%b%d = OpVariable %%pblock%d StorageBuffer", i, i, i, i)
	}
	p("%s", k.globals)
	p("%%main = OpFunction %%void None %%fn\n%%entry = OpLabel\n%s", k.fvars)
	p("%%gid = OpLoad %%v3uint %%gidvar\n%%g = OpCompositeExtract %%uint %%gid 0")
	p("%s", k.body)
	if !k.ended {
		p("OpReturn")
	}
	p("OpFunctionEnd\n%s", k.funcs)
	return b.String()
}

// dispatch assembles the kernel and binds its buffers.
func (k *kernel) dispatch(tb testing.TB, groups ...uint32) *launch.Dispatch {
	tb.Helper()
	if k.module == nil {
		k.module = assemble(tb, k.text())
	}
	d := &launch.Dispatch{Module: k.module, Entry: "main", Groups: [3]uint32{1, 1, 1}, Pos: diag.Pos{File: "kernel.amber", Line: 1}}
	copy(d.Groups[:], groups)
	for i, x := range k.buffers {
		b := &launch.Buffer{Name: fmt.Sprintf("buffer%d", i), Data: x.data}
		d.Bindings = append(d.Bindings, launch.Binding{
			Binding: uint32(i), Elems: []launch.Descriptor{{Buffer: b, Range: int64(len(x.data))}},
		})
	}
	return d
}

func assemble(tb testing.TB, text string) *spirv.Module {
	tb.Helper()
	m, err := spirv.AssembleVersion("kernel.spvasm", text, spirv.MakeVersion(1, 5))
	if err != nil {
		tb.Fatalf("%v\n%s", err, numbered(text))
	}
	return m
}

// run runs the kernel, which must succeed without a finding.
func (k *kernel) run(tb testing.TB, opt emu.Options, groups ...uint32) {
	tb.Helper()
	r, err := emu.Run(context.Background(), k.dispatch(tb, groups...), opt)
	if err != nil {
		tb.Fatalf("%v\n%s", err, numbered(k.text()))
	}
	if len(r.Findings) > 0 {
		tb.Fatalf("finding: %s\n%s", r.Findings[0].Message, numbered(k.text()))
	}
}

func numbered(text string) string {
	var b strings.Builder
	for i, l := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%3d %s\n", i+1, l)
	}
	return b.String()
}

// words makes a buffer of n-byte little-endian elements.
func words(n int, vs ...uint64) []byte {
	b := make([]byte, n*len(vs))
	for i, v := range vs {
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], v)
		copy(b[i*n:(i+1)*n], w[:])
	}
	return b
}

// word reads element i of n bytes.
func word(b []byte, n, i int) uint64 {
	var w [8]byte
	copy(w[:], b[i*n:(i+1)*n])
	return binary.LittleEndian.Uint64(w[:])
}
