package emu_test

import (
	"fmt"
	"os"
	"testing"

	"ampdbg/emu"
)

func TestDump(t *testing.T) {
	path := os.Getenv("DUMP")
	if path == "" {
		t.Skip()
	}
	e := &emu.Emulator{}
	m, err := e.Prepare(dispatch(t, path))
	if err != nil {
		t.Fatal(err)
	}
	for pc, op := range m.Program.Code {
		fmt.Printf("%3d %-10v dst=%d a=%d b=%d c=%d n=%d x=%d y=%d imm=%d flag=%d  ; %v\n", pc, op.Code, op.Dst/4, op.A/4, op.B/4, op.C/4, op.N, op.X, op.Y, op.Imm, op.Flag, m.Unit.Insts[m.Program.Inst[pc]].Op)
	}
}
