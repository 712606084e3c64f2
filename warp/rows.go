package warp

import (
	"ampdbg/spirv"
	"ampdbg/tilemem"
)

// use is what an operation does with the row that a field of its Op names.
type use uint8

const (
	notRow      use = iota // a number of another kind, or nothing
	reads                  // the row
	readsRun               // as many rows as the operation works on
	readsByFlag            // the row, if Flag is not 0
	readsByY               // the row, if its stride Y is not 0
	writes
	writesRun
)

// fields says what an operation does with each field that may name a row.
// What is not here is not a row: a scope, a stride, an alignment, or unset.
type fields struct{ dst, a, b, c use }

// fieldsOf are the fields of the operations of Program.Code. The rows of those
// with a table of their own are in the table besides (see Program.Touches).
var fieldsOf = func() (t [numCodes]fields) {
	t[BranchIf] = fields{a: reads}
	for c := BranchULt; c <= BranchNe; c++ {
		t[c] = fields{a: reads, b: reads}
	}
	t[SwitchOn] = fields{a: reads}

	for c := Mov; c <= Call3; c++ {
		t[c] = fields{dst: writesRun, a: readsRun, b: readsRun}
	}
	for _, c := range []Code{Mov, Not32, FNeg32, LogicalNot, SToF32, UToF32, Call1} {
		t[c] = fields{dst: writesRun, a: readsRun}
	}
	for _, c := range []Code{IMulAdd32, FMulAdd32, Fma32, Select, Call3} {
		t[c] = fields{dst: writesRun, a: readsRun, b: readsRun, c: readsRun}
	}

	t[LoadVar] = fields{dst: writesRun, c: readsByY}
	t[StoreVar] = fields{a: readsRun, c: readsByY}
	t[CheckIndex] = fields{c: reads}

	for c := Load8; c <= Load64; c++ {
		t[c] = fields{dst: writesRun, a: readsByFlag, c: readsByY}
	}
	for c := Store8; c <= Store64; c++ {
		t[c] = fields{dst: readsByFlag, a: readsRun, c: readsByY}
	}
	t[LoadPtr] = fields{dst: writesRun, a: reads, c: readsByY}
	t[StorePtr] = fields{a: reads, b: readsRun, c: readsByY}
	t[PtrTo] = fields{dst: writesRun, c: readsByY}
	t[PtrToElem] = fields{dst: writes, b: reads, c: readsByY}
	t[HandleElem] = fields{dst: writes, a: reads, b: reads}
	t[PtrAdd] = fields{dst: writesRun, a: readsRun, c: readsByY}
	t[ArrayLen] = fields{dst: writes, a: readsByFlag}
	t[Atomic] = fields{a: readsByFlag, c: readsByY}
	t[Clock] = fields{dst: writes}
	return t
}()

// countsRows reports whether N counts rows; where not, it counts elements.
func (c Code) countsRows() bool {
	return c >= Load8 && c <= StorePtr || c == LoadVar || c == StoreVar
}

// operands tells which of A, B and C a Plain operation reads.
func (op *Op) operands() (a, b, c bool) {
	f := &fieldsOf[op.Code]
	return f.a.read(op), f.b.read(op), f.c.read(op)
}

// read reports whether op reads the row of a field of this use.
func (u use) read(op *Op) bool {
	switch u {
	case reads, readsRun:
		return true
	case readsByFlag:
		return op.Flag != 0
	case readsByY:
		return op.Y != 0
	}
	return false
}

// RowRun is a run of consecutive rows that an operation reads or writes.
type RowRun struct {
	At     uint32 // element offset of the first row
	N      uint32 // elements, a multiple of the program's Stride
	Writes bool
}

// Touches calls f with all runs of rows that op, an operation of p.Code, reads,
// and then those that it writes. Registers of variables that an operation
// reaches by an index are among them, as a whole.
func (p *Program) Touches(op *Op, f func(RowRun)) {
	stride := uint32(p.Stride)
	run := op.N
	if op.Code.countsRows() {
		run *= stride
	}
	u := &fieldsOf[op.Code]
	field := func(u use, at uint32) {
		switch {
		case u == readsRun:
			f(RowRun{At: at, N: run})
		case u.read(op):
			f(RowRun{At: at, N: stride})
		}
	}
	list := func(write bool, rows ...uint32) {
		for _, r := range rows {
			if r != NoRow {
				f(RowRun{At: r, N: stride, Writes: write})
			}
		}
	}
	field(u.dst, op.Dst)
	field(u.a, op.A)
	field(u.b, op.B)
	field(u.c, op.C)
	switch op.Code {
	case Printf:
		for i := range p.Printfs[op.X].Args {
			list(false, p.Printfs[op.X].Args[i].Rows...)
		}
	case CallN:
		list(false, p.FnN[op.X].In...)
		list(true, p.FnN[op.X].Out...)
	case LoadVar, StoreVar:
		v := &p.Vars[op.X]
		f(RowRun{At: uint32(v.Row) * stride, N: uint32(v.Rows) * stride, Writes: op.Code == StoreVar})
	case Atomic:
		info := &p.Atomics[op.X]
		info.operands(list)
		if info.Op.Reads() {
			list(true, op.Dst)
		}
	case Group:
		info := &p.Groups[op.X]
		list(false, info.A...)
		if info.readsB() {
			list(false, info.B)
		}
		list(true, info.Dst...)
	case ImageOp:
		info := &p.ImageOps[op.X]
		list(false, info.Handle, info.Dref, info.Lod, info.MinLOD, info.Sample, info.Component)
		for _, rows := range [][]uint32{info.Coord, info.Value, info.GradX, info.GradY, info.Offset} {
			list(false, rows...)
		}
		if info.Atomic != nil {
			info.Atomic.operands(list)
		}
		list(true, info.Dst...)
	}
	switch u.dst {
	case writesRun:
		f(RowRun{At: op.Dst, N: run, Writes: true})
	case writes:
		n := stride
		if op.Code == Clock && op.Flag != 0 {
			n *= 2
		}
		f(RowRun{At: op.Dst, N: n, Writes: true})
	}
}

// operands lists the rows of an atomic's values.
func (a *AtomicInfo) operands(list func(write bool, rows ...uint32)) {
	switch a.Op {
	case tilemem.AtomicLoad:
	case tilemem.AtomicCompareExchange:
		list(false, a.Val, a.Cmp)
	default:
		list(false, a.Val)
	}
}

// readsB reports whether the instruction has an operand besides its value.
func (g *GroupInfo) readsB() bool {
	return g.Moves() && g.Op != spirv.OpGroupNonUniformBroadcastFirst || g.Op == spirv.OpGroupNonUniformBallotBitExtract
}
