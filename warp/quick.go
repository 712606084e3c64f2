package warp

import (
	"math"
	"unsafe"

	"ampdbg/program"
	"ampdbg/tilemem"
)

// The quick form of a program, the interpreter's own. Operation pc of it does what
// the operations of Program.Code from pc on do, one or several of them, and leaves
// the same values in the same rows; a warp can go over from one form to the
// other at any operation, and does where the quick form does not hold.
//
// The fields of a quick operation are those of the first that it does; what it needs
// of the others it reads there.

// Break, in the code of a Patch or a Stepper, stops before the operation at its pc.
const Break = program.NumCodes

// The operations of quick forms. Each needs rows to have their shapes.
const (
	BranchIfUniform = Break + 1 + iota // a branch that all lanes take alike
	BranchULtUniform
	BranchULeUniform
	BranchSLtUniform
	BranchSLeUniform
	BranchEqUniform
	BranchNeUniform
	CheckUniform // CheckIndex of one index
	LoadUniform  // Load32 of one address
	LoadLinear   // Load32 of one component, at consecutive addresses
	StoreLinear
	EnterBranch // Enter, and the branch after it
)

// A rule says which operations one of the quick form does.
type rule struct {
	code program.Code // that it gives, or the first of them
	name string
	does int // how many operations of the program
	// apply gives the quick operation for that at pc, and whether the rule holds.
	apply func(q *quickening, pc int) (program.Op, bool)
}

// rules are in the order of their codes. The first that holds is applied.
// docs/rationale.md says who profits by those that do several operations.
var rules = []rule{
	// Of shapes: an operation is done once for all lanes.
	{BranchIfUniform, "uniform branch", 1, (*quickening).uniformBranch}, // of uniform operands
	{CheckUniform, "uniform check", 1, (*quickening).uniformCheck},      // of a uniform index
	{LoadUniform, "uniform load", 1, (*quickening).uniformLoad},         // by uniform indexes
	{LoadLinear, "linear load", 1, (*quickening).linearLoad},            // by one linear index, times 4; the other uniform
	{StoreLinear, "linear store", 1, (*quickening).linearStore},         // likewise
	// Of sequences: several operations are done at once.
	{EnterBranch, "enter and branch", 2, (*quickening).enterBranch}, // Enter and any branch on a condition
}

// ruleOf is the rule that gives a code.
func ruleOf(c program.Code) *rule {
	i := len(rules) - 1
	for rules[i].code > c {
		i--
	}
	return &rules[i]
}

// maxDone is how many operations of the program a quick one does at most.
const maxDone = 2

// quickening is the making of a quick form.
type quickening struct {
	p      *program.Program
	shapes []shape
}

// quicken makes the quick form of a program.
func quicken(p *program.Program) []program.Op {
	q := &quickening{p: p, shapes: shapesOf(p)}
	code := append([]program.Op(nil), p.Code...)
	for pc := range code {
		for i := range rules {
			if op, ok := rules[i].apply(q, pc); ok {
				code[pc] = op
				break
			}
		}
	}
	return code
}

func (q *quickening) shape(element uint32) shape { return q.shapes[element/uint32(q.p.Stride)] }

// at is the operation at pc, an Unreachable behind the end.
func (q *quickening) at(pc int) *program.Op {
	if pc < len(q.p.Code) {
		return &q.p.Code[pc]
	}
	return &program.Op{Code: program.Unreachable}
}

// as gives op another code.
func as(op *program.Op, c program.Code) program.Op {
	quick := *op
	quick.Code = c
	return quick
}

func (q *quickening) uniformBranch(pc int) (program.Op, bool) {
	op := q.at(pc)
	if op.Code < program.BranchIf || op.Code > program.BranchNe || !q.shape(op.A).same() || op.Code.CompareBranch() && !q.shape(op.B).same() {
		return program.Op{}, false
	}
	return as(op, BranchIfUniform+op.Code-program.BranchIf), true
}

func (q *quickening) uniformCheck(pc int) (program.Op, bool) {
	op := q.at(pc)
	if op.Code != program.CheckIndex || !q.shape(op.C).same() {
		return program.Op{}, false
	}
	return as(op, CheckUniform), true
}

// index is the shape of an index, uniform where there is none.
func (q *quickening) index(element uint32, is bool) shape {
	if !is {
		return uniform
	}
	return q.shape(element)
}

func (q *quickening) uniformLoad(pc int) (program.Op, bool) {
	op := q.at(pc)
	if op.Code != program.Load32 || !q.index(op.C, op.Y != 0).same() || !q.index(op.A, op.Flag != 0).same() {
		return program.Op{}, false
	}
	return as(op, LoadUniform), true
}

func (q *quickening) linearLoad(pc int) (program.Op, bool) {
	op := *q.at(pc)
	if op.Code != program.Load32 || !q.linear(&op, &op.A) {
		return program.Op{}, false
	}
	return as(&op, LoadLinear), true
}

func (q *quickening) linearStore(pc int) (program.Op, bool) {
	op := *q.at(pc)
	if op.Code != program.Store32 || !q.linear(&op, &op.Dst) {
		return program.Op{}, false
	}
	return as(&op, StoreLinear), true
}

// linear reports whether the lanes of a load or store access consecutive scalars.
// The indexes of op, with the second in row *second, change places if they must for
// the linear one to be that in C.
func (q *quickening) linear(op *program.Op, second *uint32) bool {
	if op.N != 1 || op.Sh != 0 && op.Sh != 32 {
		return false
	}
	c, e := q.index(op.C, op.Y != 0), q.index(*second, op.Flag != 0)
	if e == linear && op.Flag != 0 {
		op.C, *second = *second, op.C
		op.Y, op.B = int32(op.B), uint32(op.Y)
		c, e = e, c
	}
	return c == linear && op.Y == 4 && e.same()
}

func (q *quickening) enterBranch(pc int) (program.Op, bool) {
	b := q.at(pc + 1).Code
	if q.at(pc).Code != program.Enter || b < program.BranchIf || b > program.BranchNe {
		return program.Op{}, false
	}
	return as(q.at(pc), EnterBranch), true
}

// noted takes down a quick load, at pc, of a slow view by lanes step bytes apart. It
// reports false if the load has to be shown to an observer.
func (w *Warp) noted(v *tilemem.View, op *program.Op, pc int, off int64, step int32) bool {
	if op.N > 1 || !v.Shown || v.Reads == nil || !v.Reads.Room(1) {
		return false
	}
	v.Reads.NoteRun(int32(pc), int32(w.Index), op.X, int32(off), step)
	return true
}

// linearAt is the offset of the words that the lanes of a quick load or store
// access one after the other; second is the row of the second index. It is
// negative if not all are in bounds, if the index wraps around, or if it is the
// same in every lane, as long as nothing has written what it comes from.
func (w *Warp) linearAt(base unsafe.Pointer, v *tilemem.View, op *program.Op, second uint32) int64 {
	sh := op.Sh & 63
	x := (*[2]uint64)(unsafe.Pointer(word(base, op.C)))
	first := int64(x[0]<<sh) >> sh
	off := op.Imm + first*4
	if op.Flag != 0 {
		off += int64(*word(base, second)<<sh) >> sh * int64(int32(op.B))
	}
	if off > int64(len(v.Data))-4*int64(w.P.Stride) || first > math.MaxInt32-MaxLanes || x[1] == x[0] {
		return -1
	}
	return off
}

// memAt is the address of byte off of a view.
func memAt(v *tilemem.View, off int64) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.Data)), off)
}

// storeLinear stores consecutive 32-bit scalars from the lanes.
func (w *Warp) storeLinear(base unsafe.Pointer, op *program.Op) bool {
	v := &w.T.Views[op.X]
	off := w.linearAt(base, v, op, op.Dst)
	if off < 0 || v.Slow || v.ReadOnly {
		return false
	}
	w.T.Changed = true
	mem := memAt(v, off)
	for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
		a, m := four(base, op.A+i), (*[4]uint32)(unsafe.Add(mem, 4*i))
		m[0], m[1], m[2], m[3] = uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3])
	}
	return true
}

// checkUniform does a CheckIndex of an index that is the same for all lanes.
func (w *Warp) checkUniform(base unsafe.Pointer, op *program.Op) bool {
	sh := op.Sh & 63
	return uint64(int64(*word(base, op.C)<<sh)>>sh) < uint64(w.P.Indexes[op.X].Len)
}

// take does a branch that all lanes take alike, and returns the pc to go on at.
func (w *Warp) take(op *program.Op, holds bool) int {
	w.Steps += uint64(op.Imm) * w.nact
	if holds {
		return int(op.X)
	}
	return int(op.Y)
}

// enterBranch does an Enter and the branch after it, and returns the pc to go on at.
// Where all lanes leave at once for the merge point, nothing is entered.
func (w *Warp) enterBranch(code []program.Op, pc int) int {
	enter, b := &w.P.Code[pc], &w.P.Code[pc+1]
	taken := w.taken(b)
	to := b.X
	switch taken {
	case w.active:
	case Mask{}:
		to = b.Y
	default:
		w.push(enter.X)
		w.Steps += uint64(b.Imm) * w.nact
		return w.diverge(b, taken)
	}
	if exit := &code[to]; exit.Code == program.ExitMerge && exit.X == 0 {
		w.Steps += uint64(b.Imm+exit.Imm) * w.nact
		return int(exit.Y)
	}
	w.push(enter.X)
	w.Steps += uint64(b.Imm) * w.nact
	return int(to)
}
