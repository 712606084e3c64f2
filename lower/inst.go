package lower

import (
	"fmt"

	"ampdbg/program"
	"ampdbg/spirv"
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
		l.emit(program.Op{
			Code: program.Barrier, X: int32(scope),
			C: l.uintConst(id(1), "a memory scope"), Y: int32(l.uintConst(id(2), "memory semantics")),
		})
	case spirv.OpMemoryBarrier:
		l.emit(program.Op{Code: program.Fence, C: l.uintConst(id(0), "a memory scope"), Y: int32(l.uintConst(id(1), "memory semantics"))})
	case spirv.OpReadClockKHR:
		rows := l.result()
		op := program.Op{Code: program.Clock, Dst: rows[0], N: l.stride}
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
	r := l.body(fn, args, l.frame)
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
	op := program.Op{Code: program.ArrayLen, Dst: l.result()[0], N: l.stride, Imm: p.off + int64(off), Y: int32(t.Stride(inner))}
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
		l.compute(program.Op{Code: program.IEq, Dst: dst, A: a, B: b})
	case spirv.OpPtrNotEqual:
		l.compute(program.Op{Code: program.INe, Dst: dst, A: a, B: b})
	default:
		t := l.u.TypeOf(spirv.ID(in.Args[0]))
		fn := program.Symbol{
			Set: program.Machine, Op: uint32(program.PointerDistance),
			Dst: l.kind(l.resultType()), N: int64(t.Stride(spirv.LayoutOf(t))),
		}
		l.compute(program.Op{Code: program.Call2, Dst: dst, A: a, B: b, X: l.function(fn)})
	}
}

// convertPointer lowers conversions between integers and physical pointers,
// which are the same 64 bits.
func (l *lowerer) convertPointer(in *spirv.Inst) {
	row := l.row(spirv.ID(in.Args[0]))
	if t := l.resultType(); t.Kind == spirv.Int && t.Width < 64 {
		dst := l.result()[0]
		l.compute(program.Op{Code: program.And, Dst: dst, A: row, B: l.constant(1<<t.Width - 1)})
		return
	}
	l.setRows([]uint32{row})
}

// bitcast lowers OpBitcast: between types of the same component width it is
// the same rows, otherwise the bits are cut anew, low bits first.
func (l *lowerer) bitcast(in *spirv.Inst) {
	src := l.rowsOf(spirv.ID(in.Args[0]))
	from, to := l.kind(l.u.TypeOf(spirv.ID(in.Args[0]))), l.kind(l.resultType())
	if from.Width == to.Width {
		l.setRows(src)
		return
	}
	dst := l.result()
	if n, m := len(src)*int(from.Width), len(dst)*int(to.Width); n != m {
		l.bad("OpBitcast from %d to %d bits", n, m)
	}
	l.callN(program.Symbol{Op: uint32(in.Op), Dst: to, Src: from}, src, dst)
}

// callN emits an n-ary function of scalars.
func (l *lowerer) callN(fn program.Symbol, in, out []uint32) {
	l.p.Calls = append(l.p.Calls, program.CallInfo{Fn: fn, In: in, Out: out})
	l.emit(program.Op{Code: program.CallN, X: int32(len(l.p.Calls) - 1)})
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
	l.spread(program.Op{Code: program.Select}, dst, cond, a, b)
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
	fn := program.Symbol{Op: uint32(in.Op), N: int64(n)}
	if in.Op == spirv.OpVectorExtractDynamic {
		l.callN(fn, append(rows, l.row(spirv.ID(in.Args[1]))), l.result())
		l.checkComponent(spirv.ID(in.Args[1]), n)
		return
	}
	rows = append(rows, l.row(spirv.ID(in.Args[1])), l.row(spirv.ID(in.Args[2])))
	l.callN(fn, rows, l.result())
	l.checkComponent(spirv.ID(in.Args[2]), n)
}
