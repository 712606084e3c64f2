package warp

import (
	"encoding/binary"
	"math"

	"ampdbg/tilemem"
)

// four is the run of four lanes at element i.
func four(r []uint64, i uint32) *[4]uint64 { return (*[4]uint64)(r[i:]) }

func f32(x uint64) float32    { return math.Float32frombits(uint32(x)) }
func bits32(f float32) uint64 { return uint64(math.Float32bits(f)) }
func f64(x uint64) float64    { return math.Float64frombits(x) }
func bits64(f float64) uint64 { return math.Float64bits(f) }

// fma32 is a*b + c rounded once. The product is exact in binary64 and the sum
// is rounded to it; rounding again goes wrong only if that lies in the middle
// between two neighbours of binary32, or is too small for one of full
// precision.
func fma32(a, b, c uint64) uint64 {
	s := float64(f32(a))*float64(f32(b)) + float64(f32(c))
	x := math.Float64bits(s)
	if x&(1<<29-1) == 1<<28 || x<<1 < (1023-126)<<53 && x<<1 != 0 {
		return exactFma32(a, b, c)
	}
	return bits32(float32(s))
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

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
		code   = w.P.Code
		R      = w.R
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
				a := four(R, op.A+i)
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
		case BranchULt:
			w.Steps += uint64(op.Imm) * w.nact
			var lo, hi uint64
			for i := uint32(0); i < stride; i += 4 {
				a, b := four(R, op.A+i), four(R, op.B+i)
				x := bit(a[0] < b[0])<<0 | bit(a[1] < b[1])<<1 | bit(a[2] < b[2])<<2 | bit(a[3] < b[3])<<3
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
		case BranchULe:
			w.Steps += uint64(op.Imm) * w.nact
			var lo, hi uint64
			for i := uint32(0); i < stride; i += 4 {
				a, b := four(R, op.A+i), four(R, op.B+i)
				x := bit(a[0] <= b[0])<<0 | bit(a[1] <= b[1])<<1 | bit(a[2] <= b[2])<<2 | bit(a[3] <= b[3])<<3
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
		case BranchSLt:
			w.Steps += uint64(op.Imm) * w.nact
			var lo, hi uint64
			for i := uint32(0); i < stride; i += 4 {
				a, b := four(R, op.A+i), four(R, op.B+i)
				x := bit(int32(a[0]) < int32(b[0]))<<0 | bit(int32(a[1]) < int32(b[1]))<<1 | bit(int32(a[2]) < int32(b[2]))<<2 | bit(int32(a[3]) < int32(b[3]))<<3
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
		case BranchSLe:
			w.Steps += uint64(op.Imm) * w.nact
			var lo, hi uint64
			for i := uint32(0); i < stride; i += 4 {
				a, b := four(R, op.A+i), four(R, op.B+i)
				x := bit(int32(a[0]) <= int32(b[0]))<<0 | bit(int32(a[1]) <= int32(b[1]))<<1 | bit(int32(a[2]) <= int32(b[2]))<<2 | bit(int32(a[3]) <= int32(b[3]))<<3
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
		case BranchEq:
			w.Steps += uint64(op.Imm) * w.nact
			var lo, hi uint64
			for i := uint32(0); i < stride; i += 4 {
				a, b := four(R, op.A+i), four(R, op.B+i)
				x := bit(a[0] == b[0])<<0 | bit(a[1] == b[1])<<1 | bit(a[2] == b[2])<<2 | bit(a[3] == b[3])<<3
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
		case BranchNe:
			w.Steps += uint64(op.Imm) * w.nact
			var lo, hi uint64
			for i := uint32(0); i < stride; i += 4 {
				a, b := four(R, op.A+i), four(R, op.B+i)
				x := bit(a[0] != b[0])<<0 | bit(a[1] != b[1])<<1 | bit(a[2] != b[2])<<2 | bit(a[3] != b[3])<<3
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
					*four(R, dst+i) = *four(R, op.A+i)
				}
				continue
			}
			w.movMasked(op)
			continue
		case Not32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a := four(R, dst+i), four(R, op.A+i)
				d[0], d[1], d[2], d[3] = uint64(^uint32(a[0])), uint64(^uint32(a[1])), uint64(^uint32(a[2])), uint64(^uint32(a[3]))
			}
		case IAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])+uint32(b[0])), uint64(uint32(a[1])+uint32(b[1])), uint64(uint32(a[2])+uint32(b[2])), uint64(uint32(a[3])+uint32(b[3]))
			}
		case ISub32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])-uint32(b[0])), uint64(uint32(a[1])-uint32(b[1])), uint64(uint32(a[2])-uint32(b[2])), uint64(uint32(a[3])-uint32(b[3]))
			}
		case IMul32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])*uint32(b[0])), uint64(uint32(a[1])*uint32(b[1])), uint64(uint32(a[2])*uint32(b[2])), uint64(uint32(a[3])*uint32(b[3]))
			}
		case IMulAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b, c := four(R, dst+i), four(R, op.A+i), four(R, op.B+i), four(R, op.C+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])*uint32(b[0])+uint32(c[0])), uint64(uint32(a[1])*uint32(b[1])+uint32(c[1])), uint64(uint32(a[2])*uint32(b[2])+uint32(c[2])), uint64(uint32(a[3])*uint32(b[3])+uint32(c[3]))
			}
		case IAdd64:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = a[0]+b[0], a[1]+b[1], a[2]+b[2], a[3]+b[3]
			}
		case ISub64:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
			}
		case IMul64:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = a[0]*b[0], a[1]*b[1], a[2]*b[2], a[3]*b[3]
			}
		case And:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = a[0]&b[0], a[1]&b[1], a[2]&b[2], a[3]&b[3]
			}
		case Or:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = a[0]|b[0], a[1]|b[1], a[2]|b[2], a[3]|b[3]
			}
		case Xor:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = a[0]^b[0], a[1]^b[1], a[2]^b[2], a[3]^b[3]
			}
		case Shl32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(a[0])<<(b[0]&0xff)), uint64(uint32(a[1])<<(b[1]&0xff)), uint64(uint32(a[2])<<(b[2]&0xff)), uint64(uint32(a[3])<<(b[3]&0xff))
			}
		case ShrU32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = a[0]>>(b[0]&0xff), a[1]>>(b[1]&0xff), a[2]>>(b[2]&0xff), a[3]>>(b[3]&0xff)
			}
		case ShrS32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = uint64(uint32(int32(a[0])>>(b[0]&0xff))), uint64(uint32(int32(a[1])>>(b[1]&0xff))), uint64(uint32(int32(a[2])>>(b[2]&0xff))), uint64(uint32(int32(a[3])>>(b[3]&0xff)))
			}
		case FAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bits32(f32(a[0])+f32(b[0])), bits32(f32(a[1])+f32(b[1])), bits32(f32(a[2])+f32(b[2])), bits32(f32(a[3])+f32(b[3]))
			}
		case FSub32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bits32(f32(a[0])-f32(b[0])), bits32(f32(a[1])-f32(b[1])), bits32(f32(a[2])-f32(b[2])), bits32(f32(a[3])-f32(b[3]))
			}
		case FMul32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bits32(f32(a[0])*f32(b[0])), bits32(f32(a[1])*f32(b[1])), bits32(f32(a[2])*f32(b[2])), bits32(f32(a[3])*f32(b[3]))
			}
		case FMulAdd32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b, c := four(R, dst+i), four(R, op.A+i), four(R, op.B+i), four(R, op.C+i)
				d[0], d[1], d[2], d[3] = bits32(float32(f32(a[0])*f32(b[0]))+f32(c[0])), bits32(float32(f32(a[1])*f32(b[1]))+f32(c[1])), bits32(float32(f32(a[2])*f32(b[2]))+f32(c[2])), bits32(float32(f32(a[3])*f32(b[3]))+f32(c[3]))
			}
		case Fma32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b, c := four(R, dst+i), four(R, op.A+i), four(R, op.B+i), four(R, op.C+i)
				d[0], d[1], d[2], d[3] = fma32(a[0], b[0], c[0]), fma32(a[1], b[1], c[1]), fma32(a[2], b[2], c[2]), fma32(a[3], b[3], c[3])
			}
		case FDiv32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bits32(f32(a[0])/f32(b[0])), bits32(f32(a[1])/f32(b[1])), bits32(f32(a[2])/f32(b[2])), bits32(f32(a[3])/f32(b[3]))
			}
		case FNeg32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a := four(R, dst+i), four(R, op.A+i)
				d[0], d[1], d[2], d[3] = a[0]^1<<31, a[1]^1<<31, a[2]^1<<31, a[3]^1<<31
			}
		case FAdd64:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bits64(f64(a[0])+f64(b[0])), bits64(f64(a[1])+f64(b[1])), bits64(f64(a[2])+f64(b[2])), bits64(f64(a[3])+f64(b[3]))
			}
		case FSub64:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bits64(f64(a[0])-f64(b[0])), bits64(f64(a[1])-f64(b[1])), bits64(f64(a[2])-f64(b[2])), bits64(f64(a[3])-f64(b[3]))
			}
		case FMul64:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bits64(f64(a[0])*f64(b[0])), bits64(f64(a[1])*f64(b[1])), bits64(f64(a[2])*f64(b[2])), bits64(f64(a[3])*f64(b[3]))
			}
		case IEq:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bit(a[0] == b[0]), bit(a[1] == b[1]), bit(a[2] == b[2]), bit(a[3] == b[3])
			}
		case INe:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bit(a[0] != b[0]), bit(a[1] != b[1]), bit(a[2] != b[2]), bit(a[3] != b[3])
			}
		case ULt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bit(a[0] < b[0]), bit(a[1] < b[1]), bit(a[2] < b[2]), bit(a[3] < b[3])
			}
		case ULe32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bit(a[0] <= b[0]), bit(a[1] <= b[1]), bit(a[2] <= b[2]), bit(a[3] <= b[3])
			}
		case SLt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bit(int32(a[0]) < int32(b[0])), bit(int32(a[1]) < int32(b[1])), bit(int32(a[2]) < int32(b[2])), bit(int32(a[3]) < int32(b[3]))
			}
		case SLe32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bit(int32(a[0]) <= int32(b[0])), bit(int32(a[1]) <= int32(b[1])), bit(int32(a[2]) <= int32(b[2])), bit(int32(a[3]) <= int32(b[3]))
			}
		case FOrdEq32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bit(f32(a[0]) == f32(b[0])), bit(f32(a[1]) == f32(b[1])), bit(f32(a[2]) == f32(b[2])), bit(f32(a[3]) == f32(b[3]))
			}
		case FOrdLt32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bit(f32(a[0]) < f32(b[0])), bit(f32(a[1]) < f32(b[1])), bit(f32(a[2]) < f32(b[2])), bit(f32(a[3]) < f32(b[3]))
			}
		case FOrdLe32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bit(f32(a[0]) <= f32(b[0])), bit(f32(a[1]) <= f32(b[1])), bit(f32(a[2]) <= f32(b[2])), bit(f32(a[3]) <= f32(b[3]))
			}
		case FUnordNe32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a, b := four(R, dst+i), four(R, op.A+i), four(R, op.B+i)
				d[0], d[1], d[2], d[3] = bit(f32(a[0]) != f32(b[0])), bit(f32(a[1]) != f32(b[1])), bit(f32(a[2]) != f32(b[2])), bit(f32(a[3]) != f32(b[3]))
			}
		case LogicalNot:
			for i := uint32(0); i < op.N; i += 4 {
				d, a := four(R, dst+i), four(R, op.A+i)
				d[0], d[1], d[2], d[3] = a[0]^1, a[1]^1, a[2]^1, a[3]^1
			}
		case Select:
			for i := uint32(0); i < op.N; i++ {
				v := R[op.C+i]
				if R[op.A+i] != 0 {
					v = R[op.B+i]
				}
				R[dst+i] = v
			}
		case SToF32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a := four(R, dst+i), four(R, op.A+i)
				d[0], d[1], d[2], d[3] = bits32(float32(int32(a[0]))), bits32(float32(int32(a[1]))), bits32(float32(int32(a[2]))), bits32(float32(int32(a[3])))
			}
		case UToF32:
			for i := uint32(0); i < op.N; i += 4 {
				d, a := four(R, dst+i), four(R, op.A+i)
				d[0], d[1], d[2], d[3] = bits32(float32(uint32(a[0]))), bits32(float32(uint32(a[1]))), bits32(float32(uint32(a[2]))), bits32(float32(uint32(a[3])))
			}
		case Call1:
			fn := w.P.Fn1[op.X]
			for i := uint32(0); i < op.N; i++ {
				R[dst+i] = fn(R[op.A+i])
			}
		case Call2:
			fn := w.P.Fn2[op.X]
			for i := uint32(0); i < op.N; i++ {
				R[dst+i] = fn(R[op.A+i], R[op.B+i])
			}
		case Call3:
			fn := w.P.Fn3[op.X]
			for i := uint32(0); i < op.N; i++ {
				R[dst+i] = fn(R[op.A+i], R[op.B+i], R[op.C+i])
			}
		case CallN:
			w.callN(op)
			continue
		case PtrTo:
			base := uint64(op.X)<<tilemem.OffsetBits + tilemem.Bias + uint64(op.Imm)
			sh, str := op.Sh&63, int64(op.Y)
			for i := uint32(0); i < stride; i += 4 {
				d, c := four(R, dst+i), four(R, op.C+i)
				for k := range 4 {
					d[k] = base + uint64(int64(c[k]<<sh)>>sh*str)
				}
			}
		case PtrAdd:
			sh, str := op.Sh&63, int64(op.Y)
			for i := uint32(0); i < stride; i += 4 {
				d, a, c := four(R, dst+i), four(R, op.A+i), four(R, op.C+i)
				for k := range 4 {
					d[k] = a[k] + uint64(op.Imm+int64(c[k]<<sh)>>sh*str)
				}
			}

		case Load32:
			v := &w.T.Views[op.X]
			if v.Slow || w.partial || op.N != 1 {
				goto memory
			}
			{
				data := v.Data
				lim := uint64(max(len(data)-3, 0))
				imm, sh, str := op.Imm, op.Sh&63, int64(op.Y)
				if str == 0 && op.Flag == 0 { // the same word for all lanes
					if uint64(imm) >= lim {
						goto memory
					}
					x := uint64(binary.LittleEndian.Uint32(data[imm:]))
					for i := uint32(0); i < stride; i += 4 {
						*four(R, op.Dst+i) = [4]uint64{x, x, x, x}
					}
					continue
				}
				for i := uint32(0); i < stride; i += 4 {
					d, c := four(R, op.Dst+i), four(R, op.C+i)
					o0 := uint64(imm + int64(c[0]<<sh)>>sh*str)
					o1 := uint64(imm + int64(c[1]<<sh)>>sh*str)
					o2 := uint64(imm + int64(c[2]<<sh)>>sh*str)
					o3 := uint64(imm + int64(c[3]<<sh)>>sh*str)
					if op.Flag != 0 {
						e, str := four(R, op.A+i), int64(int32(op.B))
						o0 += uint64(int64(e[0]<<sh) >> sh * str)
						o1 += uint64(int64(e[1]<<sh) >> sh * str)
						o2 += uint64(int64(e[2]<<sh) >> sh * str)
						o3 += uint64(int64(e[3]<<sh) >> sh * str)
					}
					if o0 >= lim || o1 >= lim || o2 >= lim || o3 >= lim {
						goto memory
					}
					d[0] = uint64(binary.LittleEndian.Uint32(data[o0:]))
					d[1] = uint64(binary.LittleEndian.Uint32(data[o1:]))
					d[2] = uint64(binary.LittleEndian.Uint32(data[o2:]))
					d[3] = uint64(binary.LittleEndian.Uint32(data[o3:]))
				}
			}
			continue
		case Store32:
			v := &w.T.Views[op.X]
			if v.Slow || w.partial || op.N != 1 || v.ReadOnly {
				goto memory
			}
			{
				data := v.Data
				lim := uint64(max(len(data)-3, 0))
				imm, sh, str := op.Imm, op.Sh&63, int64(op.Y)
				for i := uint32(0); i < stride; i += 4 {
					a, c := four(R, op.A+i), four(R, op.C+i)
					for k := range 4 {
						o := uint64(imm + int64(c[k]<<sh)>>sh*str)
						if op.Flag != 0 {
							o += uint64(int64(R[int(op.Dst+i)+k]<<sh) >> sh * int64(int32(op.B)))
						}
						if o >= lim {
							goto memory
						}
						binary.LittleEndian.PutUint32(data[o:], uint32(a[k]))
					}
				}
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
			panic("warp: no handler for operation " + op.Code.String())
		}

		if w.blend {
			for l := w.active.First(); l >= 0; l = w.active.Next(l) {
				for i := uint32(l); i < op.N; i += stride {
					R[op.Dst+i] = R[dst+i]
				}
			}
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
