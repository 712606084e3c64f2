package warp

import (
	"unsafe"

	"ampdbg/tilemem"
)

// The quick form of a program. Operation pc of Program.Fast does what the
// operations of Program.Code from pc on do, one or several of them, and leaves
// the same values in the same rows; a warp can go over from one form to the
// other at any operation, and does where the quick form does not hold.

// quicken makes Fast from Code.
func (p *Program) quicken() {
	p.Fast = append([]Op(nil), p.Code...)
	shapes := p.shapes()
	at := func(element uint32) shape { return shapes[element/uint32(p.Stride)] }
	for pc := range p.Code {
		op, fast := &p.Code[pc], &p.Fast[pc]
		switch op.Code {
		case BranchIf:
			if at(op.A).same() {
				fast.Code, fast.Flag = BranchUniform, uint8(op.Code)
			}
		case BranchULt, BranchULe, BranchSLt, BranchSLe, BranchEq, BranchNe:
			if at(op.A).same() && at(op.B).same() {
				fast.Code, fast.Flag = BranchUniform, uint8(op.Code)
			}
		case Load32, Store32:
			second, code := op.A, LoadLinear
			if op.Code == Store32 {
				second, code = op.Dst, StoreLinear
			}
			if op.N != 1 {
				continue
			}
			c, e := uniform, uniform
			if op.Y != 0 {
				c = at(op.C)
			}
			if op.Flag != 0 {
				e = at(second)
			}
			switch {
			case c.same() && e.same():
				if op.Code == Load32 {
					fast.Code = LoadUniform
				}
			case c == linear && op.Y == 4 && e.same(), c.same() && e == linear && int32(op.B) == 4:
				fast.Code = code
			}
		case IAdd32:
			// The end of a loop: its counter is stepped, and the values that go
			// round are moved.
			end := pc + 1
			for p.Code[end].Code == Mov {
				end++
			}
			if be := &p.Code[end]; op.N == uint32(p.Stride) && be.Code == BackEdge && be.X == 0 {
				fast.Code, fast.Flag = LoopNext, 0
				if at(op.Dst).same() {
					fast.Flag = 1
				}
			}
		}
	}
	// One step of a dot product. N is the code of the first load.
	for pc := 0; pc+2 < len(p.Code); pc++ {
		first, second := p.Fast[pc].Code, p.Fast[pc+1].Code
		if (first == LoadUniform || first == LoadLinear) && (second == LoadUniform || second == LoadLinear) && p.Fast[pc+2].Code == Fma32 {
			p.Fast[pc].Code, p.Fast[pc].N = LoadLoadFma, uint32(first)
		}
	}
}

// loadLoadFma does two loads and the multiply-add after them, with pc that of
// the second load.
func (w *Warp) loadLoadFma(op *Op, pc int) bool {
	second, fma := &w.P.Fast[pc], &w.P.Code[pc+1]
	if Code(op.N) == LoadUniform {
		if !w.loadUniform(op) {
			return false
		}
	} else if !w.loadLinear(op) {
		return false
	}
	if second.Code == LoadUniform {
		if !w.loadUniform(second) {
			return false
		}
	} else if !w.loadLinear(second) {
		return false
	}
	base := unsafe.Pointer(&w.R[0])
	for i := uint32(0); i < fma.N; i += 4 {
		fma4(four(base, fma.Dst+i), four(base, fma.A+i), four(base, fma.B+i), four(base, fma.C+i))
	}
	return true
}

// offset32 is the byte offset, in its view, that lane l of a load or store
// accesses; second is the row of the second index.
func offset32(base unsafe.Pointer, op *Op, second, l uint32) int64 {
	sh := op.Sh & 63
	off := op.Imm + int64(*word(base, op.C+l)<<sh)>>sh*int64(op.Y)
	if op.Flag != 0 {
		off += int64(*word(base, second+l)<<sh) >> sh * int64(int32(op.B))
	}
	return off
}

// loadUniform loads a 32-bit scalar that is the same for all lanes. Like the
// next two, it does nothing and returns false where it takes the long way.
func (w *Warp) loadUniform(op *Op) bool {
	v := &w.T.Views[op.X]
	if v.Slow || w.ragged {
		return false
	}
	base := unsafe.Pointer(&w.R[0])
	off := offset32(base, op, op.A, 0)
	if uint64(off) >= uint64(max(len(v.Data)-3, 0)) {
		return false
	}
	x := uint64(*(*uint32)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.Data)), off)))
	for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
		*four(base, op.Dst+i) = [4]uint64{x, x, x, x}
	}
	return true
}

// loadLinear loads consecutive 32-bit scalars into the lanes.
func (w *Warp) loadLinear(op *Op) bool {
	v := &w.T.Views[op.X]
	if v.Slow || w.ragged {
		return false
	}
	mem := w.linear32(v, op, op.A)
	if mem == nil {
		return false
	}
	base := unsafe.Pointer(&w.R[0])
	for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
		d, m := four(base, op.Dst+i), (*[4]uint32)(unsafe.Add(mem, 4*i))
		d[0], d[1], d[2], d[3] = uint64(m[0]), uint64(m[1]), uint64(m[2]), uint64(m[3])
	}
	return true
}

// storeLinear stores consecutive 32-bit scalars from the lanes.
func (w *Warp) storeLinear(op *Op) bool {
	v := &w.T.Views[op.X]
	if v.Slow || v.ReadOnly || w.ragged {
		return false
	}
	mem := w.linear32(v, op, op.Dst)
	if mem == nil {
		return false
	}
	w.T.Changed = true
	base := unsafe.Pointer(&w.R[0])
	for i := uint32(0); i < uint32(w.P.Stride); i += 4 {
		a, m := four(base, op.A+i), (*[4]uint32)(unsafe.Add(mem, 4*i))
		m[0], m[1], m[2], m[3] = uint32(a[0]), uint32(a[1]), uint32(a[2]), uint32(a[3])
	}
	return true
}

// linear32 is where the words lie that the lanes of a load or store access one
// after the other; nil if not all are in bounds, or the index wraps around.
func (w *Warp) linear32(v *tilemem.View, op *Op, second uint32) unsafe.Pointer {
	base := unsafe.Pointer(&w.R[0])
	span := int64(w.P.Stride-1) * 4
	first, last := offset32(base, op, second, 0), offset32(base, op, second, uint32(w.P.Stride-1))
	if first < 0 || last-first != span || last > int64(len(v.Data))-4 {
		return nil
	}
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(v.Data)), first)
}

// branchUniform does a branch that all lanes take alike and returns the pc to
// go on at.
func (w *Warp) branchUniform(op *Op) int {
	w.Steps += uint64(op.Imm) * w.nact
	base := unsafe.Pointer(&w.R[0])
	a, b := *word(base, op.A), *word(base, op.B)
	var yes bool
	switch Code(op.Flag) {
	case BranchIf:
		yes = a != 0
	case BranchULt:
		yes = a < b
	case BranchULe:
		yes = a <= b
	case BranchSLt:
		yes = int32(a) < int32(b)
	case BranchSLe:
		yes = int32(a) <= int32(b)
	case BranchEq:
		yes = a == b
	case BranchNe:
		yes = a != b
	}
	if yes {
		return int(op.X)
	}
	return int(op.Y)
}

// loopNext does an addition, the moves and the back edge after them, with pc
// that of the operation after the addition. It returns the pc to go on at:
// that of the back edge itself unless that just goes round.
func (w *Warp) loopNext(op *Op, pc int) int {
	base := unsafe.Pointer(&w.R[0])
	stride := uint32(w.P.Stride)
	if op.Flag != 0 {
		x := uint64(uint32(*word(base, op.A)) + uint32(*word(base, op.B)))
		for i := uint32(0); i < stride; i += 4 {
			*four(base, op.Dst+i) = [4]uint64{x, x, x, x}
		}
		stride = 0
	}
	for i := uint32(0); i < stride; i += 4 {
		d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
		d[0], d[1], d[2], d[3] = uint64(uint32(a[0])+uint32(b[0])), uint64(uint32(a[1])+uint32(b[1])), uint64(uint32(a[2])+uint32(b[2])), uint64(uint32(a[3])+uint32(b[3]))
	}
	plain := w.P.Code
	for ; plain[pc].Code == Mov; pc++ {
		mov := &plain[pc]
		for i := uint32(0); i < mov.N; i += 4 {
			*four(base, mov.Dst+i) = *four(base, mov.A+i)
		}
	}
	back := &plain[pc]
	steps := w.Steps + uint64(back.Imm)*w.nact
	c := &w.stack[len(w.stack)-1]
	if steps >= w.limit || !c.quiet() {
		return pc
	}
	w.Steps = steps
	c.iter++
	pc = int(back.Y)
	if test := &w.P.Fast[pc]; test.Code == BranchUniform {
		return w.branchUniform(test)
	}
	return pc
}
