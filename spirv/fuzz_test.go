package spirv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"ampdbg/diag"
)

// FuzzDecode holds: an error or a module, which encodes to the same bytes, and
// whose text assembles.
func FuzzDecode(f *testing.F) {
	for _, file := range corpusFiles(f) {
		words, err := assembleWords(file, readText(f, file), 0)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encodeWords(words, binary.LittleEndian))
		if len(words) < 1000 {
			f.Add(encodeWords(words, binary.BigEndian))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode("fuzz", data)
		if err != nil {
			checkError(t, err)
			return
		}
		var order binary.ByteOrder = binary.LittleEndian
		if order.Uint32(data) != magic {
			order = binary.BigEndian
		}
		if !bytes.Equal(m.Encode(order), data) {
			t.Error("the decoded module encodes to other bytes")
		}
		for _, friendly := range []bool{false, true} {
			text := disassembled(t, m, DisasmOptions{FriendlyNames: friendly})
			if _, err := assembleWords("fuzz", text, 0); err != nil && !definesTwice(m) {
				checkError(t, err)
				if !badOrder(m) {
					t.Errorf("%v:\n%s", err, text)
				}
			}
		}
	})
}

// definesTwice reports whether an id is the result of two instructions, which
// the assembler does not accept of types, and where the first type of a value
// counts for it.
func definesTwice(m *Module) bool {
	seen := map[ID]bool{}
	for i := range m.Insts {
		if r := m.Insts[i].Result; r != 0 {
			if seen[r] {
				return true
			}
			seen[r] = true
		}
	}
	return false
}

// badOrder reports whether a set or a number type is defined after its use,
// which only the assembler needs to be in order.
func badOrder(m *Module) bool {
	seen := map[ID]bool{}
	for i := range m.Insts {
		in := &m.Insts[i]
		switch in.Op {
		case OpExtInst:
			if !seen[ID(in.Args[0])] {
				return true
			}
		case OpConstant, OpSpecConstant:
			if !seen[in.Type] {
				return true
			}
		case OpSwitch:
			if !seen[ID(in.Args[0])] {
				return true
			}
		}
		seen[in.Result] = true
	}
	return false
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var e *diag.Error
	if !errors.As(err, &e) || e.Msg == "" {
		t.Errorf("error %v is not a *diag.Error", err)
	}
}

// FuzzAssemble holds: an error with a place, or a module whose text assembles
// to the same module.
func FuzzAssemble(f *testing.F) {
	for _, file := range corpusFiles(f) {
		f.Add(readText(f, file))
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Assemble("fuzz", text)
		if err != nil {
			checkError(t, err)
			var e *diag.Error
			if errors.As(err, &e) && e.Pos.Line == 0 {
				t.Errorf("error %v has no line", err)
			}
			return
		}
		raw := disassembled(t, m, DisasmOptions{})
		again, err := Assemble("again", raw)
		if err != nil {
			if !definesTwice(m) && !badOrder(m) {
				t.Fatalf("%v:\n%s", err, raw)
			}
			return
		}
		if once := disassembled(t, again, DisasmOptions{}); again.Bound == m.Bound && once != raw {
			t.Errorf("text changes from\n%s\nto\n%s", raw, once)
		}
	})
}
