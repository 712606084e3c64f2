package spirv

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func disassembled(t testing.TB, m *Module, opt DisasmOptions) string {
	t.Helper()
	var b strings.Builder
	if err := Disassemble(&b, m, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextAndBinaryAreStable(t *testing.T) {
	for _, file := range corpusFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m, err := Assemble(file, readText(t, file))
			if err != nil {
				t.Fatal(err)
			}
			first := m.Encode(binary.LittleEndian)
			raw := disassembled(t, m, DisasmOptions{})
			for _, text := range []string{raw, disassembled(t, m, DisasmOptions{FriendlyNames: true})} {
				again, err := Assemble(file, text)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(again.Encode(binary.LittleEndian), first) {
					t.Errorf("text assembles to another binary: %s", cmp.Diff(raw, disassembled(t, again, DisasmOptions{})))
				}
			}
			for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
				data := m.Encode(order)
				decoded, err := Decode(file, data)
				if err != nil {
					t.Fatalf("%v: %v", order, err)
				}
				if d := cmp.Diff(m, decoded, cmpopts.IgnoreUnexported(Module{}), cmpopts.EquateEmpty()); d != "" {
					t.Errorf("%v: decoded module differs: %s", order, d)
				}
				if !bytes.Equal(decoded.Encode(order), data) {
					t.Errorf("%v: decoded module encodes to other bytes", order)
				}
			}
		})
	}
}

func TestAgreesWithSPIRVTools(t *testing.T) {
	for _, file := range corpusFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := readText(t, file)
			m, err := Assemble(file, text)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := spirvAs(t, text, m.Version); !ok {
				// Text without a version comment may need a later one.
				if m, err = AssembleVersion(file, text, maxVersion); err != nil {
					t.Fatal(err)
				}
			}
			compareWithTools(t, m, text)
		})
	}
}

// compareWithTools compares m, assembled from text, with spirv-as' binary, and
// its two disassemblies with spirv-dis'.
func compareWithTools(t *testing.T, m *Module, text string) {
	t.Helper()
	data := m.Encode(binary.LittleEndian)
	want, ok := spirvAs(t, text, m.Version)
	if !ok {
		t.Fatalf("spirv-as rejects it: %s", want)
	}
	if !bytes.Equal(data, want) {
		wantText, _ := runTool(t, want, "spirv-dis", "--raw-id")
		t.Fatalf("binary differs from that of spirv-as: %s", cmp.Diff(string(wantText), disassembled(t, m, DisasmOptions{})))
	}
	for _, c := range []struct {
		args []string
		opt  DisasmOptions
	}{
		{[]string{"--raw-id"}, DisasmOptions{}},
		{nil, DisasmOptions{FriendlyNames: true}},
		{[]string{"--no-header"}, DisasmOptions{FriendlyNames: true, NoHeader: true}},
	} {
		want, ok := runTool(t, data, "spirv-dis", c.args...)
		if !ok {
			t.Fatalf("spirv-dis rejects it: %s", want)
		}
		if got := disassembled(t, m, c.opt); got != string(want) {
			t.Errorf("text differs from that of spirv-dis %v: %s", c.args, cmp.Diff(string(want), got))
		}
	}
}
