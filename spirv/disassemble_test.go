package spirv

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ampdbg/diag"
)

func TestDisassembleShowsSourceLines(t *testing.T) {
	m, err := Assemble("t", `; Version: 1.4
%v = OpTypeVoid
%ft = OpTypeFunction %v
%f = OpFunction %v None %ft
%l = OpLabel
OpReturn
OpFunctionEnd`)
	if err != nil {
		t.Fatal(err)
	}
	lines := []int{0, 0, 3, 3, 4, 0}
	got := disassembled(t, m, DisasmOptions{Line: func(i int) (diag.Pos, string) {
		if lines[i] == 0 {
			return diag.Pos{}, ""
		}
		return diag.Pos{File: "k.comp", Line: lines[i], Col: i}, "text"
	}})
	want := `; SPIR-V
; Version: 1.4
; Generator: Khronos SPIR-V Tools Assembler; 0
; Bound: 5
; Schema: 0
          %1 = OpTypeVoid
          %2 = OpTypeFunction %1
; k.comp:3: text
          %3 = OpFunction %1 None %2
          %4 = OpLabel
; k.comp:4: text
               OpReturn
               OpFunctionEnd
`
	if got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
	if again, err := Assemble("t", got); err != nil || disassembled(t, again, DisasmOptions{}) != disassembled(t, m, DisasmOptions{}) {
		t.Errorf("the text with source lines does not assemble to the same module: %v", err)
	}
}

func TestInstStringNamesIDs(t *testing.T) {
	m, err := Assemble("t", "%int = OpTypeInt 32 1 %r = OpIAdd %int %a %b OpStore %p %r Aligned 4")
	if err != nil {
		t.Fatal(err)
	}
	names := func(id ID) string { return "%" + string("?irabp"[id]) }
	for i, want := range []string{"%i = OpTypeInt 32 1", "%r = OpIAdd %i %a %b", "OpStore %p %r Aligned 4"} {
		if got := m.InstString(i, names); got != want {
			t.Errorf("got %s, expected %s", got, want)
		}
	}
}

// A narrow literal with bits beyond its type has no number that stands for it.
func TestUnwritableLiteralsBecomeWords(t *testing.T) {
	m, err := Assemble("t", `%i8 = OpTypeInt 8 1 %i64 = OpTypeInt 64 0
%c = OpConstant %i8 !0x1ff
%s = OpUndef %i8
OpSwitch %s %d !0x180 %d 5 %e`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.InstString(2, nil), "%3 = OpConstant %1 !0x1ff"; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
	if got, want := m.InstString(4, nil), "OpSwitch %4 %5 !0x180 %5 !0x5 %6"; got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
}

type failingWriter struct{}

var errFull = errors.New("full")

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

func TestDisassembleReportsWriteErrors(t *testing.T) {
	m, err := Assemble("t", "OpNop")
	if err != nil {
		t.Fatal(err)
	}
	if err := Disassemble(failingWriter{}, m, DisasmOptions{}); !errors.Is(err, errFull) {
		t.Errorf("got %v, expected %v", err, errFull)
	}
}

// Names made of names do not grow without bound.
func TestFriendlyNamesStayShort(t *testing.T) {
	var b strings.Builder
	b.WriteString("%v = OpTypeVoid\n%t0 = OpTypePointer StorageBuffer %v\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "%%t%d = OpTypeArray %%t%d %%t%d\n", i+1, i, i)
	}
	m, err := Assemble("t", b.String())
	if err != nil {
		t.Fatal(err)
	}
	names, seen := nameFriendly(m), map[string]bool{}
	for i := range m.Insts {
		name := names(m.Insts[i].Result)
		if len(name) > maxComposed+10 || seen[name] {
			t.Errorf("id %d is named %s", m.Insts[i].Result, name)
		}
		seen[name] = true
	}
}
