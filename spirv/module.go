// Package spirv reads and writes SPIR-V modules and tells what they mean.
//
// A Module is a module as its words: a header and a flat list of
// instructions. It comes from a binary (Decode) or from text (Assemble), and
// goes to a binary (Module.Encode) or to text (Disassemble); both directions
// agree with SPIRV-Tools' spirv-as and spirv-dis byte for byte. What the
// words of an instruction are is in tables generated from Khronos' grammar
// files, which Module.Operands follows. A Module has the right structure but
// may be nonsense.
//
// A Unit is a module resolved: types, constants, decorations, entry points,
// functions with their blocks and structured constructs, and debug
// information. Nothing here runs a kernel.
package spirv

import "fmt"

// ID is a SPIR-V result id; 0 is no id.
type ID uint32

// Version is a SPIR-V version word, 0x00MMmm00.
type Version uint32

// MakeVersion gives the version word of major.minor.
func MakeVersion(major, minor int) Version { return Version(major<<16 | minor<<8) }

func (v Version) String() string { return fmt.Sprintf("%d.%d", v>>16&0xff, v>>8&0xff) }

// Module is a SPIR-V module as its words: a header and the instructions in
// module order. Nothing is resolved; see Unit for types, constants, control
// flow and debug information.
type Module struct {
	Version   Version
	Generator uint32
	Bound     uint32
	Schema    uint32
	Insts     []Inst
	// Name is where the module came from, for messages ("reduce.spv").
	Name string

	context *operandContext // nil for a module built by hand
	text    *moduleText     // nil unless the module was assembled
}

// Inst is one instruction. Args are the operand words after the result type
// and the result id (those two are in Type and Result, 0 where the opcode has
// none). Args alias the module's words and must not be changed.
type Inst struct {
	Op     Opcode
	Type   ID
	Result ID
	Args   []uint32
	Offset int // word offset in the binary, 5 for the first instruction
}
