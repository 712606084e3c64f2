package warp

import (
	"math/bits"
	"unsafe"

	"ampdbg/program"
)

// run executes operations of code, a form of c. What it does itself is what straight
// does not: operations of which some live lane takes no part, and those at which the
// warp may stop, fault or be watched.
func (c *Interpreted) run(w *Warp, code []program.Op, limit uint64) Status {
	if w.status == Finished || w.status == Blocked || w.status == Faulted {
		return w.status
	}
	w.status = Runnable
	w.limit = limit
	pc := w.PC
	for {
		if !w.blend {
			if pc = w.straight(code, pc); pc < 0 {
				return w.status
			}
		}
		op := &code[pc]
		if op.Code > Break { // a quick form that does not hold
			op = &c.plain[pc]
		}
		pc++
		switch op.Code {
		case program.Nop:
			continue

		case program.Jump:
			w.Steps += uint64(op.Imm) * w.nact
			pc = int(op.X)
			continue
		case program.BranchIf, program.BranchULt, program.BranchULe, program.BranchSLt, program.BranchSLe, program.BranchEq, program.BranchNe:
			pc = w.branch(op)
			continue
		case program.SwitchOn:
			w.Steps += uint64(op.Imm) * w.nact
			pc = w.switchOn(op)
			continue
		case program.Enter:
			w.push(op.X)
			continue
		case program.ExitMerge:
			if pc = w.exitMerge(op); pc < 0 {
				return w.status
			}
			continue
		case program.ExitCont:
			if pc = w.exitCont(op); pc < 0 {
				return w.status
			}
			continue
		case program.BackEdge:
			w.Steps += uint64(op.Imm) * w.nact
			s := &w.stack[len(w.stack)-1-int(op.X)]
			if op.X == 0 && s.quiet() {
				s.iter++
				pc = int(op.Y)
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
			w.movMasked(op)
		case program.CallN:
			w.callN(op)
			continue
		case program.Load8, program.Load16, program.Load32, program.Load64, program.LoadPtr, program.Store8, program.Store16, program.Store32, program.Store64, program.StorePtr, program.Atomic, program.ImageOp:
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
			w.masked(op, pc-1)
		}
		continue

	memory:
		w.PC = pc - 1
		if s := w.memory(op); s != Runnable {
			w.status = s
			return s
		}
	}
}

// masked does the value operation at pc for the active lanes alone: the rows that
// it writes are set aside, and those of the other lanes come back.
func (w *Warp) masked(op *program.Op, pc int) {
	base, dst, kept := unsafe.Pointer(unsafe.SliceData(w.R)), op.Dst, w.P.Scratch
	for i := uint32(0); i < op.N; i += 4 {
		copy4(four(base, kept+i), four(base, dst+i))
	}
	w.straight(w.P.Code[:pc+1], pc)
	stride := uint32(w.P.Stride)
	for half, m := range w.row.AndNot(w.active) {
		for ; m != 0; m &= m - 1 {
			for i := uint32(half<<6 + bits.TrailingZeros64(m)); i < op.N; i += stride {
				*word(base, dst+i) = *word(base, kept+i)
			}
		}
	}
}
