package lower

import (
	"ampdbg/program"
	"ampdbg/spirv"
)

var atomicOps = map[spirv.Opcode]program.AtomicOp{
	spirv.OpAtomicLoad: program.AtomicLoad, spirv.OpAtomicStore: program.AtomicStore,
	spirv.OpAtomicExchange: program.AtomicExchange, spirv.OpAtomicCompareExchange: program.AtomicCompareExchange,
	spirv.OpAtomicCompareExchangeWeak: program.AtomicCompareExchange,
	spirv.OpAtomicIIncrement:          program.AtomicAdd, spirv.OpAtomicIDecrement: program.AtomicSub,
	spirv.OpAtomicIAdd: program.AtomicAdd, spirv.OpAtomicISub: program.AtomicSub,
	spirv.OpAtomicSMin: program.AtomicSMin, spirv.OpAtomicUMin: program.AtomicUMin,
	spirv.OpAtomicSMax: program.AtomicSMax, spirv.OpAtomicUMax: program.AtomicUMax,
	spirv.OpAtomicAnd: program.AtomicAnd, spirv.OpAtomicOr: program.AtomicOr, spirv.OpAtomicXor: program.AtomicXor,
	spirv.OpAtomicFAddEXT: program.AtomicFAdd, spirv.OpAtomicFMinEXT: program.AtomicFMin, spirv.OpAtomicFMaxEXT: program.AtomicFMax,
}

// atomic lowers atomic instructions. It reports whether in is one.
func (l *lowerer) atomic(in *spirv.Inst) bool {
	kind, ok := atomicOps[in.Op]
	if !ok {
		return false
	}
	id := func(k int) spirv.ID { return spirv.ID(in.Args[k]) }
	p := l.pointerOf(id(0))
	if p.typ.Kind != spirv.Int && p.typ.Kind != spirv.Float {
		l.bad("an atomic on %s", p.typ)
	}
	info := program.AtomicInfo{
		Op: kind, Size: p.typ.Width / 8,
		Scope: spirv.Scope(l.uintConst(id(1), "an atomic's scope")), Semantics: l.uintConst(id(2), "memory semantics"),
	}
	if info.Size < 4 {
		l.unsupported(in.Op.String() + " on " + p.typ.String())
	}
	switch in.Op {
	case spirv.OpAtomicLoad:
	case spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement:
		info.Val = l.constant(1)
	case spirv.OpAtomicCompareExchange, spirv.OpAtomicCompareExchangeWeak:
		info.Unequal = l.uintConst(id(3), "memory semantics")
		info.Val, info.Cmp = l.row(id(4)), l.row(id(5))
	default:
		info.Val = l.row(id(3))
	}
	var dst uint32
	if in.Result != 0 {
		info.Unused = l.uses[in.Result] == 0
		dst = l.result()[0]
	}
	switch p.base {
	case texelBase:
		l.imageAtomic(p, info, dst)
		return true
	case varBase:
		l.variableAtomic(p, info, dst)
		return true
	case viewBase, rowBase:
	default:
		l.bad("an atomic in %v storage", p.storage)
	}
	i := l.index(p)
	op := program.Op{Code: program.Atomic, X: int32(len(l.p.Atomics)), Dst: dst, C: i.row, Sh: i.sh, Y: int32(i.stride), Imm: p.off}
	if p.base == viewBase {
		op.B = uint32(p.index)
	} else {
		op.A, op.Flag = p.row, 1
	}
	l.p.Atomics = append(l.p.Atomics, info)
	l.emit(op)
	return true
}

// variableAtomic does an atomic on a Private or Function variable, which no
// other thread sees: a load, the operation and a store.
func (l *lowerer) variableAtomic(p *pointer, info program.AtomicInfo, dst uint32) {
	old := l.loadVariable(p)
	now := l.allocRows(1)
	val, cmp := info.Val, info.Cmp
	if info.Op == program.AtomicLoad {
		val = old[0]
	}
	if info.Op != program.AtomicCompareExchange {
		cmp = old[0]
	}
	op := info.Op
	fn := program.Symbol{Set: program.Machine, Op: uint32(program.AtomicResult), Src: program.Kind{Width: uint8(8 * info.Size)}, N: int64(op)}
	l.callN(fn, []uint32{old[0], val, cmp}, now)
	if op.Writes() {
		l.storeVariable(p, now)
	}
	if op.Reads() {
		l.move([]uint32{dst}, old)
	}
}
