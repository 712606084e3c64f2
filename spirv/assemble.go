package spirv

import (
	"math"
	"sort"
	"strings"
)

// assemblerGenerator is the generator word of SPIRV-Tools' assembler, whose
// output Assemble reproduces.
const assemblerGenerator = 7 << 16

// maxInstWords is the most words that an instruction may have.
const maxInstWords = math.MaxUint16

// Assemble reads a module in SPIRV-Tools' assembly language, all that
// spirv-as accepts, with the binary that spirv-as gives: ids are numbered in
// order of first appearance, whatever their names. The SPIR-V version is that
// of a "; Version: 1.3" comment before the first instruction, else 1.0.
//
// The module remembers what the text calls its ids and where instructions
// stand in it (IDName, TextPos). The result satisfies what Decode checks. The error is a *diag.Error with
// the place in the text and what was expected there. name is where the text
// came from.
func Assemble(name, text string) (*Module, error) {
	return AssembleVersion(name, text, 0)
}

// AssembleVersion is Assemble for version v, whatever the comments say; v 0
// leaves the choice to them.
func AssembleVersion(name, text string, v Version) (*Module, error) {
	a, err := assemble(name, text, v)
	if err != nil {
		return nil, err
	}
	m, in, problem := decodeWords(name, a.words)
	if problem != nil {
		e := a.errorf(a.tokenOf(in), "%s", problem.text(a.idName))
		e.Class = problem.class
		return nil, e
	}
	a.keepText(m)
	return m, nil
}

// assembleWords gives the words that spirv-as gives, with nothing checked
// beyond the text: words written as !<integer> may break the module.
func assembleWords(name, text string, v Version) ([]uint32, error) {
	a, err := assemble(name, text, v)
	if err != nil {
		return nil, err
	}
	return a.words, nil
}

// kindAny is an operand after a !<integer>: a number of 32 bits, a string or
// an id, as often as they come.
const kindAny OperandKind = 255

// assembler turns words of text into words of a module.
type assembler struct {
	*asmText
	next  int // the next token
	words []uint32
	insts []asmInst

	ids      map[string]ID
	sets     map[ID]importedSet
	numbers  map[ID]NumberType // scalar number types
	declared map[ID]bool       // types
	typeOf   map[ID]ID         // types of values

	op       Opcode
	opName   string        // as written
	start    int           // its first word in words
	expected []operandInfo // what follows, the next last
}

// asmInst tells which token an instruction starts at.
type asmInst struct{ offset, token int }

func assemble(name, text string, v Version) (*assembler, error) {
	a := &assembler{
		asmText:  lex(name, text),
		ids:      map[string]ID{},
		sets:     map[ID]importedSet{},
		numbers:  map[ID]NumberType{},
		declared: map[ID]bool{},
		typeOf:   map[ID]ID{},
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		a.tokens = []token{{i, i + 1}}
		return nil, a.errorf(0, "expected assembly text, found a zero byte")
	}
	if v == 0 {
		v = a.headerVersion()
	}
	if v == 0 {
		v = minVersion
	}
	a.words = []uint32{magic, uint32(v), assemblerGenerator, 0, 0}
	for a.next < len(a.tokens) {
		a.insts = append(a.insts, asmInst{len(a.words), a.next})
		if err := a.instruction(); err != nil {
			return nil, err
		}
	}
	a.words[3] = uint32(len(a.ids)) + 1
	return a, nil
}

// idName is what the text calls an id.
func (a *assembler) idName(id ID) string {
	for name, n := range a.ids {
		if n == id {
			return "%" + name
		}
	}
	return idNumber(id)
}

// tokenOf finds the token where the instruction starts.
func (a *assembler) tokenOf(in *Inst) int {
	if in == nil {
		return 0
	}
	i := sort.Search(len(a.insts), func(i int) bool { return a.insts[i].offset > in.Offset })
	if i == 0 {
		return 0
	}
	return a.insts[i-1].token
}

// instruction reads "OpX operands", "%id = OpX operands", or words that start
// with a !<integer>.
func (a *assembler) instruction() error {
	a.start, a.expected = len(a.words), a.expected[:0]
	if a.word(a.next)[0] == '!' {
		a.op, a.opName = OpNop, a.word(a.next)
		if err := a.immediate(); err != nil {
			return err
		}
		return a.operands(-1)
	}
	result := -1
	if w := a.word(a.next); w[0] == '%' {
		result = a.next
		if a.word(a.next+1) != "=" {
			return a.errorf(a.next+1, "expected '=' after the result id %s, %s", w, a.found(a.next+1))
		}
		a.next += 2
		if !isOpcodeWord(a.word(a.next)) {
			return a.errorf(a.next, "expected an opcode after '%s =', %s", w, a.found(a.next))
		}
	} else if !isOpcodeWord(w) {
		return a.errorf(a.next, "expected an instruction (an opcode, or a result id and '='), %s", a.found(a.next))
	}
	at := a.next
	a.opName = a.word(at)
	op, ok := lookupOpcode(a.opName)
	if !ok {
		return a.errorf(at, "unknown opcode %s", a.opName)
	}
	info := op.info()
	if info.hasResult() && result < 0 {
		return a.errorf(at, "expected a result id ('%%id = ') before %s", a.opName)
	}
	if !info.hasResult() && result >= 0 {
		return a.errorf(result, "%s has no result id, found %s", a.opName, a.word(result))
	}
	a.op = op
	a.words = append(a.words, 0)
	a.push(info.operands)
	a.next++
	if err := a.operands(result); err != nil {
		return err
	}
	count := len(a.words) - a.start
	if count > maxInstWords {
		return a.errorf(at, "%s has %d words, expected at most %d", a.opName, count, maxInstWords)
	}
	a.words[a.start] = uint32(count)<<16 | uint32(op)
	return a.record(at)
}

// push makes ops the operands to come next.
func (a *assembler) push(ops []operandInfo) {
	for i := len(ops) - 1; i >= 0; i-- {
		a.expected = append(a.expected, ops[i])
	}
}

// operands reads operands until nothing more is expected. result is the token
// of the result id, read already, or -1.
func (a *assembler) operands(result int) error {
	for len(a.expected) > 0 {
		o := a.expected[len(a.expected)-1]
		a.expected = a.expected[:len(a.expected)-1]
		if o.kind == KindIdResult && result >= 0 {
			id, err := a.id(result)
			if err != nil {
				return err
			}
			a.words = append(a.words, id)
			continue
		}
		if a.next >= len(a.tokens) || a.startsInst(a.next) {
			if o.quant != one {
				return nil
			}
			return a.errorf(a.next, "%s: expected %s, %s", a.opName, describe(o), a.found(a.next))
		}
		if o.quant == many {
			a.expected = append(a.expected, o)
		}
		if a.word(a.next)[0] == '!' {
			if err := a.immediate(); err != nil {
				return err
			}
			continue
		}
		if bases := a.bases(o.kind); bases != nil {
			for i := len(bases) - 1; i > 0; i-- {
				a.expected = append(a.expected, operandInfo{kind: bases[i], name: o.name})
			}
			o.kind = bases[0]
		}
		if err := a.operand(o); err != nil {
			return err
		}
		a.next++
	}
	return nil
}

// bases gives the parts of a composite kind, nil for any other kind.
func (a *assembler) bases(kind OperandKind) []OperandKind {
	switch {
	case kind == kindAny:
		return nil
	case kind == KindPairLiteralIntegerIdRef && a.op == OpSwitch:
		return []OperandKind{KindLiteralContextDependentNumber, KindIdRef}
	}
	return operandKinds[kind].bases
}

// describe says what an operand is, for messages.
func describe(o operandInfo) string {
	var s string
	switch o.kind {
	case kindAny:
		s = "a number, a string or an id"
	case KindLiteralInteger:
		s = "an integer"
	case KindLiteralString:
		s = "a string"
	case KindLiteralContextDependentNumber:
		s = "a number"
	case KindLiteralExtInstInteger:
		s = "the name of an extended instruction"
	case KindLiteralSpecConstantOpInteger:
		s = "the name of an instruction without Op"
	default:
		switch operandKinds[o.kind].category {
		case categoryId:
			s = "an id"
		case categoryComposite:
			return describe(operandInfo{kind: operandKinds[o.kind].bases[0], name: o.name})
		case categoryBitEnum:
			s = "names of " + o.kind.String() + " joined by |"
		default:
			s = "a name of " + o.kind.String()
		}
	}
	if o.name != "" && !strings.HasSuffix(s, o.name) {
		s += " (" + o.name + ")"
	}
	return s
}

// immediate reads !<integer>, which stands for one word; numbers, strings and
// ids may follow it, and the result id where that is still to come.
func (a *assembler) immediate() error {
	v, err := parseInteger(a.word(a.next)[1:], NumberType{Width: 32})
	if err != nil {
		return a.errorf(a.next, "after '!': %v", err)
	}
	a.words = append(a.words, uint32(v))
	a.next++
	rest := []operandInfo{{kind: kindAny, quant: many}}
	for _, o := range a.expected {
		if o.kind == KindIdResult {
			rest = []operandInfo{{kind: kindAny, quant: many}, o}
		}
	}
	a.expected = append(a.expected[:0], rest...)
	return nil
}

// operand reads the next token as an operand of a kind that is no composite.
func (a *assembler) operand(o operandInfo) error {
	w := a.word(a.next)
	expected := func() error {
		return a.errorf(a.next, "%s: expected %s, %s", a.opName, describe(o), a.found(a.next))
	}
	switch o.kind {
	case kindAny:
		return a.anything(o)
	case KindLiteralInteger:
		return a.number(NumberType{Width: 32})
	case KindLiteralContextDependentNumber:
		t, err := a.numberType()
		if err != nil {
			return err
		}
		return a.number(t)
	case KindLiteralString:
		s, ok := unquote(w)
		if !ok {
			return expected()
		}
		if a.op == OpExtInstImport {
			a.sets[ID(a.words[a.start+1])] = importedSet{s, lookupExtInstSet(s)}
		}
		a.words = appendString(a.words, s)
		return nil
	case KindLiteralExtInstInteger:
		return a.extended()
	case KindLiteralSpecConstantOpInteger:
		op, ok := lookupOpcode("Op" + w)
		if !ok || !specConstantOps[op] {
			return expected()
		}
		a.words = append(a.words, uint32(op))
		a.push(op.info().operands[2:])
		return nil
	}
	switch operandKinds[o.kind].category {
	case categoryId:
		if w[0] != '%' {
			return expected()
		}
		id, err := a.id(a.next)
		a.words = append(a.words, id)
		return err
	case categoryBitEnum:
		var value uint32
		var bits [32]*enumerantInfo
		for name := range strings.SplitSeq(w, "|") {
			e := o.kind.lookupName(name)
			if e == nil {
				return a.errorf(a.next, "%s: expected %s, found %q", a.opName, describe(o), name)
			}
			value |= e.value
		}
		n := 0
		for rest := value; rest != 0; rest &= rest - 1 {
			bits[n] = o.kind.lookup(rest & -rest)
			n++
		}
		for n--; n >= 0; n-- {
			a.push(bits[n].params)
		}
		a.words = append(a.words, value)
		return nil
	}
	e := o.kind.lookupName(w)
	if e == nil {
		return expected()
	}
	a.words = append(a.words, e.value)
	a.push(e.params)
	return nil
}

// id reads token i as an id and gives its number.
func (a *assembler) id(i int) (uint32, error) {
	w := a.word(i)
	name := w[1:]
	for _, c := range []byte(name) {
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return 0, a.errorf(i, "expected an id of letters, digits and _, found %q", w)
		}
	}
	if name == "" {
		return 0, a.errorf(i, "expected a name after %%")
	}
	id, ok := a.ids[name]
	if !ok {
		id = ID(len(a.ids) + 1)
		a.ids[name] = id
	}
	return uint32(id), nil
}

// unquote takes the quotes and backslashes off a string.
func unquote(w string) (string, bool) {
	if len(w) < 2 || w[0] != '"' || w[len(w)-1] != '"' {
		return "", false
	}
	w = w[1 : len(w)-1]
	if !strings.Contains(w, `\`) {
		return w, true
	}
	var b strings.Builder
	escaped := false
	for _, c := range []byte(w) {
		if escaped = c == '\\' && !escaped; !escaped {
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// number reads the next token as a number of type t.
func (a *assembler) number(t NumberType) error {
	words, err := parseNumber(a.word(a.next), t)
	if err != nil {
		return a.errorf(a.next, "%s: %v", a.opName, err)
	}
	a.words = append(a.words, words...)
	return nil
}

// numberType gives the type of a literal in OpConstant, OpSpecConstant (the
// result type) or OpSwitch (the selector's).
func (a *assembler) numberType() (NumberType, error) {
	if a.op == OpSwitch {
		selector := ID(a.words[a.start+1])
		t := a.numbers[a.typeOf[selector]]
		if t.Width == 0 || t.Float {
			return t, a.errorf(a.next, "OpSwitch: expected a selector of integer type, defined before")
		}
		return t, nil
	}
	t := a.numbers[ID(a.words[a.start+1])]
	if t.Width == 0 {
		return t, a.errorf(a.next, "%s: expected a type that is an integer or floating-point scalar, defined before", a.opName)
	}
	return t, nil
}

// anything reads an operand after a !<integer>: with a point it is a float,
// with a minus a signed integer.
func (a *assembler) anything(o operandInfo) error {
	w := a.word(a.next)
	switch {
	case w[0] == '%':
		id, err := a.id(a.next)
		a.words = append(a.words, id)
		return err
	case w[0] == '"':
		s, ok := unquote(w)
		if !ok {
			return a.errorf(a.next, "expected a closing quote, %s", a.found(a.next))
		}
		a.words = appendString(a.words, s)
		return nil
	case w == "=":
		return a.errorf(a.next, "%s: expected %s, found '=' (a !<integer> cannot take the place of a result id)", a.opName, describe(o))
	}
	words, err := parseNumber(w, NumberType{Width: 32, Float: strings.Contains(w, "."), Signed: w[0] == '-'})
	if err != nil {
		return a.errorf(a.next, "%s: expected %s: %v", a.opName, describe(o), err)
	}
	a.words = append(a.words, words...)
	return nil
}

// extended reads the name of an extended instruction, or its number in a
// non-semantic set and in one that has no table.
func (a *assembler) extended() error {
	w := a.word(a.next)
	set, ok := a.sets[ID(a.words[a.start+3])]
	if !ok {
		return a.errorf(a.next-1, "OpExtInst: expected the result of an OpExtInstImport, defined before, %s", a.found(a.next-1))
	}
	a.expected = a.expected[:0]
	if set.info != nil {
		if info := set.info.lookupName(w); info != nil {
			a.words = append(a.words, info.opcode)
			a.push(info.operands)
			return nil
		}
	}
	n, err := parseInteger(w, NumberType{Width: 32})
	switch {
	case set.info != nil && (err != nil || !set.nonSemantic()):
		return a.errorf(a.next, "OpExtInst: expected the name of an instruction of %s, %s", set.name, a.found(a.next))
	case err != nil:
		return a.errorf(a.next, "OpExtInst: expected the number of an instruction of %s, which has no table of names: %v", set.name, err)
	}
	a.words = append(a.words, uint32(n))
	kind := kindAny
	if set.nonSemantic() {
		kind = KindIdRef
	}
	a.push([]operandInfo{{kind: kind, quant: many}})
	return nil
}

// record keeps what later instructions need to know of the one at token at:
// number types, and the types of values.
func (a *assembler) record(at int) error {
	words := a.words[a.start:]
	switch {
	case strings.HasPrefix(a.opName, "OpType") && len(words) > 1 && a.op.HasResult():
		id := ID(words[1])
		if a.declared[id] {
			return a.errorf(at, "%s: its result id is declared as a type already", a.opName)
		}
		a.declared[id] = true
		switch {
		case a.op == OpTypeInt && len(words) == 4:
			a.numbers[id] = NumberType{Width: clampWidth(words[2]), Signed: words[3] != 0}
		case a.op == OpTypeFloat && len(words) == 3:
			a.numbers[id] = NumberType{Width: clampWidth(words[2]), Float: true}
		}
	case a.op.HasType() && len(words) > 2:
		id := ID(words[2])
		if _, ok := a.typeOf[id]; !ok {
			a.typeOf[id] = ID(words[1])
		}
	}
	return nil
}
