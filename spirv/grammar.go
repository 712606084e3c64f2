package spirv

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:generate go run ./internal/gen

// Opcode is the number of a core instruction (OpNop, OpFAdd, ...).
type Opcode uint16

// OperandKind says how an operand is written: an id, a literal, or one of
// the enumerations of the grammar.
type OperandKind uint8

type quantifier uint8

const (
	one quantifier = iota
	optional
	many
)

type operandInfo struct {
	kind  OperandKind
	quant quantifier
	name  string
}

type instructionInfo struct {
	name         string
	opcode       uint32
	class        string
	operands     []operandInfo
	capabilities []string
}

type enumerantInfo struct {
	name         string
	value        uint32
	params       []operandInfo
	capabilities []string
}

type category uint8

const (
	categoryBitEnum category = iota
	categoryValueEnum
	categoryId
	categoryLiteral
	categoryComposite
)

type kindInfo struct {
	name     string
	category category
	bases    []OperandKind // Composite: the kinds of its parts
	values   []enumerantInfo
}

type extInstSetInfo struct {
	name         string
	instructions []instructionInfo
}

// opcodeIndex maps an opcode to its place in coreInstructions, plus one.
var opcodeIndex = func() []uint16 {
	last := coreInstructions[len(coreInstructions)-1].opcode
	index := make([]uint16, last+1)
	for i := range coreInstructions {
		index[coreInstructions[i].opcode] = uint16(i + 1)
	}
	return index
}()

// info gives the grammar's entry for op, nil if the grammar has none.
func (op Opcode) info() *instructionInfo {
	if int(op) >= len(opcodeIndex) || opcodeIndex[op] == 0 {
		return nil
	}
	return &coreInstructions[opcodeIndex[op]-1]
}

// String gives the grammar's name ("OpFAdd"), or "Op(N)" for an unknown
// opcode.
func (op Opcode) String() string {
	if info := op.info(); info != nil {
		return info.name
	}
	return "Op(" + strconv.Itoa(int(op)) + ")"
}

// Class is the grammar's group of the instruction ("Memory", "Control-Flow"),
// empty for an unknown opcode.
func (op Opcode) Class() string {
	if info := op.info(); info != nil {
		return info.class
	}
	return ""
}

// Capabilities are the names of the capabilities any one of which allows the
// instruction; nil if it needs none. The result must not be changed.
func (op Opcode) Capabilities() []string {
	if info := op.info(); info != nil {
		return info.capabilities
	}
	return nil
}

// HasType reports whether the instruction has a result type.
func (op Opcode) HasType() bool {
	info := op.info()
	return info != nil && len(info.operands) > 0 && info.operands[0].kind == KindIdResultType
}

// HasResult reports whether the instruction has a result id.
func (op Opcode) HasResult() bool {
	info := op.info()
	return info != nil && info.hasResult()
}

func (info *instructionInfo) hasResult() bool {
	n := len(info.operands)
	return n > 0 && info.operands[0].kind == KindIdResult || n > 1 && info.operands[1].kind == KindIdResult
}

var opcodeByName = sync.OnceValue(func() map[string]Opcode {
	m := make(map[string]Opcode, len(coreInstructions)+len(opcodeAliases))
	for i := range coreInstructions {
		m[coreInstructions[i].name] = Opcode(coreInstructions[i].opcode)
	}
	maps.Copy(m, opcodeAliases)
	return m
})

// lookupOpcode finds an opcode by its name with the Op prefix ("OpFAdd");
// names that an extension gave to an instruction later made core count.
func lookupOpcode(name string) (Opcode, bool) {
	op, ok := opcodeByName()[name]
	return op, ok
}

// String gives the grammar's name of the kind ("IdRef", "StorageClass").
func (k OperandKind) String() string {
	if int(k) < len(operandKinds) {
		return operandKinds[k].name
	}
	return "OperandKind(" + strconv.Itoa(int(k)) + ")"
}

// IsID reports whether operands of the kind are ids.
func (k OperandKind) IsID() bool { return operandKinds[k].category == categoryId }

// isMask reports whether operands of the kind are sets of bits.
func (k OperandKind) isMask() bool { return operandKinds[k].category == categoryBitEnum }

// isEnum reports whether operands of the kind are one of a list of values.
func (k OperandKind) isEnum() bool { return operandKinds[k].category == categoryValueEnum }

// enumCapabilities are the names of the capabilities any one of which allows
// value v of an enumeration (for masks: one bit v); nil if it needs none.
func (k OperandKind) enumCapabilities(v uint32) []string {
	if e := k.lookup(v); e != nil {
		return e.capabilities
	}
	return nil
}

// lookup finds the first enumerant of value v, nil if there is none.
func (k OperandKind) lookup(v uint32) *enumerantInfo {
	values := operandKinds[k].values
	i, ok := slices.BinarySearchFunc(values, v, func(e enumerantInfo, v uint32) int { return cmp.Compare(e.value, v) })
	if !ok {
		return nil
	}
	return &values[i]
}

// lookupName finds an enumerant by name, nil if there is none.
func (k OperandKind) lookupName(name string) *enumerantInfo {
	for i := range operandKinds[k].values {
		if e := &operandKinds[k].values[i]; e.name == name {
			return e
		}
	}
	return nil
}

// format writes value v of an enumeration as the assembler reads it; values
// and bits the grammar has no name for are written as numbers.
func (k OperandKind) format(v uint32) string {
	if !k.isMask() || v == 0 {
		if e := k.lookup(v); e != nil {
			return e.name
		}
		return strconv.FormatUint(uint64(v), 10)
	}
	var names []string
	for rest := v; rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		if e := k.lookup(bit); e != nil {
			names = append(names, e.name)
		} else {
			names = append(names, fmt.Sprintf("%#x", bit))
		}
	}
	return strings.Join(names, "|")
}

// lookup finds an instruction of the set by number, nil if there is none.
func (s *extInstSetInfo) lookup(n uint32) *instructionInfo {
	i, ok := slices.BinarySearchFunc(s.instructions, n, func(in instructionInfo, n uint32) int { return cmp.Compare(in.opcode, n) })
	if !ok {
		return nil
	}
	return &s.instructions[i]
}

// lookupName finds an instruction of the set by name, nil if there is none.
func (s *extInstSetInfo) lookupName(name string) *instructionInfo {
	for i := range s.instructions {
		if in := &s.instructions[i]; in.name == name {
			return in
		}
	}
	return nil
}

// lookupExtInstSet finds an extended instruction set by its import name, nil
// if there is no table for it.
func lookupExtInstSet(name string) *extInstSetInfo {
	for i := range extInstSets {
		if extInstSets[i].name == name {
			return &extInstSets[i]
		}
	}
	return nil
}

// ExtInstName gives the name of instruction n of an extended instruction set
// ("GLSL.std.450", 43 is "FClamp"), or its number in decimal where the set or
// the number is unknown.
func ExtInstName(set string, n uint32) string {
	if s := lookupExtInstSet(set); s != nil {
		if in := s.lookup(n); in != nil {
			return in.name
		}
	}
	return strconv.FormatUint(uint64(n), 10)
}
