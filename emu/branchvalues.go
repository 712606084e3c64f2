package emu

import (
	"fmt"
	"math"
	"strings"

	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/spirv"
)

// branchValues says what the threads of the parties last compared at the
// branch that opens construct c: "thread 0 compares 0 and 3, thread 4 ...". It
// is empty where the values are not to be found.
func (m *Machine) branchValues(t *tile, c int32, parties []diag.Party) string {
	pc := m.branchPC(c)
	if pc < 0 {
		return ""
	}
	op := &m.Program.Code[pc]
	in := &m.Unit.Insts[m.Program.Inst[pc]]
	rows := []uint32{op.A}
	verb := "has"
	kind := m.Unit.TypeOf(spirv.ID(in.Args[0]))
	if op.Code.CompareBranch() {
		rows = []uint32{op.A, op.B}
	} else if w := m.writerOf(pc, op.A); op.Code == program.BranchIf && w != nil && w.Code.Compares() {
		rows = []uint32{w.A, w.B}
	}
	if len(rows) == 2 {
		verb = "compares"
		if def := m.Unit.Def(spirv.ID(in.Args[0])); def >= 0 && len(m.Unit.Insts[def].Args) == 2 {
			kind = m.Unit.TypeOf(spirv.ID(m.Unit.Insts[def].Args[0]))
		}
	}
	var parts []string
	for i := range parties {
		f := &parties[i].First
		if len(parts) == 4 || int(f.Warp) >= len(t.Warps) {
			break
		}
		var values []string
		for _, r := range rows {
			values = append(values, formatScalar(kind, t.Warps[f.Warp].R[int(r)+int(f.Lane)]))
		}
		parts = append(parts, fmt.Sprintf("thread %d %s %s", f.Local, verb, strings.Join(values, " and ")))
	}
	return strings.Join(parts, ", ")
}

// branchPC is the pc of the conditional branch that opens construct c, or that
// a loop's header leads to; -1 if there is none.
func (m *Machine) branchPC(c int32) int {
	info := &m.Program.Constructs[c]
	for _, b := range m.Program.Frames[info.Frame].Function.Blocks {
		if b.MergeInst != int(info.Inst) {
			continue
		}
		for range 8 {
			if len(b.Succs) != 1 {
				break
			}
			b = b.Succs[0]
		}
		for pc := range m.Program.Code {
			if k := m.Program.Code[pc].Code; int(m.Program.Inst[pc]) == b.Last && m.Program.Frame[pc] == info.Frame && k.Branches() {
				return pc
			}
		}
	}
	return -1
}

// writerOf is the operation before pc that computed a row.
func (m *Machine) writerOf(pc int, row uint32) *program.Op {
	for q := pc - 1; q >= 0; q-- {
		if op := &m.Program.Code[q]; op.Code.Plain() && op.Dst <= row && row < op.Dst+op.N {
			return op
		}
	}
	return nil
}

// formatScalar writes the bits of a scalar (or of a component) of type t.
func formatScalar(t *spirv.Type, bits uint64) string {
	c := t.Component()
	switch {
	case c == nil:
		return fmt.Sprintf("%#x", bits)
	case c.Kind == spirv.Bool:
		return fmt.Sprint(bits != 0)
	case c.Kind == spirv.Float && c.Width == 64:
		return fmt.Sprint(math.Float64frombits(bits))
	case c.Kind == spirv.Float && c.Width == 32:
		return fmt.Sprint(math.Float32frombits(uint32(bits)))
	case c.Kind == spirv.Int && c.Signed:
		return fmt.Sprint(int64(bits<<(64-c.Width)) >> (64 - c.Width))
	}
	return fmt.Sprint(bits)
}
