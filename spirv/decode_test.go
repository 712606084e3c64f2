package spirv

import (
	"encoding/binary"
	"errors"
	"testing"

	"ampdbg/diag"
)

// inst gives the words of an instruction.
func inst(op Opcode, args ...uint32) []uint32 {
	return append([]uint32{uint32(len(args)+1)<<16 | uint32(op)}, args...)
}

func TestDecodeRejectsBrokenModules(t *testing.T) {
	join := func(insts ...[]uint32) (words []uint32) {
		for _, in := range insts {
			words = append(words, in...)
		}
		return words
	}
	int32Type := inst(OpTypeInt, 1, 32, 0)
	for _, c := range []struct {
		name  string
		class diag.ErrorClass
		words []uint32
		want  string
	}{
		{"zero word count", diag.BadInput, []uint32{0}, "module word offset 5: OpNop: word count 0, expected 1 to 1 (the end of the module)"},
		{"past the end", diag.BadInput, join(inst(OpNop), []uint32{3<<16 | 54, 1}), "module word offset 6: OpFunction: word count 3, expected 1 to 2 (the end of the module)"},
		{"unknown opcode", diag.Unsupported, inst(9999), "module word offset 5: Op(9999): unknown opcode 9999"},
		{"no result", diag.BadInput, inst(OpTypeVoid), "module word offset 5: OpTypeVoid: operand of kind IdResult is missing"},
		{"no result after type", diag.BadInput, inst(OpUndef, 1), "module word offset 5: OpUndef: operand of kind IdResult is missing"},
		{"result 0", diag.BadInput, inst(OpTypeVoid, 0), "module word offset 5: OpTypeVoid: id 0, expected an id of 1 or more"},
		{"result at bound", diag.BadInput, inst(OpTypeVoid, 10), "module word offset 5: OpTypeVoid: id 10, expected an id below the bound 10"},
		{"operand 0", diag.BadInput, inst(OpName, 0, 'x'), "module word offset 5: OpName: id 0, expected an id of 1 or more"},
		{"operand at bound", diag.BadInput, inst(OpName, 10, 'x'), "module word offset 5: OpName: id 10, expected an id below the bound 10"},
		{"operand missing", diag.BadInput, inst(OpName, 1), `module word offset 5: OpName: operand "Name" (LiteralString) is missing`},
		{"too many", diag.BadInput, inst(OpTypeVoid, 1, 2, 3), "module word offset 5, id %1: OpTypeVoid: 2 operand words too many"},
		{"string without end", diag.BadInput, inst(OpName, 1, 0x61616161), "module word offset 5: OpName: string Name has no terminating zero byte"},
		{"unknown enumerant", diag.Unsupported, inst(OpCapability, 99999), "module word offset 5: OpCapability: unknown Capability 99999"},
		{"unknown bit", diag.Unsupported, inst(OpStore, 1, 2, 1<<30), "module word offset 5: OpStore: unknown bit 0x40000000 of MemoryAccess"},
		{"parameter missing", diag.BadInput, inst(OpStore, 1, 2, 2), "module word offset 5: OpStore: operand of kind LiteralInteger is missing"},
		{"half a pair", diag.BadInput, join(inst(OpPhi, 1, 2, 3)), `module word offset 5, id %2: OpPhi: operand "Variable" (IdRef) is missing`},
		{"literal of no number", diag.BadInput, inst(OpConstant, 1, 2, 3), "module word offset 5, id %2: OpConstant: type %1 is not a scalar number type"},
		{"literal too short", diag.BadInput, join(inst(OpTypeInt, 1, 64, 0), inst(OpConstant, 1, 2, 3)), "module word offset 9, id %2: OpConstant: literal of 64 bits needs 2 words, found 1"},
		{"literal too long", diag.BadInput, join(int32Type, inst(OpConstant, 1, 2, 3, 4)), "module word offset 9, id %2: OpConstant: 1 operand words too many"},
		{"literal too wide", diag.Unsupported, join(inst(OpTypeInt, 1, 0xffffffff, 0), inst(OpConstant, 1, 2, 3, 4)), "module word offset 9, id %2: OpConstant: literal of more than 64 bits"},
		{"odd float", diag.Unsupported, join(inst(OpTypeFloat, 1, 24), inst(OpConstant, 1, 2, 3)), "module word offset 8, id %2: OpConstant: literal of a floating-point type that has not 16, 32 or 64 bits"},
		{"selector of no type", diag.BadInput, inst(OpSwitch, 1, 2, 3, 4), "module word offset 5: OpSwitch: selector %1 is not a value of integer type"},
		{"no set", diag.BadInput, inst(OpExtInst, 1, 2, 3, 4), "module word offset 5, id %2: OpExtInst: set %3 is not the result of an OpExtInstImport"},
		{"unknown extended", diag.Unsupported, join(appendString(inst(OpExtInstImport, 1)[:2], "GLSL.std.450"), inst(OpExtInst, 2, 3, 1, 999)), ""},
		{"spec op", diag.BadInput, inst(OpSpecConstantOp, 1, 2, uint32(OpStore), 1, 2), "module word offset 5, id %2: OpSpecConstantOp: opcode 62 is not one that a specialization constant may use"},
		{"nested spec op", diag.BadInput, inst(OpSpecConstantOp, 1, 2, uint32(OpSpecConstantOp), 128), "module word offset 5, id %2: OpSpecConstantOp: opcode 52 is not one that a specialization constant may use"},
		{"spec op operand", diag.BadInput, inst(OpSpecConstantOp, 1, 2, uint32(OpIAdd), 1), `module word offset 5, id %2: OpSpecConstantOp: operand "Operand 2" (IdRef) is missing`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
				if c.name == "unknown extended" {
					c.words[0] = 6<<16 | uint32(OpExtInstImport)
					c.want = "module word offset 11, id %3: OpExtInst: unknown instruction 999 of GLSL.std.450"
				}
				words := append([]uint32{magic, 0x10300, 0, 10, 0}, c.words...)
				_, err := Decode("x.spv", encodeWords(words, order))
				var e *diag.Error
				if !errors.As(err, &e) {
					t.Fatalf("got %v, expected a *diag.Error", err)
				}
				if e.Msg != c.want || e.Class != c.class || e.Pos.File != "x.spv" {
					t.Errorf("got      %s (class %d)\nexpected %s (class %d)", e.Msg, e.Class, c.want, c.class)
				}
			}
		})
	}
}

func TestDecodeRejectsBrokenHeaders(t *testing.T) {
	header := func(words ...uint32) []byte { return encodeWords(words, binary.LittleEndian) }
	for _, c := range []struct {
		data  []byte
		class diag.ErrorClass
		want  string
	}{
		{nil, diag.BadInput, "SPIR-V binary of 0 bytes, expected a header of 20"},
		{header(magic, 0x10000, 0, 1), diag.BadInput, "SPIR-V binary of 16 bytes, expected a header of 20"},
		{append(header(magic, 0x10000, 0, 1, 0), 0), diag.BadInput, "SPIR-V binary of 21 bytes, expected a multiple of 4"},
		{header(0x12345678, 0x10000, 0, 1, 0), diag.BadInput, "first word is 0x12345678, expected SPIR-V's 0x07230203 in either byte order"},
		{header(magic, 0x10700, 0, 1, 0), diag.Unsupported, "version word 0x00010700, expected SPIR-V 1.0 to 1.6"},
		{header(magic, 0x10001, 0, 1, 0), diag.Unsupported, "version word 0x00010001, expected SPIR-V 1.0 to 1.6"},
		{header(magic, 0, 0, 1, 0), diag.Unsupported, "version word 0x00000000, expected SPIR-V 1.0 to 1.6"},
		{header(magic, 0xff010000, 0, 1, 0), diag.Unsupported, "version word 0xff010000, expected SPIR-V 1.0 to 1.6"},
	} {
		_, err := Decode("x.spv", c.data)
		var e *diag.Error
		if !errors.As(err, &e) || e.Msg != c.want || e.Class != c.class {
			t.Errorf("%x: got %v, expected %s", c.data, err, c.want)
		}
	}
}

func TestDecodeKeepsWhatItDoesNotCheck(t *testing.T) {
	words := []uint32{magic, 0x10600, 42<<16 | 7, 0xffffffff, 3}
	words = append(words, inst(OpTypeVoid, 0xfffffffe)...)
	m, err := Decode("x.spv", encodeWords(words, binary.BigEndian))
	if err != nil {
		t.Fatal(err)
	}
	if m.Version != MakeVersion(1, 6) || m.Generator != 42<<16|7 || m.Bound != 0xffffffff || m.Schema != 3 {
		t.Errorf("header is %+v", m)
	}
	if in := m.Insts[0]; in.Op != OpTypeVoid || in.Result != 0xfffffffe || in.Type != 0 || len(in.Args) != 0 || in.Offset != 5 {
		t.Errorf("instruction is %+v", in)
	}
}

func TestOperandsOfAModuleBuiltByHand(t *testing.T) {
	m := &Module{Name: "hand", Insts: []Inst{
		{Op: OpTypeInt, Result: 1, Args: []uint32{64, 1}},
		{Op: OpConstant, Type: 1, Result: 2, Args: []uint32{5, 0}},
		{Op: OpSwitch, Args: []uint32{2, 3, 0xffffffff, 0xffffffff, 4}},
		{Op: OpStore, Args: []uint32{1}, Offset: 77},
	}}
	if got, want := m.InstString(2, nil), "OpSwitch %2 %3 -1 %4"; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
	ops, err := m.Operands(&m.Insts[2])
	if err != nil || len(ops) != 4 || ops[2].At != 2 || len(ops[2].Words) != 2 || ops[2].Number != (NumberType{64, false, true}) || ops[3].Kind != KindIdRef {
		t.Errorf("operands are %+v, %v", ops, err)
	}
	if _, err := m.Operands(&m.Insts[3]); err == nil || err.Error() != `hand: module word offset 77: OpStore: operand "Object" (IdRef) is missing` {
		t.Errorf("got error %v", err)
	}
	if got, want := m.InstString(3, nil), "OpStore !0x1"; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
}

func TestString(t *testing.T) {
	for _, s := range []string{"", "a", "abc", "abcd", "abcde", "ünïcödé", "\xff\xfe"} {
		words := append(appendString(nil, s), 0xdeadbeef)
		got, n, ok := String(words)
		if got != s || n != len(s)/4+1 || !ok {
			t.Errorf("%q is read as %q, %d words, %v", s, got, n, ok)
		}
	}
	if s, n, ok := String([]uint32{0x61616161}); ok {
		t.Errorf("a string without end is read as %q, %d words", s, n)
	}
}

func BenchmarkDecode(b *testing.B) {
	m, err := Assemble("control", readText(b, "testdata/control-gVS.spvasm"))
	if err != nil {
		b.Fatal(err)
	}
	data := m.Encode(binary.LittleEndian)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode("control", data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAssemble(b *testing.B) {
	text := readText(b, "testdata/control-gVS.spvasm")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Assemble("control", text); err != nil {
			b.Fatal(err)
		}
	}
}
