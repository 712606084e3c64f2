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
