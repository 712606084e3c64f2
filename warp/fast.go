package warp

import (
	"math"
	"unsafe"

	"ampdbg/program"
	"ampdbg/tilemem"
)

// The interpreter's own operations, of quick forms. They hold while the warp has
// not split.
const (
	Break program.Code = program.NumCodes + iota // stops before the operation at this pc

	BranchUniform // the branch Flag, which all lanes take alike
	LoadUniform   // Load32 of one address
	CheckUniform  // CheckIndex of one index
	LoadLinear    // Load32 of consecutive addresses
	StoreLinear
	CompareBranch // a comparison, and the BranchIf on it, which all lanes take alike
	MulAdd        // IMul32, and the IAdd32 after it of the product and C, with the sum in X
	LoadLoadFma   // the load N, another, and the Fma32 after them
	LoopNext      // IAdd32, and the Movs and the BackEdge after it
)

// The quick form of a program, the interpreter's own. Operation pc of it does what
// the operations of Program.Code from pc on do, one or several of them, and leaves
// the same values in the same rows; a warp can go over from one form to the
// other at any operation, and does where the quick form does not hold.

// quicken makes the quick form of a program.
func quicken(p *program.Program) []program.Op {
	code := append([]program.Op(nil), p.Code...)
	shapes := shapesOf(p)
	at := func(element uint32) shape { return shapes[element/uint32(p.Stride)] }
	last := &program.Op{Code: program.Unreachable}
	after := func(pc int) *program.Op { // the operation after pc
		if pc+1 < len(p.Code) {
			return &p.Code[pc+1]
		}
		return last
	}
	for pc := range code {
		switch op := &code[pc]; op.Code {
		case program.BranchIf:
			if at(op.A).same() {
				op.Code, op.Flag, op.B = BranchUniform, uint8(program.BranchIf), op.A
			}
		case program.BranchULt, program.BranchULe, program.BranchSLt, program.BranchSLe, program.BranchEq, program.BranchNe:
			if at(op.A).same() && at(op.B).same() {
				op.Code, op.Flag = BranchUniform, uint8(op.Code)
			}
		case program.Load32:
			if op.N == 1 {
				op.Code = quickAccess(op, &op.A, at)
			}
		case program.Store32:
			if op.N == 1 && quickAccess(op, &op.Dst, at) == LoadLinear {
				op.Code = StoreLinear
			}
		case program.CheckIndex:
			if at(op.C).same() {
				op.Code = CheckUniform
			}
		case program.ULt32, program.ULe32, program.SLt32, program.SLe32, program.IEq, program.INe:
			branch := after(pc)
			if op.N == uint32(p.Stride) && branch.Code == program.BranchIf && branch.A == op.Dst && at(op.A).same() && at(op.B).same() {
				test, _ := op.Code.Branch()
				op.Code, op.Flag = CompareBranch, uint8(test)
				op.X, op.Y, op.Imm = branch.X, branch.Y, branch.Imm
			}
		case program.IMul32:
			add := after(pc)
			if op.N != uint32(p.Stride) || add.Code != program.IAdd32 || add.N != op.N || add.A == add.B {
				continue
			}
			switch op.Dst {
			case add.A:
				op.Code, op.C, op.X = MulAdd, add.B, int32(add.Dst)
			case add.B:
				op.Code, op.C, op.X = MulAdd, add.A, int32(add.Dst)
			}
		case program.IAdd32:
			// The end of a loop: its counter is stepped, and the values that go
			// round are moved.
			end := pc + 1
			for after(end-1).Code == program.Mov {
				end++
			}
			if back := after(end - 1); op.N == uint32(p.Stride) && back.Code == program.BackEdge && back.X == 0 {
				op.Code, op.Flag, op.X = LoopNext, 0, int32(end-pc-1)
				if at(op.Dst).same() {
					op.Flag = 1
				}
			}
		}
	}
	// One step of a dot product.
	for pc := 0; pc+2 < len(code); pc++ {
		a, b, f := &code[pc], &code[pc+1], &code[pc+2]
		one := a.Code == LoadUniform && b.Code == LoadLinear || a.Code == LoadLinear && b.Code == LoadUniform
		apart := a.Dst != b.Dst && a.Dst != b.A && a.Dst != b.C
		factors := f.A == a.Dst && f.B == b.Dst || f.A == b.Dst && f.B == a.Dst
		if one && apart && factors && f.Code == program.Fma32 && f.N == uint32(p.Stride) {
			a.Code, a.N = LoadLoadFma, uint32(a.Code)
		}
	}
	for pc := range code {
		if op := &code[pc]; op.Code == LoopNext {
			op.Sh = uint8(bit(dot(p, code, pc)))
		}
	}
	return code
}

// quickAccess gives the quick form of a load of 32-bit scalars with the second
// index in row *second; that of a store corresponds. Where there is one, op is
// made to have both indexes, and a linear one in C.
func quickAccess(op *program.Op, second *uint32, at func(uint32) shape) program.Code {
	c, e := at(op.C), uniform
	if op.Flag == 0 {
		*second, op.B = op.C, 0
	} else {
		e = at(*second)
	}
	if op.Sh != 32 && (op.Y != 0 || op.Flag != 0) {
		return program.Load32 // an index that is not of 32 bits
	}
	if op.Y == 0 {
		c = uniform
	}
	if e == linear && c.same() {
		op.C, *second = *second, op.C
		op.Y, op.B = int32(op.B), uint32(op.Y)
		c, e = e, c
	}
	switch {
	case c.same() && e.same():
		return LoadUniform
	case c == linear && op.Y == 4 && (op.Flag == 0 || e.same()):
		return LoadLinear
	}
	return program.Load32
}

// offset32 is the byte offset, in its view, that the first lane of a quick load
// or store accesses; second is the row of the second index.
func offset32(base unsafe.Pointer, op *program.Op, second uint32) int64 {
	return op.Imm + int64(int32(*word(base, op.C)))*int64(op.Y) + int64(int32(*word(base, second)))*int64(int32(op.B))
}

// hidden reports whether quick loads of v, up to two of them, need not be
// shown to an observer one by one.
func hidden(v *tilemem.View) bool {
	return !v.Slow || v.Shown && v.Reads != nil && v.Reads.Room(2)
}

// note takes down a quick load at pc of lanes step bytes apart.
func (w *Warp) note(v *tilemem.View, op *program.Op, pc int, off int64, step int32) {
	if v.Slow {
		v.Reads.NoteRun(int32(pc), int32(w.Index), op.X, int32(off), step)
	}
}

// uniformAt is the offset of the word that a LoadUniform loads, negative where
// the long way has to be taken.
func uniformAt(base unsafe.Pointer, v *tilemem.View, op *program.Op) int64 {
	off := offset32(base, op, op.A)
	if off > int64(len(v.Data))-4 || !hidden(v) {
		return -1
	}
	return off
}

// linearAt is the offset of the words that the lanes of a quick load or store
// access one after the other; second is the row of the second index. It is
// negative if not all are in bounds, if the index wraps around, or if it is the
// same in every lane, as long as nothing has written what it comes from.
func (w *Warp) linearAt(base unsafe.Pointer, v *tilemem.View, op *program.Op, second uint32) int64 {
	off := offset32(base, op, second)
	first := *word(base, op.C)
	if off > int64(len(v.Data))-4*int64(w.P.Stride) || int32(first) > math.MaxInt32-MaxLanes || *word(base, op.C+1) == first {
		return -1
	}
	return off
}

// memAt is the address of byte off of a view.
func memAt(v *tilemem.View, off int64) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.Data)), off)
}

// spread gives all lanes of the row at dst the value x.
func (w *Warp) spread(base unsafe.Pointer, dst uint32, x uint64) {
	for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
		d := four(base, dst+i)
		d[0], d[1], d[2], d[3] = x, x, x, x
	}
}

// loadUniform loads a 32-bit scalar that is the same for all lanes. Like the
// next ones, it does nothing and returns false where the long way has to be
// taken.
func (w *Warp) loadUniform(op *program.Op, pc int) bool {
	base := unsafe.Pointer(&w.R[0])
	v := &w.T.Views[op.X]
	off := uniformAt(base, v, op)
	if off < 0 {
		return false
	}
	w.note(v, op, pc, off, 0)
	w.spread(base, op.Dst, uint64(*(*uint32)(memAt(v, off))))
	return true
}

// loadLinear loads consecutive 32-bit scalars into the lanes.
func (w *Warp) loadLinear(op *program.Op, pc int) bool {
	base := unsafe.Pointer(&w.R[0])
	v := &w.T.Views[op.X]
	off := w.linearAt(base, v, op, op.A)
	if off < 0 || !hidden(v) {
		return false
	}
	w.note(v, op, pc, off, 4)
	mem := memAt(v, off)
	for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
		d, m := four(base, op.Dst+i), (*[4]uint32)(unsafe.Add(mem, 4*i))
		d[0], d[1], d[2], d[3] = uint64(m[0]), uint64(m[1]), uint64(m[2]), uint64(m[3])
	}
	return true
}

// storeLinear stores consecutive 32-bit scalars from the lanes.
func (w *Warp) storeLinear(op *program.Op) bool {
	base := unsafe.Pointer(&w.R[0])
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
func (w *Warp) checkUniform(op *program.Op) bool {
	sh := op.Sh & 63
	return uint64(int64(w.R[op.C]<<sh)>>sh) < uint64(w.P.Indexes[op.X].Len)
}

// loadLoadFma does two loads, one of the same and one of consecutive scalars,
// and the multiply-add of what they give, with pc that of the first load.
func (c *Interpreted) loadLoadFma(w *Warp, op *program.Op, pc int) bool {
	base := unsafe.Pointer(&w.R[0])
	one, row, fma := op, &c.quick[pc+1], &w.P.Code[pc+2]
	pcOne, pcRow := pc, pc+1
	if program.Code(op.N) == LoadLinear {
		one, row = row, one
		pcOne, pcRow = pcRow, pcOne
	}
	v, u := &w.T.Views[one.X], &w.T.Views[row.X]
	offOne, offRow := uniformAt(base, v, one), w.linearAt(base, u, row, row.A)
	if offOne < 0 || offRow < 0 || !hidden(u) {
		return false
	}
	w.note(v, one, pcOne, offOne, 0)
	w.note(u, row, pcRow, offRow, 4)
	x, mem := *(*uint32)(memAt(v, offOne)), memAt(u, offRow)
	f := float64(math.Float32frombits(x))
	for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
		m := (*[4]uint32)(unsafe.Add(mem, 4*i))
		m0, m1, m2, m3 := m[0], m[1], m[2], m[3]
		a, b := four(base, one.Dst+i), four(base, row.Dst+i)
		a[0], a[1], a[2], a[3] = uint64(x), uint64(x), uint64(x), uint64(x)
		b[0], b[1], b[2], b[3] = uint64(m0), uint64(m1), uint64(m2), uint64(m3)
		n := (*[4]float32)(unsafe.Pointer(m))
		add4(four(base, fma.Dst+i), four(base, fma.C+i), f*float64(n[0]), f*float64(n[1]), f*float64(n[2]), f*float64(n[3]))
	}
	return true
}

// holds tells, of a branch or comparison whose operands are the same in all
// lanes, whether it holds.
func holds(base unsafe.Pointer, op *program.Op) bool {
	a, b := *word(base, op.A), *word(base, op.B)
	switch program.Code(op.Flag) {
	case program.BranchULt:
		return a < b
	case program.BranchULe:
		return a <= b
	case program.BranchSLt:
		return int32(a) < int32(b)
	case program.BranchSLe:
		return int32(a) <= int32(b)
	case program.BranchEq:
		return a == b
	case program.BranchNe:
		return a != b
	}
	return a != 0 // BranchIf
}

// branchUniform does a branch that all lanes take alike, with the comparison
// before it if that is its own operation, and returns the pc to go on at.
func (w *Warp) branchUniform(op *program.Op) int {
	w.Steps += uint64(op.Imm) * w.nact
	base := unsafe.Pointer(&w.R[0])
	x, pc := uint64(0), op.Y
	if holds(base, op) {
		x, pc = 1, op.X
	}
	if op.Code == CompareBranch {
		w.spread(base, op.Dst, x)
	}
	return int(pc)
}

// mulAdd does the multiplication into row Dst and the addition of C into row X
// after it.
func (w *Warp) mulAdd(op *program.Op) {
	base := unsafe.Pointer(&w.R[0])
	sum := uint32(op.X)
	for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
		d, a, b, c := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i), four(base, op.C+i)
		x0, x1, x2, x3 := uint32(a[0])*uint32(b[0]), uint32(a[1])*uint32(b[1]), uint32(a[2])*uint32(b[2]), uint32(a[3])*uint32(b[3])
		y0, y1, y2, y3 := x0+uint32(c[0]), x1+uint32(c[1]), x2+uint32(c[2]), x3+uint32(c[3])
		d[0], d[1], d[2], d[3] = uint64(x0), uint64(x1), uint64(x2), uint64(x3)
		d = four(base, sum+i)
		d[0], d[1], d[2], d[3] = uint64(y0), uint64(y1), uint64(y2), uint64(y3)
	}
}

// moveRows does Movs.
func moveRows(base unsafe.Pointer, movs []program.Op) {
	for k := range movs {
		m := &movs[k]
		d, a := unsafe.Pointer(word(base, m.Dst)), unsafe.Pointer(word(base, m.A))
		for n := m.N; n >= 4; n -= 4 {
			copy4((*[4]uint64)(d), (*[4]uint64)(a))
			d, a = unsafe.Add(d, 32), unsafe.Add(a, 32)
		}
	}
}

// loopNext does an addition, the X moves and the back edge after them, and the
// branch that the loop begins with, with pc that of the operation after the
// addition. Where the loop is a dot product it goes on with it. It returns the
// pc to go on at: that of the back edge itself unless that just goes round.
func (c *Interpreted) loopNext(w *Warp, code []program.Op, op *program.Op, pc int) int {
	base := unsafe.Pointer(&w.R[0])
	plain := w.P.Code
	loop := &w.stack[len(w.stack)-1]
	// A comparison that holds and that nothing has read yet but the branch: its
	// row is written on the way out.
	var held *program.Op
	for {
		if op.Flag != 0 {
			w.spread(base, op.Dst, uint64(uint32(*word(base, op.A))+uint32(*word(base, op.B))))
		} else {
			for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])+uint32(b[0])), uint64(uint32(a[1])+uint32(b[1])), uint64(uint32(a[2])+uint32(b[2])), uint64(uint32(a[3])+uint32(b[3]))
			}
		}
		if op.X != 0 {
			moveRows(base, plain[pc:pc+int(op.X)])
			pc += int(op.X)
		}
		back := &plain[pc]
		steps := w.Steps + uint64(back.Imm)*w.nact
		if steps >= w.limit || !loop.quiet() {
			break
		}
		w.Steps = steps
		loop.iter++
		pc = int(back.Y)
		test := &code[pc]
		if test.Code != BranchUniform && test.Code != CompareBranch {
			break
		}
		if op.Sh == 0 || !holds(base, test) {
			held = nil
			pc = w.branchUniform(test)
			break
		}
		w.Steps += uint64(test.Imm) * w.nact
		pc = int(test.X)
		if test.Code == CompareBranch {
			held = test
		}
		for code[pc].Code == CheckUniform && w.checkUniform(&code[pc]) {
			pc++
		}
		if dot := &code[pc]; dot.Code != LoadLoadFma || !c.loadLoadFma(w, dot, pc) {
			break
		}
		pc += 4
	}
	if held != nil {
		w.spread(base, held.Dst, 1)
	}
	return pc
}

// dot reports whether the loop that a LoopNext ends is a dot product: the
// branch at its head, checks of indexes, one LoadLoadFma, and the LoopNext, which does not move
// what the branch compares.
func dot(p *program.Program, code []program.Op, pc int) bool {
	back := &p.Code[pc+1+int(code[pc].X)]
	test := &code[back.Y]
	if test.Code != BranchUniform && test.Code != CompareBranch {
		return false
	}
	body := int(test.X)
	for code[body].Code == CheckUniform {
		body++
	}
	if body != pc-3 || code[body].Code != LoadLoadFma {
		return false
	}
	for i := range int(code[pc].X) {
		if mov := &p.Code[pc+1+i]; test.Code == CompareBranch && mov.A <= test.Dst && test.Dst < mov.A+mov.N {
			return false
		}
	}
	return true
}
