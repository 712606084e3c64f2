package spirv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ampdbg/diag"
	"github.com/google/go-cmp/cmp"
)

func TestAssembleWritesWords(t *testing.T) {
	const voidType = 2<<16 | uint32(OpTypeVoid)
	for _, c := range []struct {
		name, text string
		want       []uint32
	}{
		{"ids by first appearance", "%z = OpTypeVoid %5 = OpTypeFunction %z %5", []uint32{voidType, 1, 4<<16 | 33, 2, 1, 2}},
		{"type before result", "%r = OpUndef %t", []uint32{3<<16 | 1, 1, 2}},
		{"immediate operand", `%i = OpTypeInt !32 0 OpName !7 "ab"`, []uint32{4<<16 | 21, 1, 32, 0, 3<<16 | 5, 7, 0x6261}},
		{"immediate for a type", "%i = OpUndef !9", []uint32{3<<16 | 1, 9, 1}},
		{"immediate opcode", `!0x60005 %a "abc" 1.5 -2 %a OpNop`, []uint32{6<<16 | 5, 1, 0x636261, 0x3fc00000, 0xfffffffe, 1, 1 << 16}},
		{"anything after an immediate", `OpName !1 %a "x" 3`, []uint32{5<<16 | 5, 1, 1, 'x', 3}},
		{"string padding", `OpName %a "abcd"`, []uint32{4<<16 | 5, 1, 0x64636261, 0}},
		{"escapes", `OpName %a "\a\"\\"`, []uint32{3<<16 | 5, 1, 'a' | '"'<<8 | '\\'<<16}},
		{"comment", "OpNop ; OpNop\n;\nOpNop;OpNop", []uint32{1 << 16, 1 << 16}},
		{"bits in any order", "OpStore %p %v Volatile|Aligned 8", []uint32{5<<16 | 62, 1, 2, 3, 8}},
		{"empty", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			words, err := assembleWords("t", c.text, 0)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, words[headerWords:], cmp.Transformer("nil", func(w []uint32) string { return string(encodeWords(w, binary.BigEndian)) })); d != "" {
				t.Errorf("got %x, expected %x", words[headerWords:], c.want)
			}
			if c.text == "" {
				return
			}
			if want, ok := spirvAs(t, c.text, minVersion); !ok || !bytes.Equal(want, encodeWords(words, binary.LittleEndian)) {
				t.Errorf("spirv-as gives %x", want)
			}
		})
	}
}

func TestAssembleVersion(t *testing.T) {
	for _, c := range []struct {
		text string
		v    Version
		want Version
	}{
		{"OpNop", 0, MakeVersion(1, 0)},
		{"; SPIR-V\n; Version: 1.3\nOpNop", 0, MakeVersion(1, 3)},
		{"; SPIR-V\n; Version: 1.3\nOpNop", MakeVersion(1, 5), MakeVersion(1, 5)},
		{"OpNop\n; Version: 1.3", 0, MakeVersion(1, 0)},
		{"; Version: 7.3\nOpNop", 0, MakeVersion(1, 0)},
	} {
		m, err := AssembleVersion("t", c.text, c.v)
		if err != nil {
			t.Fatal(err)
		}
		if m.Version != c.want {
			t.Errorf("%q for %v: version %s, expected %s", c.text, c.v, m.Version, c.want)
		}
	}
}

// Every text is wrong at the token before which it has a ^.
func TestAssembleErrorsSayWhatWasExpectedWhere(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"OpNop\n  ^foo", `expected an instruction (an opcode, or a result id and '='), found "foo"`},
		{"%a ^OpTypeVoid", "expected '=' after the result id %a, found the next instruction (OpTypeVoid)"},
		{"%a = ^TypeVoid", `expected an opcode after '%a =', found "TypeVoid"`},
		{"%a =^", "expected an opcode after '%a =', found the end of the text"},
		{"^OpBogus", "unknown opcode OpBogus"},
		{"^OpTypeVoid %a", "expected a result id ('%id = ') before OpTypeVoid"},
		{"^%a = OpNop", "OpNop has no result id, found %a"},
		{"OpName ^1", `OpName: expected an id (Target), found "1"`},
		{"OpName %a ^abc", `OpName: expected a string (Name), found "abc"`},
		{"OpName ^%a.b \"\"", `expected an id of letters, digits and _, found "%a.b"`},
		{"OpName ^% \"\"", "expected a name after %"},
		{"OpName %a\n^OpNop", "OpName: expected a string (Name), found the next instruction (OpNop)"},
		{"OpCapability ^Shadr", `OpCapability: expected a name of Capability, found "Shadr"`},
		{"OpStore %a %b ^Volatile|Algned 4", `OpStore: expected names of MemoryAccess joined by |, found "Algned"`},
		{"OpStore %a %b Aligned ^x", `OpStore: expected an integer, found "x"`},
		{"OpLine %f 1 2 ^3", `expected an instruction (an opcode, or a result id and '='), found "3"`},
		{"%i = OpTypeInt ^-8 0", "OpTypeInt: negative number -8 for an unsigned integer"},
		{"%i = OpTypeInt ^08 0", `OpTypeInt: expected an integer, found "08"`},
		{"%i = OpTypeInt 8 1 %c = OpConstant %i ^128", "OpConstant: integer 128 does not fit in 8 bits (signed)"},
		{"%i = OpTypeFloat 16 %c = OpConstant %i ^1e5", "OpConstant: number 1e5 is out of the range of 16 bits"},
		{"%i = OpTypeFloat 32 %c = OpConstant %i ^0x1.8", `OpConstant: expected a floating-point number of 32 bits, found "0x1.8"`},
		{"%i = OpTypeFloat 8 %c = OpConstant %i ^1", "OpConstant: floating-point numbers of 8 bits are not supported"},
		{"%c = OpConstant %i ^1", "OpConstant: expected a type that is an integer or floating-point scalar, defined before"},
		{"OpSwitch %a %b ^1 %c", "OpSwitch: expected a selector of integer type, defined before"},
		{"%r = OpExtInst %t ^%s Sin %x", `OpExtInst: expected the result of an OpExtInstImport, defined before, found "%s"`},
		{"%s = OpExtInstImport \"GLSL.std.450\" %r = OpExtInst %t %s ^Sinus %x", `OpExtInst: expected the name of an instruction of GLSL.std.450, found "Sinus"`},
		{"%s = OpExtInstImport \"NonSemantic.X\" %r = OpExtInst %t %s ^Sin %x", `OpExtInst: expected the number of an instruction of NonSemantic.X, which has no table of names: expected an integer, found "Sin"`},
		{"%r = OpSpecConstantOp %t ^UDot %x", `OpSpecConstantOp: expected the name of an instruction without Op (Opcode), found "UDot"`},
		{"%a = OpTypeVoid %a = ^OpTypeBool", "OpTypeBool: its result id is declared as a type already"},
		{"OpName %a ^!x", `after '!': expected an integer, found "x"`},
		{"!1 ^= 3", "!1: expected a number, a string or an id, found '=' (a !<integer> cannot take the place of a result id)"},
		{"OpNop\x00^", "expected assembly text, found a zero byte"},
		{"OpNop\n^!0x00050005 %a \"x\" ", "word count 5, expected 1 to 3 (the end of the module)"},
		{"OpNop\n^OpName !1 \"x\" 3 %a", "2 operand words too many"},
		{"OpNop\n^OpName !0 \"x\"", "id 0, expected an id of 1 or more"},
		{"OpNop\n^OpName !7 \"x\"", "id 7, expected an id below the bound 1"},
	} {
		text := strings.Replace(c.text, "^", "", 1)
		_, err := Assemble("t.spvasm", text)
		var e *diag.Error
		if !errors.As(err, &e) {
			t.Errorf("%q: got %v, expected a *diag.Error", text, err)
			continue
		}
		if e.Msg != c.want {
			t.Errorf("%q:\ngot      %s\nexpected %s", text, e.Msg, c.want)
		}
		before := c.text[:strings.Index(c.text, "^")]
		before = strings.TrimSuffix(before, "\x00") // written before the ^ to be seen
		line, col := strings.Count(before, "\n")+1, len(before)-strings.LastIndex(before, "\n")
		if e.Pos.File != "t.spvasm" || e.Pos.Line != line || e.Pos.Col != col {
			t.Errorf("%q: error at %s, expected line %d column %d", text, e.Pos, line, col)
		}
	}
}

// The set of DebugPrintf has no names in SPIRV-Tools: both forms are read,
// the number is written in modules and the name in messages.
func TestDebugPrintfByNameAndNumber(t *testing.T) {
	const prelude = "%s = OpExtInstImport \"NonSemantic.DebugPrintf\" %v = OpTypeVoid %f = OpString \"x\" %r = OpExtInst %v %s "
	named, err := Assemble("t", prelude+"DebugPrintf %f %f")
	if err != nil {
		t.Fatal(err)
	}
	numbered, err := Assemble("t", prelude+"1 %f %f")
	if err != nil {
		t.Fatal(err)
	}
	text := disassembled(t, named, DisasmOptions{})
	if text != disassembled(t, numbered, DisasmOptions{}) || !strings.Contains(text, "OpExtInst %2 %1 1 %3 %3") {
		t.Errorf("got %s", text)
	}
	if got, want := named.InstString(3, nil), "%4 = OpExtInst %2 %1 DebugPrintf %3 %3"; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
}

// Text with one token dropped, doubled, swapped or replaced: what spirv-as
// accepts, the assembler accepts, with the same binary. Two operands that make
// a pair are more than spirv-as asks for in OpPhi.
func TestChangedTextAgreesWithSPIRVAs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	files := corpusFiles(t)
	spare := []string{"!3", "!0x10000", "-1", "1.5", "0x1p3", "%1", `"s"`, "None", "OpNop", "=", "Aligned", "%void"}
	accepted := 0
	for range 150 {
		file := files[r.IntN(len(files))]
		text := lex(file, readText(t, file))
		words := make([]string, len(text.tokens))
		for i := range words {
			words[i] = text.word(i)
		}
		i, j := r.IntN(len(words)), r.IntN(len(words))
		switch r.IntN(4) {
		case 0:
			words = slices.Delete(words, i, i+1)
		case 1:
			words = slices.Insert(words, i, words[j])
		case 2:
			words[i] = spare[r.IntN(len(spare))]
		case 3:
			words[i], words[j] = words[j], words[i]
		}
		changed := strings.Join(words, " ")
		want, ok := spirvAs(t, changed, maxVersion)
		if !ok {
			continue
		}
		accepted++
		got, err := assembleWords(file, changed, maxVersion)
		if err != nil && strings.Contains(err.Error(), "OpPhi: expected an id") {
			continue
		}
		if err != nil || !bytes.Equal(encodeWords(got, binary.LittleEndian), want) {
			t.Errorf("%s: %v, or other words than spirv-as', for\n%s", file, err, changed)
		}
	}
	if accepted < 10 {
		t.Errorf("spirv-as accepted %d texts, too few to compare", accepted)
	}
}
