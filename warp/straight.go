package warp

import (
	"math"
	"unsafe"

	"ampdbg/program"
)

// straight executes operations of code, a form of the program, from pc on: values,
// the quick forms, and the usual ways of control, as long as all live lanes are
// active. It returns the pc of the first operation that is not for it, or that does
// not hold in its quick form; -1 when no lane can run. One value operation alone may
// also be done while lanes are left out (see masked).
//
// It stands apart from run because the compiler keeps what every operation needs in
// registers only in a function without calls that have to see all of its state. It
// goes from operation to operation by pointer, up to the end of code, which the last
// operation of a program never passes.
func (w *Warp) straight(code []program.Op, pc int) int {
	base := unsafe.Pointer(unsafe.SliceData(w.R))
	first := unsafe.Pointer(unsafe.SliceData(code))
	end := uintptr(first) + uintptr(len(code))*unsafe.Sizeof(program.Op{})
	views, stride := w.T.Views, w.P.Stride
	op := &code[pc]
	for uintptr(unsafe.Pointer(op)) < end {
		if op.Code == program.Mov { // half of what modules do that no optimiser has seen
			copy4(four(base, op.Dst), four(base, op.A))
			for i := uint32(4); i < op.N; i += 4 {
				copy4(four(base, op.Dst+i), four(base, op.A+i))
			}
			op = after(op)
			continue
		}
		switch op.Code {
		case program.Nop:
		case program.IAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])+uint32(b[0])), uint64(uint32(a[1])+uint32(b[1])), uint64(uint32(a[2])+uint32(b[2])), uint64(uint32(a[3])+uint32(b[3]))
			}
		case program.ISub32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])-uint32(b[0])), uint64(uint32(a[1])-uint32(b[1])), uint64(uint32(a[2])-uint32(b[2])), uint64(uint32(a[3])-uint32(b[3]))
			}
		case program.IMul32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])*uint32(b[0])), uint64(uint32(a[1])*uint32(b[1])), uint64(uint32(a[2])*uint32(b[2])), uint64(uint32(a[3])*uint32(b[3]))
			}
		case program.IMulAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b, c := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i), four(base, op.C+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])*uint32(b[0])+uint32(c[0])), uint64(uint32(a[1])*uint32(b[1])+uint32(c[1])), uint64(uint32(a[2])*uint32(b[2])+uint32(c[2])), uint64(uint32(a[3])*uint32(b[3])+uint32(c[3]))
			}
		case program.And:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = a[0]&b[0], a[1]&b[1], a[2]&b[2], a[3]&b[3]
			}
		case program.Shl32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])<<b[0]), uint64(uint32(a[1])<<b[1]), uint64(uint32(a[2])<<b[2]), uint64(uint32(a[3])<<b[3])
			}
		case program.FAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				s0, s1, s2, s3 := f32(a[0])+f32(b[0]), f32(a[1])+f32(b[1]), f32(a[2])+f32(b[2]), f32(a[3])+f32(b[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case program.FSub32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				s0, s1, s2, s3 := f32(a[0])-f32(b[0]), f32(a[1])-f32(b[1]), f32(a[2])-f32(b[2]), f32(a[3])-f32(b[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case program.FMul32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				s0, s1, s2, s3 := f32(a[0])*f32(b[0]), f32(a[1])*f32(b[1]), f32(a[2])*f32(b[2]), f32(a[3])*f32(b[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case program.FMulAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b, c := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i), four(base, op.C+i)
				s0, s1, s2, s3 := float32(f32(a[0])*f32(b[0]))+f32(c[0]), float32(f32(a[1])*f32(b[1]))+f32(c[1]), float32(f32(a[2])*f32(b[2]))+f32(c[2]), float32(f32(a[3])*f32(b[3]))+f32(c[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case program.IEq:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(a[0] == b[0]), bit(a[1] == b[1]), bit(a[2] == b[2]), bit(a[3] == b[3])
			}
		case program.ULt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(a[0] < b[0]), bit(a[1] < b[1]), bit(a[2] < b[2]), bit(a[3] < b[3])
			}
		case program.SLt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(int32(a[0]) < int32(b[0])), bit(int32(a[1]) < int32(b[1])), bit(int32(a[2]) < int32(b[2])), bit(int32(a[3]) < int32(b[3]))
			}
		case program.FOrdLt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, op.Dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(f32(a[0]) < f32(b[0])), bit(f32(a[1]) < f32(b[1])), bit(f32(a[2]) < f32(b[2])), bit(f32(a[3]) < f32(b[3]))
			}
		case program.Select:
			for i := uint32(0); i < op.N; i++ {
				x := word(base, op.C+i)
				if *word(base, op.A+i) != 0 {
					x = word(base, op.B+i)
				}
				*word(base, op.Dst+i) = *x
			}
		case program.Fma32:
			fma32(base, op)
		case program.Enter:
			w.push(op.X)
		case program.Jump:
			w.Steps += uint64(op.Imm) * w.nact
			op = &code[op.X]
			continue
		case program.BranchIf, program.BranchULt, program.BranchULe, program.BranchSLt, program.BranchSLe, program.BranchEq, program.BranchNe:
			pc := w.branch(op)
			if w.blend {
				return pc
			}
			op = &code[pc]
			continue
		case program.ExitMerge:
			pc := w.exitMerge(op)
			if pc < 0 || w.blend {
				return pc
			}
			op = &code[pc]
			continue
		case program.ExitCont:
			pc := w.exitCont(op)
			if pc < 0 || w.blend {
				return pc
			}
			op = &code[pc]
			continue

		case BranchIfUniform:
			if w.ragged {
				return index(first, op)
			}
			op = &code[w.take(op, *word(base, op.A) != 0)]
			continue
		case BranchULtUniform:
			if w.ragged {
				return index(first, op)
			}
			op = &code[w.take(op, *word(base, op.A) < *word(base, op.B))]
			continue
		case BranchULeUniform:
			if w.ragged {
				return index(first, op)
			}
			op = &code[w.take(op, *word(base, op.A) <= *word(base, op.B))]
			continue
		case BranchSLtUniform:
			if w.ragged {
				return index(first, op)
			}
			op = &code[w.take(op, int32(*word(base, op.A)) < int32(*word(base, op.B)))]
			continue
		case BranchSLeUniform:
			if w.ragged {
				return index(first, op)
			}
			op = &code[w.take(op, int32(*word(base, op.A)) <= int32(*word(base, op.B)))]
			continue
		case BranchEqUniform:
			if w.ragged {
				return index(first, op)
			}
			op = &code[w.take(op, *word(base, op.A) == *word(base, op.B))]
			continue
		case BranchNeUniform:
			if w.ragged {
				return index(first, op)
			}
			op = &code[w.take(op, *word(base, op.A) != *word(base, op.B))]
			continue
		case CheckUniform:
			if w.ragged || !w.checkUniform(base, op) {
				return index(first, op)
			}
		case LoadUniform:
			// load32 does what is out of the ordinary.
			v, sh := &views[op.X], op.Sh&63
			off := op.Imm + int64(*word(base, op.C)<<sh)>>sh*int64(op.Y)
			if op.Flag != 0 {
				off += int64(*word(base, op.A)<<sh) >> sh * int64(int32(op.B))
			}
			if w.ragged || off < 0 || off > int64(len(v.Data))-4*int64(op.N) || v.Slow && !w.noted(v, op, index(first, op), off, 0) {
				if !w.load32(op) {
					return index(first, op)
				}
				break
			}
			mem, d := memAt(v, off), unsafe.Pointer(word(base, op.Dst))
			for k := op.N; k > 0; k-- {
				x := uint64(*(*uint32)(mem))
				for n := stride; n > 0; n -= 4 {
					r := (*[4]uint64)(d)
					r[0], r[1], r[2], r[3] = x, x, x, x
					d = unsafe.Add(d, 32)
				}
				mem = unsafe.Add(mem, 4)
			}
		case LoadLinear:
			v, sh := &views[op.X], op.Sh&63
			x := (*[2]uint64)(unsafe.Pointer(word(base, op.C))) // linearAt, written out: its call costs as much
			lane0 := int64(x[0]<<sh) >> sh
			off := op.Imm + 4*lane0
			if op.Flag != 0 {
				off += int64(*word(base, op.A)<<sh) >> sh * int64(int32(op.B))
			}
			if w.ragged || off < 0 || off > int64(len(v.Data))-4*int64(stride) || x[1] == x[0] || lane0 > math.MaxInt32-MaxLanes ||
				v.Slow && !w.noted(v, op, index(first, op), off, 4) {
				if !w.load32(op) {
					return index(first, op)
				}
				break
			}
			mem, d := memAt(v, off), unsafe.Pointer(word(base, op.Dst))
			for n := stride; n > 0; n -= 4 {
				r, m := (*[4]uint64)(d), (*[4]uint32)(mem)
				r[0], r[1], r[2], r[3] = uint64(m[0]), uint64(m[1]), uint64(m[2]), uint64(m[3])
				d, mem = unsafe.Add(d, 32), unsafe.Add(mem, 16)
			}
		case StoreLinear:
			if (w.ragged || !w.storeLinear(base, op)) && !w.store32(op) {
				return index(first, op)
			}
		case EnterBranch:
			pc := w.enterBranch(code, index(first, op))
			if w.blend {
				return pc
			}
			op = &code[pc]
			continue
		case program.BackEdge:
			if op.X != 0 || !w.round(op) {
				return index(first, op)
			}
			op = &code[op.Y]
			continue
		case program.Load32:
			if !w.load32(op) {
				return index(first, op)
			}
		case program.Store32:
			if !w.store32(op) {
				return index(first, op)
			}
		case program.CallN:
			w.callN(op)
		default:
			if !op.Code.Plain() {
				return index(first, op)
			}
			w.value(op)
		}
		op = after(op)
	}
	return index(first, op)
}

// round does a BackEdge of the innermost loop. It does nothing and returns false
// where other lanes have to be waited for, or the warp has to stop.
func (w *Warp) round(op *program.Op) bool {
	s := &w.stack[len(w.stack)-1]
	steps := w.Steps + uint64(op.Imm)*w.nact
	if steps >= w.limit || !s.quiet() {
		return false
	}
	w.Steps = steps
	s.iter++
	return true
}

// after is the operation behind op.
func after(op *program.Op) *program.Op {
	return (*program.Op)(unsafe.Add(unsafe.Pointer(op), unsafe.Sizeof(*op)))
}

// index is the pc of op in the code that begins at first.
func index(first unsafe.Pointer, op *program.Op) int {
	return int((uintptr(unsafe.Pointer(op)) - uintptr(first)) / unsafe.Sizeof(*op))
}
