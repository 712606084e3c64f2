package spirv

import (
	"encoding/binary"
	"fmt"

	"ampdbg/diag"
)

const (
	magic       = 0x07230203
	headerWords = 5
)

// The versions that Decode reads.
const (
	minVersion Version = 1 << 16
	maxVersion Version = 1<<16 | 6<<8
)

// Decode reads a SPIR-V 1.0 to 1.6 binary of either byte order. It checks the
// structure: the header, the word count of every instruction, its operands
// against the grammar, and that every id lies in 1..bound-1. It does not
// check what the operands mean, that ids are defined, or the order of
// instructions.
//
// The error is a *diag.Error: BadInput for a broken module, Unsupported for
// what the tables do not know (another version, an unknown opcode or
// enumerant). name is where data came from, for messages.
func Decode(name string, data []byte) (*Module, error) {
	fail := func(class diag.ErrorClass, format string, args ...any) (*Module, error) {
		return nil, &diag.Error{Class: class, Pos: diag.Pos{File: name}, Msg: fmt.Sprintf(format, args...)}
	}
	if len(data)%4 != 0 {
		return fail(diag.BadInput, "SPIR-V binary of %d bytes, expected a multiple of 4", len(data))
	}
	if len(data) < 4*headerWords {
		return fail(diag.BadInput, "SPIR-V binary of %d bytes, expected a header of %d", len(data), 4*headerWords)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if m := order.Uint32(data); m != magic {
		order = binary.BigEndian
		if order.Uint32(data) != magic {
			return fail(diag.BadInput, "first word is %#08x, expected SPIR-V's %#08x in either byte order", m, magic)
		}
	}
	words := make([]uint32, len(data)/4)
	for i := range words {
		words[i] = order.Uint32(data[4*i:])
	}
	m, in, problem := decodeWords(name, words)
	if problem != nil {
		if in == nil {
			return fail(problem.class, "%s", problem.text(idNumber))
		}
		return nil, problem.at(&Module{Name: name}, in)
	}
	return m, nil
}

// decodeWords reads a module's words. Where they break the grammar, it gives
// the problem and the instruction, nil for the header.
func decodeWords(name string, words []uint32) (*Module, *Inst, *grammarProblem) {
	m := &Module{
		Version:   Version(words[1]),
		Generator: words[2],
		Bound:     words[3],
		Schema:    words[4],
		Name:      name,
	}
	if m.Version < minVersion || m.Version > maxVersion || m.Version&^0xffff00 != 0 {
		return nil, nil, unknownf("version word %#08x, expected SPIR-V %s to %s", words[1], minVersion, maxVersion)
	}
	n := 0
	for at := headerWords; at < len(words); n++ {
		count := int(words[at] >> 16)
		if count == 0 || count > len(words)-at {
			return nil, &Inst{Op: Opcode(words[at]), Offset: at},
				badf("word count %d, expected 1 to %d (the end of the module)", count, len(words)-at)
		}
		at += count
	}
	m.Insts = make([]Inst, n)
	at := headerWords
	for i := range m.Insts {
		in := &m.Insts[i]
		count := int(words[at] >> 16)
		*in = Inst{Op: Opcode(words[at]), Offset: at}
		if p := in.split(words[at+1:at+count:at+count], m.Bound); p != nil {
			return nil, in, p
		}
		at += count
	}
	m.context = newOperandContext(m.Insts)
	walker := operandWalker{context: m.context, checkIDs: true, bound: m.Bound}
	for i := range m.Insts {
		if p := walker.walk(&m.Insts[i]); p != nil {
			return nil, &m.Insts[i], p
		}
	}
	return m, nil, nil
}

// split takes the result type and the result id off an instruction's words
// and leaves the rest as its Args.
func (in *Inst) split(words []uint32, bound uint32) *grammarProblem {
	info := in.Op.info()
	if info == nil {
		return unknownf("unknown opcode %d", in.Op)
	}
	for _, o := range info.operands {
		var to *ID
		switch o.kind {
		case KindIdResultType:
			to = &in.Type
		case KindIdResult:
			to = &in.Result
		default:
			in.Args = words
			return nil
		}
		if len(words) == 0 {
			return badf("operand of kind %s is missing", o.kind)
		}
		if words[0] == 0 || words[0] >= bound {
			return badID(words[0], bound)
		}
		*to, words = ID(words[0]), words[1:]
	}
	in.Args = words
	return nil
}
