package warp

import "unsafe"

// Run executes operations until the warp finishes, blocks at a tile barrier,
// faults, or reaches a back edge with at least limit thread-instructions
// executed in total (see Steps). It returns the status.
func (w *Warp) Run(limit uint64) Status {
	if w.status == Finished || w.status == Blocked || w.status == Faulted {
		return w.status
	}
	w.status = Runnable
	w.limit = limit
	var (
		code   = w.code
		R      = w.R
		base   = unsafe.Pointer(&w.R[0])
		pc     = w.PC
		stride = uint32(w.P.Stride)
	)
	if w.ragged && &code[0] == &w.P.Fast[0] {
		code = w.P.Code // its quick form would not hold
	}
	for {
		op := &code[pc]
		pc++
		dst := op.Dst
		if w.blend {
			dst = w.P.Scratch
		}
	again:
		switch op.Code {
		case Nop:
			continue

		case Jump:
			w.Steps += uint64(op.Imm) * w.nact
			pc = int(op.X)
			continue
		case BranchIf:
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
		case BranchULt, BranchULe, BranchSLt, BranchSLe, BranchEq, BranchNe:
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
			pc = w.loopNext(op, pc)
			continue
		case LoadLoadFma:
			if w.ragged || !w.loadLoadFma(op, pc-1) {
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
		case SwitchOn:
			w.Steps += uint64(op.Imm) * w.nact
			pc = w.switchOn(op)
			continue
		case Enter:
			w.push(op.X)
			continue
		case ExitMerge:
			w.Steps += uint64(op.Imm) * w.nact
			c := &w.stack[len(w.stack)-1-int(op.X)]
			m := w.active.Or(c.merge)
			if op.X == 0 && c.quiet() {
				w.stack = w.stack[:len(w.stack)-1]
				if m != w.active {
					w.setActive(m)
				}
				pc = int(op.Y)
				continue
			}
			c.merge = m
			if pc = w.next(); pc < 0 {
				return w.status
			}
			continue
		case ExitCont:
			w.Steps += uint64(op.Imm) * w.nact
			c := &w.stack[len(w.stack)-1-int(op.X)]
			if op.X == 0 && len(c.pending) == 0 {
				if m := w.active.Or(c.cont); m != w.active {
					c.cont = Mask{}
					w.setActive(m)
				}
				pc = int(op.Y)
				continue
			}
			c.cont = c.cont.Or(w.active)
			if pc = w.next(); pc < 0 {
				return w.status
			}
			continue
		case BackEdge:
			w.Steps += uint64(op.Imm) * w.nact
			c := &w.stack[len(w.stack)-1-int(op.X)]
			if op.X == 0 && c.quiet() {
				c.iter++
				pc = int(op.Y)
				if w.Steps < w.limit {
					// Most loops begin with their test.
					if test := &code[pc]; test.Code >= BranchULt && test.Code <= BranchNe {
						pc = w.compareAndBranch(test)
					}
					continue
				}
			} else {
				c.head = c.head.Or(w.active)
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
		case Return:
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
		case Unreachable:
			w.fault(&Fault{Kind: UnreachableExecuted, PC: pc - 1, Lanes: w.active})
			return Faulted
		case Barrier:
			w.PC = pc - 1
			if w.yieldAtVisible() {
				return Yielded
			}
			w.Steps += w.nact
			if w.T.Obs != nil {
				w.T.Obs.Barrier(w, pc-1)
			}
			if !op.waits() {
				continue
			}
			if pc = w.arrive(pc - 1); pc < 0 {
				return w.status
			}
			continue
		case Fence:
			if w.T.Obs != nil {
				w.T.Obs.Fence(w, pc-1)
			}
			continue
		case Printf:
			w.printf(op)
			continue
		case Break:
			w.PC = pc - 1
			w.status = AtBreak
			return AtBreak

		case Mov:
			if !w.blend {
				for i := uint32(0); i < op.N; i += 4 {
					copy4(four(base, dst+i), four(base, op.A+i))
				}
				continue
			}
			w.movMasked(op)
			continue
		case IAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])+uint32(b[0])), uint64(uint32(a[1])+uint32(b[1])), uint64(uint32(a[2])+uint32(b[2])), uint64(uint32(a[3])+uint32(b[3]))
			}
		case ISub32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])-uint32(b[0])), uint64(uint32(a[1])-uint32(b[1])), uint64(uint32(a[2])-uint32(b[2])), uint64(uint32(a[3])-uint32(b[3]))
			}
		case IMul32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])*uint32(b[0])), uint64(uint32(a[1])*uint32(b[1])), uint64(uint32(a[2])*uint32(b[2])), uint64(uint32(a[3])*uint32(b[3]))
			}
		case IMulAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b, c := four(base, dst+i), four(base, op.A+i), four(base, op.B+i), four(base, op.C+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])*uint32(b[0])+uint32(c[0])), uint64(uint32(a[1])*uint32(b[1])+uint32(c[1])), uint64(uint32(a[2])*uint32(b[2])+uint32(c[2])), uint64(uint32(a[3])*uint32(b[3])+uint32(c[3]))
			}
		case And:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = a[0]&b[0], a[1]&b[1], a[2]&b[2], a[3]&b[3]
			}
		case Shl32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])<<b[0]), uint64(uint32(a[1])<<b[1]), uint64(uint32(a[2])<<b[2]), uint64(uint32(a[3])<<b[3])
			}
		case FAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				s0, s1, s2, s3 := f32(a[0])+f32(b[0]), f32(a[1])+f32(b[1]), f32(a[2])+f32(b[2]), f32(a[3])+f32(b[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case FSub32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				s0, s1, s2, s3 := f32(a[0])-f32(b[0]), f32(a[1])-f32(b[1]), f32(a[2])-f32(b[2]), f32(a[3])-f32(b[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case FMul32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				s0, s1, s2, s3 := f32(a[0])*f32(b[0]), f32(a[1])*f32(b[1]), f32(a[2])*f32(b[2]), f32(a[3])*f32(b[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case FMulAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b, c := four(base, dst+i), four(base, op.A+i), four(base, op.B+i), four(base, op.C+i)
				s0, s1, s2, s3 := float32(f32(a[0])*f32(b[0]))+f32(c[0]), float32(f32(a[1])*f32(b[1]))+f32(c[1]), float32(f32(a[2])*f32(b[2]))+f32(c[2]), float32(f32(a[3])*f32(b[3]))+f32(c[3])
				d[0], d[1], d[2], d[3] = bits32(s0), bits32(s1), bits32(s2), bits32(s3)
				if s := s0 + s1 + s2 + s3; s != s {
					oneNaN32(d)
				}
			}
		case IEq:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(a[0] == b[0]), bit(a[1] == b[1]), bit(a[2] == b[2]), bit(a[3] == b[3])
			}
		case ULt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(a[0] < b[0]), bit(a[1] < b[1]), bit(a[2] < b[2]), bit(a[3] < b[3])
			}
		case SLt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(int32(a[0]) < int32(b[0])), bit(int32(a[1]) < int32(b[1])), bit(int32(a[2]) < int32(b[2])), bit(int32(a[3]) < int32(b[3]))
			}
		case FOrdLt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(base, dst+i), four(base, op.A+i), four(base, op.B+i)
				d[0], d[1], d[2], d[3] = bit(f32(a[0]) < f32(b[0])), bit(f32(a[1]) < f32(b[1])), bit(f32(a[2]) < f32(b[2])), bit(f32(a[3]) < f32(b[3]))
			}
		case Select:
			for i := uint32(0); i < op.N; i++ {
				v := R[op.C+i]
				if R[op.A+i] != 0 {
					v = R[op.B+i]
				}
				R[dst+i] = v
			}
		case Fma32:
			for i := uint32(0); i < op.N; i += 4 {
				fma4(four(base, dst+i), four(base, op.A+i), four(base, op.B+i), four(base, op.C+i))
			}
		case CallN:
			w.callN(op)
			continue
		case Load32:
			if op.N != 1 || !w.load32(op) {
				goto memory
			}
			continue
		case Store32:
			if op.N != 1 || !w.store32(op) {
				goto memory
			}
			continue
		case Load8, Load16, Load64, LoadPtr, Store8, Store16, Store64, StorePtr, Atomic, ImageOp:
			goto memory
		case LoadVar, StoreVar:
			if !w.variable(op, pc-1) {
				w.PC = pc - 1
				return Faulted
			}
			continue
		case CheckIndex:
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
		case CheckDefined:
			if seen := w.P.Undefined; seen != nil {
				*seen |= w.undefined(&w.P.Defined[op.X], *seen)
			}
			continue
		case MarkUndefined:
			w.markUndefined(op)
			continue
		case CheckUsed:
			w.checkUsed(op)
			continue
		case PtrToElem:
			if !w.pointToElem(op, pc-1) {
				w.PC = pc - 1
				return Faulted
			}
			continue
		case HandleElem:
			if !w.handleElem(op, pc-1) {
				w.PC = pc - 1
				return Faulted
			}
			continue
		case ArrayLen:
			if !w.arrayLength(op, pc-1) {
				w.PC = pc - 1
				return Faulted
			}
			continue
		case Group:
			w.group(&w.P.Groups[op.X])
			continue
		case Clock:
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
