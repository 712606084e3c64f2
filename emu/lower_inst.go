package emu

import (
	"fmt"

	"ampdbg/spirv"
	"ampdbg/warp"
)

// nonSemantic reports whether an OpExtInst may be ignored.
func (l *lowerer) nonSemantic(in *spirv.Inst) bool {
	set := l.u.ExtSet(spirv.ID(in.Args[0]))
	return len(set) > 12 && set[:12] == "NonSemantic." || set == "OpenCL.DebugInfo.100"
}

// instruction lowers instruction i, which is not a terminator.
func (l *lowerer) instruction(i int) {
	in := &l.u.Insts[i]
	switch in.Op {
	case spirv.OpLine, spirv.OpNoLine, spirv.OpPhi, spirv.OpNop, spirv.OpLabel, spirv.OpUndef:
		return
	}
	l.pending++
	id := func(k int) spirv.ID { return spirv.ID(in.Args[k]) }
	switch in.Op {
	case spirv.OpVariable:
		l.initVariable(l.u.Var(in.Result))
	case spirv.OpLoad:
		l.set(l.load(l.pointerOf(id(0)), alignment(in.Args[1:])))
	case spirv.OpStore:
		l.store(l.pointerOf(id(0)), l.rowsOf(id(1)), alignment(in.Args[2:]))
	case spirv.OpCopyMemory:
		l.store(l.pointerOf(id(0)), l.load(l.pointerOf(id(1)), 0).rows, 0)
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		l.accessChain(in)
	case spirv.OpArrayLength:
		l.arrayLength(in)
	case spirv.OpPtrEqual, spirv.OpPtrNotEqual, spirv.OpPtrDiff:
		l.comparePointers(in)
	case spirv.OpFunctionCall:
		l.call(in)

	case spirv.OpCopyObject, spirv.OpCopyLogical, spirv.OpExpectKHR:
		l.set(l.val(id(0)))
	case spirv.OpAssumeTrueKHR:
		l.checkAssumption(l.row(id(0)))
	case spirv.OpConvertPtrToU, spirv.OpConvertUToPtr:
		l.convertPointer(in)
	case spirv.OpBitcast:
		l.bitcast(in)
	case spirv.OpSelect:
		l.selectValue(in)
	case spirv.OpCompositeConstruct, spirv.OpCompositeExtract, spirv.OpCompositeInsert, spirv.OpVectorShuffle,
		spirv.OpTranspose:
		l.composite(in)
	case spirv.OpVectorExtractDynamic, spirv.OpVectorInsertDynamic:
		l.dynamicComponent(in)

	case spirv.OpControlBarrier:
		scope := l.uintConst(id(0), "an execution scope")
		l.emit(warp.Op{
			Code: warp.Barrier, X: int32(scope),
			C: l.uintConst(id(1), "a memory scope"), Y: int32(l.uintConst(id(2), "memory semantics")),
		})
	case spirv.OpMemoryBarrier:
		l.emit(warp.Op{Code: warp.Fence, C: l.uintConst(id(0), "a memory scope"), Y: int32(l.uintConst(id(1), "memory semantics"))})
	case spirv.OpReadClockKHR:
		rows := l.result()
		op := warp.Op{Code: warp.Clock, Dst: rows[0], N: l.stride}
		if len(rows) == 2 {
			op.Flag = 1
		}
		l.emit(op)
	case spirv.OpExtInst:
		l.extended(in)
	default:
		switch {
		case l.atomic(in), l.group(in), l.image(in), l.arithmetic(in):
		default:
			l.unsupportedInst(in)
		}
	}
}

func (l *lowerer) unsupportedInst(in *spirv.Inst) {
	what := in.Op.String()
	if c := in.Op.Capabilities(); len(c) > 0 {
		what = fmt.Sprintf("%s (capability %v)", what, c[0])
	}
	l.unsupported(what)
}

// call inlines a function call.
func (l *lowerer) call(in *spirv.Inst) {
	fn := l.u.Function(spirv.ID(in.Args[0]))
	if fn == nil || len(fn.Blocks) == 0 {
		l.unsupported("a call of an imported function")
	}
	if len(in.Args)-1 != len(fn.Params) {
		l.bad("call of %s with %d arguments, it has %d parameters", l.u.DisplayName(fn.ID), len(in.Args)-1, len(fn.Params))
	}
	args := make([]value, len(fn.Params))
	for k := range args {
		args[k] = l.val(spirv.ID(in.Args[k+1]))
	}
	steps := l.pending
	l.pending = 0
	r := l.function(fn, args, l.frame)
	l.pending = steps
	l.blockStart = len(l.p.Code)
	l.set(r)
}

func (l *lowerer) arrayLength(in *spirv.Inst) {
	p := l.pointerOf(spirv.ID(in.Args[0]))
	t, off, _ := p.typ.Place(p.layout, int(in.Args[1]))
	if t.Kind != spirv.RuntimeArray {
		l.bad("OpArrayLength of %s", t)
	}
	_, _, inner := p.typ.Place(p.layout, int(in.Args[1]))
	op := warp.Op{Code: warp.ArrayLen, Dst: l.result()[0], N: l.stride, Imm: p.off + int64(off), Y: int32(t.Stride(inner))}
	if op.Y <= 0 {
		l.bad("OpArrayLength of an array without a stride")
	}
	switch p.base {
	case viewBase:
		op.X = p.index
	case rowBase:
		op.A, op.Flag = p.row, 1
	default:
		l.unsupported("OpArrayLength in " + p.storage.String() + " storage")
	}
	l.emit(op)
}

func (l *lowerer) comparePointers(in *spirv.Inst) {
	a, b := l.address(l.pointerOf(spirv.ID(in.Args[0]))), l.address(l.pointerOf(spirv.ID(in.Args[1])))
	dst := l.result()[0]
	switch in.Op {
	case spirv.OpPtrEqual:
		l.compute(warp.Op{Code: warp.IEq, Dst: dst, A: a, B: b})
	case spirv.OpPtrNotEqual:
		l.compute(warp.Op{Code: warp.INe, Dst: dst, A: a, B: b})
	default:
		t := l.u.TypeOf(spirv.ID(in.Args[0]))
		stride := int64(t.Stride(spirv.LayoutOf(t)))
		width := l.resultType().Width
		keep := ^uint64(0) >> (64 - width)
		l.p.Fn2 = append(l.p.Fn2, func(a, b uint64) uint64 { return uint64(int64(a-b)/stride) & keep })
		l.p.Scalars2 = append(l.p.Scalars2, warp.ScalarInfo{})
		l.compute(warp.Op{Code: warp.Call2, Dst: dst, A: a, B: b, X: int32(len(l.p.Fn2) - 1)})
	}
}

// convertPointer lowers conversions between integers and physical pointers,
// which are the same 64 bits.
func (l *lowerer) convertPointer(in *spirv.Inst) {
	row := l.row(spirv.ID(in.Args[0]))
	if t := l.resultType(); t.Kind == spirv.Int && t.Width < 64 {
		dst := l.result()[0]
		l.compute(warp.Op{Code: warp.And, Dst: dst, A: row, B: l.constant(1<<t.Width - 1)})
		return
	}
	l.setRows([]uint32{row})
}

// bitcast lowers OpBitcast: between types of the same component width it is
// the same rows, otherwise the bits are cut anew, low bits first.
func (l *lowerer) bitcast(in *spirv.Inst) {
	src := l.rowsOf(spirv.ID(in.Args[0]))
	from, to := l.kind(l.u.TypeOf(spirv.ID(in.Args[0]))).Width, l.kind(l.resultType()).Width
	if from == to {
		l.setRows(src)
		return
	}
	dst := l.result()
	if len(src)*int(from) != len(dst)*int(to) {
		l.bad("OpBitcast from %d to %d bits", len(src)*int(from), len(dst)*int(to))
	}
	unit := min(from, to)
	l.callN(func(in, out []uint64) {
		clear(out)
		per, outPer := int(from/unit), int(to/unit)
		for i := range len(in) * per {
			part := in[i/per] >> (i % per * int(unit)) & (1<<unit - 1)
			out[i/outPer] |= part << (i % outPer * int(unit))
		}
	}, src, dst)
}

// callN emits an n-ary function of scalars.
func (l *lowerer) callN(fn func(in, out []uint64), in, out []uint32) {
	l.p.FnN = append(l.p.FnN, warp.CallInfo{Fn: fn, In: in, Out: out})
	l.emit(warp.Op{Code: warp.CallN, X: int32(len(l.p.FnN) - 1)})
}

func (l *lowerer) selectValue(in *spirv.Inst) {
	cond := l.rowsOf(spirv.ID(in.Args[0]))
	a, b := l.rowsOf(spirv.ID(in.Args[1])), l.rowsOf(spirv.ID(in.Args[2]))
	dst := l.result()
	if len(cond) == 1 && len(dst) > 1 {
		cond = repeat(cond[0], len(dst))
	}
	if len(cond) != len(dst) || len(a) != len(dst) || len(b) != len(dst) {
		l.bad("OpSelect of different sizes")
	}
	l.spread(warp.Op{Code: warp.Select}, dst, cond, a, b)
}

func repeat(row uint32, n int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = row
	}
	return rows
}

// composite lowers instructions that only rearrange scalars: the result is
// made of the operands' rows, and nothing is executed.
func (l *lowerer) composite(in *spirv.Inst) {
	id := func(k int) spirv.ID { return spirv.ID(in.Args[k]) }
	var rows []uint32
	switch in.Op {
	case spirv.OpCompositeConstruct:
		for k := range in.Args {
			rows = append(rows, l.rowsOf(id(k))...)
		}
	case spirv.OpCompositeExtract:
		first, n := l.part(l.u.TypeOf(id(0)), in.Args[1:])
		rows = l.rowsOf(id(0))[first : first+n]
	case spirv.OpCompositeInsert:
		first, n := l.part(l.u.TypeOf(id(1)), in.Args[2:])
		rows = append(rows, l.rowsOf(id(1))...)
		obj := l.rowsOf(id(0))
		if len(obj) != n {
			l.bad("OpCompositeInsert of a part of another size")
		}
		copy(rows[first:], obj)
	case spirv.OpVectorShuffle:
		both := append(append([]uint32{}, l.rowsOf(id(0))...), l.rowsOf(id(1))...)
		for _, k := range in.Args[2:] {
			switch {
			case k == 0xffffffff:
				rows = append(rows, l.undefRow(in.Result, 0))
			case int(k) < len(both):
				rows = append(rows, both[k])
			default:
				l.bad("component %d of %d", k, len(both))
			}
		}
	case spirv.OpTranspose:
		t := l.u.TypeOf(id(0))
		src := l.rowsOf(id(0))
		for r := range t.Elem.Len {
			for c := range t.Len {
				rows = append(rows, src[c*t.Elem.Len+r])
			}
		}
	}
	if t := l.resultType(); t.Scalars() != len(rows) {
		l.bad("a value of %d scalars for %s", len(rows), t)
	}
	l.setRows(rows)
}

// part finds the scalars of a part of a composite.
func (l *lowerer) part(t *spirv.Type, path []uint32) (first, n int) {
	for _, k := range path {
		child := t.Child(int(k))
		if child == nil || t.Kind == spirv.RuntimeArray {
			l.bad("part %d of %s", k, t)
		}
		first += t.ChildScalar(int(k))
		t = child
	}
	return first, t.Scalars()
}

// dynamicComponent lowers OpVectorExtractDynamic and OpVectorInsertDynamic. An
// index out of range is undefined: it reads 0 and writes nothing.
func (l *lowerer) dynamicComponent(in *spirv.Inst) {
	vec := l.rowsOf(spirv.ID(in.Args[0]))
	rows := append([]uint32{}, vec...)
	n := len(vec)
	if in.Op == spirv.OpVectorExtractDynamic {
		l.callN(func(in, out []uint64) {
			out[0] = 0
			if i := in[n]; i < uint64(n) {
				out[0] = in[i]
			}
		}, append(rows, l.row(spirv.ID(in.Args[1]))), l.result())
		l.checkComponent(spirv.ID(in.Args[1]), n)
		return
	}
	rows = append(rows, l.row(spirv.ID(in.Args[1])), l.row(spirv.ID(in.Args[2])))
	l.callN(func(in, out []uint64) {
		copy(out, in[:n])
		if i := in[n+1]; i < uint64(n) {
			out[i] = in[n]
		}
	}, rows, l.result())
	l.checkComponent(spirv.ID(in.Args[2]), n)
}
