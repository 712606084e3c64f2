package warp

import (
	"unsafe"

	"ampdbg/program"
)

// run executes operations of code, a form of c.
func (c *Interpreted) run(w *Warp, code []program.Op, limit uint64) Status {
	if w.status == Finished || w.status == Blocked || w.status == Faulted {
		return w.status
	}
	w.status = Runnable
	w.limit = limit
	var (
		R      = w.R
		base   = unsafe.Pointer(&w.R[0])
		pc     = w.PC
		stride = uint32(w.P.Stride)
	)
	for {
		op := &code[pc]
		pc++
		dst := op.Dst
		if w.blend {
			dst = w.P.Scratch
		}
	again:
		switch op.Code {
		case program.Nop:
			continue

		case program.Jump:
			w.Steps += uint64(op.Imm) * w.nact
			pc = int(op.X)
			continue
		case program.BranchIf:
			w.Steps += uint64(op.Imm) * w.nact
			var lo, hi uint64
			for i := uint32(0); i < stride; i += 4 {
				a := four(base, op.A+i)
				x := a[0] | a[1]<<1 | a[2]<<2 | a[3]<<3
				if i < 64 {
					lo |= x << (i & 63)
				} else {
					hi |= x << (i & 63)
				}
			}
			lo, hi = lo&w.active[0], hi&w.active[1]
			switch {
			case lo == w.active[0] && hi == w.active[1]:
				pc = int(op.X)
			case lo|hi == 0:
				pc = int(op.Y)
			default:
				pc = w.diverge(op, Mask{lo, hi})
			}
			continue
		case program.BranchULt, program.BranchULe, program.BranchSLt, program.BranchSLe, program.BranchEq, program.BranchNe:
			pc = w.compareAndBranch(op)
			continue
		case BranchUniform, CompareBranch:
			if w.ragged {
				goto plain
			}
			pc = w.branchUniform(op)
			continue
		case MulAdd:
			if w.ragged {
				goto plain
			}
			w.mulAdd(op)
			pc++
			continue
		case LoopNext:
			if w.ragged {
				goto plain
			}
			pc = c.loopNext(w, code, op, pc)
			continue
		case LoadLoadFma:
			if w.ragged || !c.loadLoadFma(w, op, pc-1) {
				goto plain
			}
			pc += 2
			continue
		case CheckUniform:
			if w.ragged || !w.checkUniform(op) {
				goto plain
			}
			continue
		case LoadUniform:
			if w.ragged || !w.loadUniform(op, pc-1) {
				goto plain
			}
			continue
		case LoadLinear:
			if w.ragged || !w.loadLinear(op, pc-1) {
				goto plain
			}
			continue
		case StoreLinear:
			if w.ragged || !w.storeLinear(op) {
				goto plain
			}
			continue
		case program.SwitchOn:
			w.Steps += uint64(op.Imm) * w.nact
			pc = w.switchOn(op)
			continue
		case program.Enter:
			w.push(op.X)
			continue
		case program.ExitMerge:
			w.Steps += uint64(op.Imm) * w.nact
			s := &w.stack[len(w.stack)-1-int(op.X)]
			m := w.active.Or(s.merge)
			if op.X == 0 && s.quiet() {
				w.stack = w.stack[:len(w.stack)-1]
				if m != w.active {
					w.setActive(m)
				}
				pc = int(op.Y)
				continue
			}
			s.merge = m
			if pc = w.next(); pc < 0 {
				return w.status
			}
			continue
		case program.ExitCont:
			w.Steps += uint64(op.Imm) * w.nact
			s := &w.stack[len(w.stack)-1-int(op.X)]
			if op.X == 0 && len(s.pending) == 0 {
				if m := w.active.Or(s.cont); m != w.active {
					s.cont = Mask{}
					w.setActive(m)
				}
				pc = int(op.Y)
				continue
			}
			s.cont = s.cont.Or(w.active)
			if pc = w.next(); pc < 0 {
				return w.status
			}
			continue
		case program.BackEdge:
			w.Steps += uint64(op.Imm) * w.nact
			s := &w.stack[len(w.stack)-1-int(op.X)]
			if op.X == 0 && s.quiet() {
				s.iter++
				pc = int(op.Y)
				if w.Steps < w.limit {
					// Most loops begin with their test.
					if test := &code[pc]; test.Code >= program.BranchULt && test.Code <= program.BranchNe {
						pc = w.compareAndBranch(test)
					}
					continue
				}
			} else {
				s.head = s.head.Or(w.active)
				if pc = w.next(); pc < 0 {
					return w.status
				}
			}
			if w.Steps >= w.limit {
				w.PC = pc
				w.status = Yielded
				return Yielded
			}
			continue
		case program.Return:
			w.Steps += uint64(op.Imm) * w.nact
			w.live = w.live.AndNot(w.active)
			for l := w.active.First(); l >= 0; l = w.active.Next(l) {
				w.exits[l] = int32(pc - 1)
			}
			w.PC = pc - 1
			if pc = w.next(); pc < 0 {
				return w.status
			}
			continue
		case program.Unreachable:
			w.fault(&Fault{Kind: UnreachableExecuted, PC: pc - 1, Lanes: w.active})
			return Faulted
		case program.Barrier:
			w.PC = pc - 1
			if w.yieldAtVisible() {
				return Yielded
			}
			w.Steps += w.nact
			if o := w.T.Obs.Barrier; o != nil {
				o.Barrier(w, pc-1)
			}
			if !op.Waits() {
				continue
			}
			if pc = w.arrive(pc - 1); pc < 0 {
				return w.status
			}
			continue
		case program.Fence:
			if o := w.T.Obs.Fence; o != nil {
				o.Fence(w, pc-1)
			}
			continue
		case program.Printf:
			w.printf(op)
			continue
		case Break:
			w.PC = pc - 1
			w.status = AtBreak
			return AtBreak

		case program.Mov:
			if !w.blend {
				for i := uint32(0); i < op.N; i += 4 {
					copy4(four(base, dst+i), four(base, op.A+i))
				}
				continue
			}
			w.movMasked(op)
			continue
		case program.IAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])+uint32(b[0])), uint64(uint32(a[1])+uint32(b[1])), uint64(uint32(a[2])+uint32(b[2])), uint64(uint32(a[3])+uint32(b[3]))
			}
		case program.ISub32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])-uint32(b[0])), uint64(uint32(a[1])-uint32(b[1])), uint64(uint32(a[2])-uint32(b[2])), uint64(uint32(a[3])-uint32(b[3]))
			}
		case program.IMul32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])*uint32(b[0])), uint64(uint32(a[1])*uint32(b[1])), uint64(uint32(a[2])*uint32(b[2])), uint64(uint32(a[3])*uint32(b[3]))
			}
		case program.IMulAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b, c := four(base, dst+i), four(base, op.A+i), four(base, op.B+i), four(base, op.C+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])*uint32(b[0])+uint32(c[0])), uint64(uint32(a[1])*uint32(b[1])+uint32(c[1])), uint64(uint32(a[2])*uint32(b[2])+uint32(c[2])), uint64(uint32(a[3])*uint32(b[3])+uint32(c[3]))
			}
		case program.And:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = a[0]&b[0], a[1]&b[1], a[2]&b[2], a[3]&b[3]
			}
		case program.Shl32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])<<b[0]), uint64(uint32(a[1])<<b[1]), uint64(uint32(a[2])<<b[2]), uint64(uint32(a[3])<<b[3])
			}
		case program.FAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				s0, s1, s2, s3 := f32(a[0])+f32(b[0]), f32(a[1])+f32(b[1]), f32(a[2])+f32(b[2]), f32(a[3])+f32(b[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case program.FSub32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				s0, s1, s2, s3 := f32(a[0])-f32(b[0]), f32(a[1])-f32(b[1]), f32(a[2])-f32(b[2]), f32(a[3])-f32(b[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case program.FMul32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				s0, s1, s2, s3 := f32(a[0])*f32(b[0]), f32(a[1])*f32(b[1]), f32(a[2])*f32(b[2]), f32(a[3])*f32(b[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case program.FMulAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b, c := four(base, dst+i), four(base, op.A+i), four(base, op.B+i), four(base, op.C+i)
				s0, s1, s2, s3 := float32(f32(a[0])*f32(b[0]))+f32(c[0]), float32(f32(a[1])*f32(b[1]))+f32(c[1]), float32(f32(a[2])*f32(b[2]))+f32(c[2]), float32(f32(a[3])*f32(b[3]))+f32(c[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case program.IEq:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(a[0] == b[0]), bit(a[1] == b[1]), bit(a[2] == b[2]), bit(a[3] == b[3])
			}
		case program.ULt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(a[0] < b[0]), bit(a[1] < b[1]), bit(a[2] < b[2]), bit(a[3] < b[3])
			}
		case program.SLt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(int32(a[0]) < int32(b[0])), bit(int32(a[1]) < int32(b[1])), bit(int32(a[2]) < int32(b[2])), bit(int32(a[3]) < int32(b[3]))
			}
		case program.FOrdLt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(f32(a[0]) < f32(b[0])), bit(f32(a[1]) < f32(b[1])), bit(f32(a[2]) < f32(b[2])), bit(f32(a[3]) < f32(b[3]))
			}
		case program.Select:
			for i := uint32(0); i < op.N; i++ {
				v := R[op.C+i]
				if R[op.A+i] != 0 {
					v = R[op.B+i]
				}
				R[dst+i] = v
			}
		case program.Fma32:
			for i := uint32(0); i < op.N; i += 4 {
				fma4(four(base, dst+i), four(base, op.A+i), four(base, op.B+i), four(base, op.C+i))
			}
		case program.CallN:
			w.callN(op)
			continue
		case program.Load32:
			if op.N != 1 || !w.load32(op) {
				goto memory
			}
			continue
		case program.Store32:
			if op.N != 1 || !w.store32(op) {
				goto memory
			}
			continue
		case program.Load8, program.Load16, program.Load64, program.LoadPtr, program.Store8, program.Store16, program.Store64, program.StorePtr, program.Atomic, program.ImageOp:
			goto memory
		case program.LoadVar, program.StoreVar:
			if !w.variable(op, pc-1) {
				w.PC = pc - 1
				return Faulted
			}
			continue
		case program.CheckIndex:
			if !w.checkIndex(op, pc-1) {
				w.PC = pc - 1
				return Faulted
			}
			if w.T.Halt {
				w.PC = pc
				w.status = AtBreak
				return AtBreak
			}
			continue
		case program.CheckDefined:
			if seen := w.T.Undefined; seen != nil {
				*seen |= w.undefined(int(op.X), *seen)
			}
			continue
		case program.MarkUndefined:
			w.markUndefined(op)
			continue
		case program.CheckUsed:
			w.checkUsed(op)
			continue
		case program.PtrToElem:
			if !w.pointToElem(op, pc-1) {
				w.PC = pc - 1
				return Faulted
			}
			continue
		case program.HandleElem:
			if !w.handleElem(op, pc-1) {
				w.PC = pc - 1
				return Faulted
			}
			continue
		case program.ArrayLen:
			if !w.arrayLength(op, pc-1) {
				w.PC = pc - 1
				return Faulted
			}
			continue
		case program.Group:
			w.group(int(op.X))
			continue
		case program.Clock:
			w.clock(op)
			continue
		default:
			w.value(op, dst)
		}

		if w.blend {
			for l := w.active.First(); l >= 0; l = w.active.Next(l) {
				for i := uint32(l); i < op.N; i += stride {
					R[op.Dst+i] = R[dst+i]
				}
			}
		}
		continue

	plain: // the quick form does not hold here
		op = &w.P.Code[pc-1]
		goto again

	memory:
		w.PC = pc - 1
		if s := w.memory(op); s != Runnable {
			w.status = s
			return s
		}
	}
}
