package spirv

import (
	"fmt"
	"strings"

	"ampdbg/diag"
)

// Operand is one operand of an instruction, as the grammar sees it.
type Operand struct {
	Kind OperandKind // never a composite kind: pairs are two operands
	Name string      // the grammar's name for it ("Pointer"), may be empty
	At   int         // index into Inst.Args of the first word
	// Words is one word, except for a LiteralString and for a
	// LiteralContextDependentNumber of more than 32 bits (low word first).
	Words []uint32
	// Number is the type of a LiteralContextDependentNumber.
	Number NumberType
}

// NumberType is the type that gives a context-dependent literal its meaning.
type NumberType struct {
	Width  int // bits; 0 for no number
	Float  bool
	Signed bool
}

func (t NumberType) words() int { return (t.Width + 31) / 32 }

// Operands lists the operands of an instruction of m after its result type
// and result id: parameters of enumerants and bits, the pairs of OpSwitch and
// OpPhi, the operands of an extended instruction and of the instruction in an
// OpSpecConstantOp each stand for themselves. The words alias in.Args. The
// error, a *diag.Error, tells how the operands break the grammar; a module
// from Decode or Assemble has none such. Instructions that were changed or
// added after that are read in the context of the original ones.
func (m *Module) Operands(in *Inst) ([]Operand, error) {
	var ops []Operand
	w := operandWalker{context: m.operandContext(), visit: func(o Operand) { ops = append(ops, o) }}
	if problem := w.walk(in); problem != nil {
		return nil, problem.at(m, in)
	}
	return ops, nil
}

// grammarProblem is how an instruction breaks the grammar.
type grammarProblem struct {
	class diag.ErrorClass
	msg   string
	id    ID // stands for the %s that msg then has
}

// text is the problem in words, with ids by name.
func (p *grammarProblem) text(names func(ID) string) string {
	if p.id != 0 {
		return strings.Replace(p.msg, "%s", names(p.id), 1)
	}
	return p.msg
}

func badf(format string, args ...any) *grammarProblem {
	return &grammarProblem{class: diag.BadInput, msg: fmt.Sprintf(format, args...)}
}

func unknownf(format string, args ...any) *grammarProblem {
	return &grammarProblem{class: diag.Unsupported, msg: fmt.Sprintf(format, args...)}
}

func badID(id, bound uint32) *grammarProblem {
	if id == 0 {
		return badf("id 0, expected an id of 1 or more")
	}
	return badf("id %d, expected an id below the bound %d", id, bound)
}

// badRef is the problem that id is not what it should be; msg has a %s for it.
func badRef(id uint32, msg string) *grammarProblem {
	return &grammarProblem{class: diag.BadInput, msg: msg, id: ID(id)}
}

// at is the error that instruction in of m has the problem.
func (p *grammarProblem) at(m *Module, in *Inst) *diag.Error {
	pos, what := diag.Pos{File: m.Name}, wordsOf(m, in)
	for i := range m.Insts {
		if &m.Insts[i] == in {
			pos, what = m.locate(i)
		}
	}
	return &diag.Error{Class: p.class, Pos: pos, Msg: what + ": " + p.text(m.IDName)}
}

// importedSet is what an OpExtInstImport imports.
type importedSet struct {
	name string
	info *extInstSetInfo // nil if there is no table for it
}

// nonSemantic reports whether the set's instructions may be ignored, and have
// only ids for operands (SPV_KHR_non_semantic_info).
func (s importedSet) nonSemantic() bool { return strings.HasPrefix(s.name, "NonSemantic.") }

// operandContext is what reading operands needs to know of other
// instructions.
type operandContext struct {
	sets      map[ID]importedSet
	numbers   map[ID]NumberType // the scalar number types
	selectors map[ID]NumberType // the values that an OpSwitch branches on
}

func newOperandContext(insts []Inst) *operandContext {
	c := &operandContext{sets: map[ID]importedSet{}, numbers: map[ID]NumberType{}, selectors: map[ID]NumberType{}}
	for i := range insts {
		switch in := &insts[i]; in.Op {
		case OpExtInstImport:
			name, _, _ := String(in.Args)
			c.sets[in.Result] = importedSet{name, lookupExtInstSet(name)}
		case OpTypeInt:
			if len(in.Args) == 2 {
				c.numbers[in.Result] = NumberType{Width: clampWidth(in.Args[0]), Signed: in.Args[1] != 0}
			}
		case OpTypeFloat:
			if len(in.Args) >= 1 {
				c.numbers[in.Result] = NumberType{Width: clampWidth(in.Args[0]), Float: true}
			}
		case OpSwitch:
			if len(in.Args) > 0 {
				c.selectors[ID(in.Args[0])] = NumberType{}
			}
		}
	}
	if len(c.selectors) > 0 {
		for i := range insts {
			in := &insts[i]
			if _, ok := c.selectors[in.Result]; ok {
				c.selectors[in.Result] = c.numbers[in.Type]
			}
		}
	}
	return c
}

func (m *Module) operandContext() *operandContext {
	if m.context != nil {
		return m.context
	}
	return newOperandContext(m.Insts)
}

// maxNumberWidth is the widest literal number, in bits.
const maxNumberWidth = 64

// clampWidth gives a bit width as an int; those beyond the widest number are
// all alike.
func clampWidth(w uint32) int { return int(min(w, maxNumberWidth+1)) }

// operandWalker matches an instruction's operands against the grammar.
type operandWalker struct {
	context  *operandContext
	checkIDs bool // ids must not be 0, and lie below bound
	bound    uint32
	visit    func(Operand) // may be nil

	in *Inst
	at int // index into in.Args of the next word
}

// walk visits the operands of in.
func (w *operandWalker) walk(in *Inst) *grammarProblem {
	info := in.Op.info()
	if info == nil {
		return unknownf("unknown opcode %d", in.Op)
	}
	w.in, w.at = in, 0
	ops := info.operands
	for len(ops) > 0 && (ops[0].kind == KindIdResultType || ops[0].kind == KindIdResult) {
		ops = ops[1:]
	}
	if p := w.sequence(ops); p != nil {
		return p
	}
	if w.at < len(in.Args) {
		return badf("%d operand words too many", len(in.Args)-w.at)
	}
	return nil
}

func (w *operandWalker) sequence(ops []operandInfo) *grammarProblem {
	for i := range ops {
		o := &ops[i]
		for first := true; first || o.quant == many; first = false {
			if o.quant != one && w.at == len(w.in.Args) {
				break
			}
			if p := w.operand(o.kind, o.name); p != nil {
				return p
			}
		}
	}
	return nil
}

func (w *operandWalker) operand(kind OperandKind, name string) *grammarProblem {
	rest := w.in.Args[w.at:]
	if len(rest) == 0 {
		if name != "" {
			return badf("operand %q (%s) is missing", name, kind)
		}
		return badf("operand of kind %s is missing", kind)
	}
	word := rest[0]
	info := &operandKinds[kind]
	switch info.category {
	case categoryId:
		if w.checkIDs && (word == 0 || word >= w.bound) {
			return badID(word, w.bound)
		}
		w.emit(Operand{Kind: kind, Name: name, Words: rest[:1]})
		return nil
	case categoryValueEnum:
		e := kind.lookup(word)
		if e == nil {
			return unknownf("unknown %s %d", kind, word)
		}
		w.emit(Operand{Kind: kind, Name: name, Words: rest[:1]})
		return w.sequence(e.params)
	case categoryBitEnum:
		w.emit(Operand{Kind: kind, Name: name, Words: rest[:1]})
		for bits := word; bits != 0; bits &= bits - 1 {
			e := kind.lookup(bits & -bits)
			if e == nil {
				return unknownf("unknown bit %#x of %s", bits&-bits, kind)
			}
			if p := w.sequence(e.params); p != nil {
				return p
			}
		}
		return nil
	case categoryComposite:
		for _, base := range info.bases {
			if base == KindLiteralInteger && w.in.Op == OpSwitch {
				base = KindLiteralContextDependentNumber
			}
			if p := w.operand(base, name); p != nil {
				return p
			}
		}
		return nil
	}
	switch kind {
	case KindLiteralString:
		n, ok := stringLen(rest)
		if !ok {
			return badf("string %s has no terminating zero byte", name)
		}
		w.emit(Operand{Kind: kind, Name: name, Words: rest[:n]})
		return nil
	case KindLiteralContextDependentNumber:
		return w.number(name)
	case KindLiteralExtInstInteger:
		w.emit(Operand{Kind: kind, Name: name, Words: rest[:1]})
		return w.extended(word)
	case KindLiteralSpecConstantOpInteger:
		op := Opcode(word)
		if word > 0xffff || !specConstantOps[op] {
			return badf("opcode %d is not one that a specialization constant may use", word)
		}
		w.emit(Operand{Kind: kind, Name: name, Words: rest[:1]})
		return w.sequence(op.info().operands[2:])
	}
	w.emit(Operand{Kind: kind, Name: name, Words: rest[:1]})
	return nil
}

// emit passes o, which starts at w.at, to the visitor and steps over it.
func (w *operandWalker) emit(o Operand) {
	if w.visit != nil {
		o.At = w.at
		w.visit(o)
	}
	w.at += len(o.Words)
}

// number reads a literal whose type is that of the constant, or of the
// selector of an OpSwitch.
func (w *operandWalker) number(name string) *grammarProblem {
	t := w.context.numbers[w.in.Type]
	if w.in.Op == OpSwitch {
		t = w.context.selectors[ID(w.in.Args[0])]
		if t.Width == 0 || t.Float {
			return badRef(w.in.Args[0], "selector %s is not a value of integer type")
		}
	} else if t.Width == 0 {
		return badRef(uint32(w.in.Type), "type %s is not a scalar number type")
	}
	if _, ok := layoutOf(t.Width); t.Float && !ok {
		return unknownf("literal of a floating-point type that has not 16, 32 or 64 bits")
	}
	if t.Width > maxNumberWidth {
		return unknownf("literal of more than %d bits", maxNumberWidth)
	}
	n := t.words()
	if len(w.in.Args)-w.at < n {
		return badf("literal of %d bits needs %d words, found %d", t.Width, n, len(w.in.Args)-w.at)
	}
	w.emit(Operand{Kind: KindLiteralContextDependentNumber, Name: name, Words: w.in.Args[w.at : w.at+n], Number: t})
	return nil
}

// extended reads the operands of instruction n of the set that the OpExtInst
// names. Those of unknown instructions of a non-semantic set are ids; nothing
// is known of those of other unknown sets.
func (w *operandWalker) extended(n uint32) *grammarProblem {
	set, ok := w.context.sets[ID(w.in.Args[0])]
	if !ok {
		return badRef(w.in.Args[0], "set %s is not the result of an OpExtInstImport")
	}
	if set.info != nil {
		if info := set.info.lookup(n); info != nil {
			if p := w.sequence(info.operands); p != nil {
				p.msg = info.name + ": " + p.msg
				return p
			}
			if w.at < len(w.in.Args) {
				return badf("%s: %d operand words too many", info.name, len(w.in.Args)-w.at)
			}
			return nil
		}
		if !set.nonSemantic() {
			return unknownf("unknown instruction %d of %s", n, set.name)
		}
	}
	kind := KindLiteralInteger
	if set.nonSemantic() {
		kind = KindIdRef
	}
	for w.at < len(w.in.Args) {
		if p := w.operand(kind, ""); p != nil {
			return p
		}
	}
	return nil
}

// specConstantOps are the instructions that OpSpecConstantOp may hold
// (SPIR-V 3.42.7, "Constant-Creation Instructions").
var specConstantOps = func() map[Opcode]bool {
	m := map[Opcode]bool{}
	for _, op := range []Opcode{
		OpSConvert, OpFConvert, OpConvertFToS, OpConvertSToF, OpConvertFToU, OpConvertUToF, OpUConvert,
		OpConvertPtrToU, OpConvertUToPtr, OpGenericCastToPtr, OpPtrCastToGeneric, OpBitcast, OpQuantizeToF16,
		OpSNegate, OpNot, OpIAdd, OpISub, OpIMul, OpUDiv, OpSDiv, OpUMod, OpSRem, OpSMod,
		OpShiftRightLogical, OpShiftRightArithmetic, OpShiftLeftLogical, OpBitwiseOr, OpBitwiseXor, OpBitwiseAnd,
		OpFNegate, OpFAdd, OpFSub, OpFMul, OpFDiv, OpFRem, OpFMod,
		OpLogicalOr, OpLogicalAnd, OpLogicalNot, OpLogicalEqual, OpLogicalNotEqual, OpSelect,
		OpIEqual, OpINotEqual, OpULessThan, OpSLessThan, OpUGreaterThan, OpSGreaterThan,
		OpULessThanEqual, OpSLessThanEqual, OpUGreaterThanEqual, OpSGreaterThanEqual,
		OpVectorShuffle, OpCompositeExtract, OpCompositeInsert,
		OpAccessChain, OpInBoundsAccessChain, OpPtrAccessChain, OpInBoundsPtrAccessChain,
		OpCooperativeMatrixLengthNV,
	} {
		m[op] = true
	}
	return m
}()
