package lower

import (
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp/scalar"
)

// quick operations are done by the interpreter itself; everything else goes
// through package scalar.
type quick struct {
	code program.Code
	swap bool
}

// quickInt32 needs 32-bit operands, quickInt any width (values are
// zero-extended), quickFloat32 the default rounding and denormal modes.
var (
	quickInt32 = map[spirv.Opcode]quick{
		spirv.OpIAdd: {code: program.IAdd32}, spirv.OpISub: {code: program.ISub32}, spirv.OpIMul: {code: program.IMul32},
		spirv.OpNot:              {code: program.Not32},
		spirv.OpShiftLeftLogical: {code: program.Shl32}, spirv.OpShiftRightLogical: {code: program.ShrU32}, spirv.OpShiftRightArithmetic: {code: program.ShrS32},
		spirv.OpSLessThan: {code: program.SLt32}, spirv.OpSLessThanEqual: {code: program.SLe32},
		spirv.OpSGreaterThan: {program.SLt32, true}, spirv.OpSGreaterThanEqual: {program.SLe32, true},
		spirv.OpConvertSToF: {code: program.SToF32}, spirv.OpConvertUToF: {code: program.UToF32},
	}
	quickInt64 = map[spirv.Opcode]quick{
		spirv.OpIAdd: {code: program.IAdd64}, spirv.OpISub: {code: program.ISub64}, spirv.OpIMul: {code: program.IMul64},
	}
	quickInt = map[spirv.Opcode]quick{
		spirv.OpBitwiseAnd: {code: program.And}, spirv.OpBitwiseOr: {code: program.Or}, spirv.OpBitwiseXor: {code: program.Xor},
		spirv.OpIEqual: {code: program.IEq}, spirv.OpINotEqual: {code: program.INe},
		spirv.OpULessThan: {code: program.ULt32}, spirv.OpULessThanEqual: {code: program.ULe32},
		spirv.OpUGreaterThan: {program.ULt32, true}, spirv.OpUGreaterThanEqual: {program.ULe32, true},
		spirv.OpLogicalAnd: {code: program.And}, spirv.OpLogicalOr: {code: program.Or}, spirv.OpLogicalNotEqual: {code: program.Xor},
		spirv.OpLogicalEqual: {code: program.IEq}, spirv.OpLogicalNot: {code: program.LogicalNot},
	}
	quickFloat32 = map[spirv.Opcode]quick{
		spirv.OpFAdd: {code: program.FAdd32}, spirv.OpFSub: {code: program.FSub32}, spirv.OpFMul: {code: program.FMul32}, spirv.OpFDiv: {code: program.FDiv32},
		spirv.OpFNegate:   {code: program.FNeg32},
		spirv.OpFOrdEqual: {code: program.FOrdEq32}, spirv.OpFUnordNotEqual: {code: program.FUnordNe32},
		spirv.OpFOrdLessThan: {code: program.FOrdLt32}, spirv.OpFOrdLessThanEqual: {code: program.FOrdLe32},
		spirv.OpFOrdGreaterThan: {program.FOrdLt32, true}, spirv.OpFOrdGreaterThanEqual: {program.FOrdLe32, true},
	}
	quickFloat64 = map[spirv.Opcode]quick{
		spirv.OpFAdd: {code: program.FAdd64}, spirv.OpFSub: {code: program.FSub64}, spirv.OpFMul: {code: program.FMul64},
	}
)

// quickOp finds the interpreter's own operation for op on operands of kind k.
func (l *lowerer) quickOp(op spirv.Opcode, k, dst program.Kind) (quick, bool) {
	if (op == spirv.OpConvertSToF || op == spirv.OpConvertUToF) && (dst.Width != 32 || l.modes[32] != program.Mode{}) {
		return quick{}, false
	}
	var q quick
	ok := false
	switch {
	case k.Float && k.Width == 32 && l.modes[32] == program.Mode{}:
		q, ok = quickFloat32[op]
	case k.Float && k.Width == 64 && l.modes[64] == program.Mode{}:
		q, ok = quickFloat64[op]
	case !k.Float:
		q, ok = quickInt[op]
		if !ok && k.Width == 32 {
			q, ok = quickInt32[op]
		}
		if !ok && k.Width == 64 {
			q, ok = quickInt64[op]
		}
	}
	return q, ok
}

// unary and binary emit a core instruction on components.
func (l *lowerer) unary(op spirv.Opcode, dst []uint32, dk program.Kind, a []uint32, ak program.Kind, m program.Mode) bool {
	if q, ok := l.quickOp(op, ak, dk); ok && (m == program.Mode{}) {
		l.spread(program.Op{Code: q.code}, dst, a, nil, nil)
		return true
	}
	fn := program.Symbol{Op: uint32(op), Dst: dk, Src: ak, Mode: m}
	if _, ok := scalar.Resolve1(fn); !ok {
		return false
	}
	i := l.function(fn)
	l.spread(program.Op{Code: program.Call1, X: i}, dst, a, nil, nil)
	l.checkConversion(op, dst, dk, a, ak)
	return true
}

// function is the place of a function in Program.Functions.
func (l *lowerer) function(fn program.Symbol) int32 {
	i, ok := l.functions[fn]
	if !ok {
		i = int32(len(l.p.Functions))
		l.p.Functions = append(l.p.Functions, fn)
		l.functions[fn] = i
	}
	return i
}

func (l *lowerer) binary(op spirv.Opcode, dst []uint32, dk program.Kind, a, b []uint32, k program.Kind) bool {
	l.checkDivision(op, a, b, k)
	if q, ok := l.quickOp(op, k, dk); ok {
		if q.swap {
			a, b = b, a
		}
		l.spread(program.Op{Code: q.code}, dst, a, b, nil)
		l.checkBinary(op, dst, a, b, k)
		return true
	}
	fn, ok := l.binaryFn(op, k)
	if ok {
		l.spread(program.Op{Code: program.Call2, X: l.function(fn)}, dst, a, b, nil)
		l.checkBinary(op, dst, a, b, k)
	}
	return ok
}

// binaryFn is the function that a core instruction of two operands is.
func (l *lowerer) binaryFn(op spirv.Opcode, k program.Kind) (program.Symbol, bool) {
	fn := program.Symbol{Op: uint32(op), Src: k, Mode: l.mode(k)}
	_, ok := scalar.Resolve2(fn)
	return fn, ok
}

// mode is the floating-point mode of operations of kind k.
func (l *lowerer) mode(k program.Kind) program.Mode {
	if !k.Float {
		return program.Mode{}
	}
	return l.modes[k.Width]
}

// conversionMode is the mode of a conversion, which an FPRoundingMode
// decoration on the result can change.
func (l *lowerer) conversionMode(id spirv.ID, dst, src program.Kind) program.Mode {
	m := l.mode(dst)
	if !dst.Float {
		m = l.mode(src)
	}
	if args, ok := l.u.Decoration(id, spirv.DecorationFPRoundingMode); ok && len(args) > 0 {
		switch spirv.FPRoundingMode(args[0]) {
		case spirv.FPRoundingModeRTE:
			m.RTZ = false
		case spirv.FPRoundingModeRTZ:
			m.RTZ = true
		default:
			l.unsupported("FPRoundingMode " + spirv.FPRoundingMode(args[0]).String())
		}
	}
	return m
}

// arithmetic lowers arithmetic, conversion, bit and relational instructions.
// It reports whether the instruction is one.
func (l *lowerer) arithmetic(in *spirv.Inst) bool {
	if in.Result == 0 || in.Type == 0 || len(in.Args) == 0 {
		return false
	}
	id := func(k int) spirv.ID { return spirv.ID(in.Args[k]) }
	t := l.resultType()
	switch in.Op {
	case spirv.OpDot, spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar, spirv.OpVectorTimesMatrix,
		spirv.OpMatrixTimesVector, spirv.OpMatrixTimesMatrix, spirv.OpOuterProduct:
		l.linear(in)
		return true
	case spirv.OpAny, spirv.OpAll:
		l.anyAll(in)
		return true
	case spirv.OpIAddCarry, spirv.OpISubBorrow, spirv.OpUMulExtended, spirv.OpSMulExtended:
		l.pair(in)
		return true
	case spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract:
		l.bitField(in)
		return true
	case spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		l.integerDot(in)
		return true
	}
	src := l.u.TypeOf(id(0))
	if src == nil || src.Component() == nil || t.Component() == nil {
		return false
	}
	dk, sk := l.kind(t), l.kind(src)
	switch len(in.Args) {
	case 1:
		a := l.rowsOf(id(0))
		if len(a) != t.Scalars() {
			return false
		}
		rows := l.result()
		return l.unary(in.Op, rows, dk, a, sk, l.conversionMode(in.Result, dk, sk))
	case 2:
		if l.fuseMulAdd(in) {
			return true
		}
		a, b := l.rowsOf(id(0)), l.rowsOf(id(1))
		if len(a) != t.Scalars() || len(b) != t.Scalars() {
			return false
		}
		return l.binary(in.Op, l.result(), dk, a, b, sk)
	}
	return false
}

// fuseMulAdd combines a multiplication whose only use is this addition, in
// the same block, with it. Both roundings stay.
func (l *lowerer) fuseMulAdd(in *spirv.Inst) bool {
	if !l.fuse || in.Op != spirv.OpFAdd && in.Op != spirv.OpIAdd {
		return false
	}
	k := l.kind(l.resultType())
	mul, code := spirv.OpFMul, program.FMulAdd32
	if in.Op == spirv.OpIAdd {
		mul, code = spirv.OpIMul, program.IMulAdd32
	}
	if k.Width != 32 || in.Op == spirv.OpFAdd && (l.modes[32] != program.Mode{}) {
		return false
	}
	for side := range 2 {
		m := spirv.ID(in.Args[side])
		def := l.u.Def(m)
		if def < 0 || l.u.Insts[def].Op != mul || l.uses[m] != 1 {
			continue
		}
		rows, ok := l.frame.vals[m]
		if !ok || len(rows.rows) != 1 {
			continue
		}
		pc := l.writer(rows.rows[0])
		if pc < 0 || l.p.Code[pc].Code != program.FMul32 && l.p.Code[pc].Code != program.IMul32 {
			continue
		}
		op := l.p.Code[pc]
		other := l.row(spirv.ID(in.Args[1-side]))
		l.remove(pc)
		l.compute(program.Op{Code: code, Dst: l.result()[0], A: op.A, B: op.B, C: other})
		return true
	}
	return false
}

// writer finds the operation of this block that computed a row, -1 if there is
// none.
func (l *lowerer) writer(row uint32) int {
	for pc := len(l.p.Code) - 1; pc >= l.blockStart; pc-- {
		if op := &l.p.Code[pc]; op.Writes(row) && op.Code.Plain() && op.N == l.stride {
			return pc
		}
	}
	return -1
}

// remove takes back an operation of the current block, which nothing refers
// to by its pc.
func (l *lowerer) remove(pc int) {
	l.p.Code = append(l.p.Code[:pc], l.p.Code[pc+1:]...)
	l.p.Inst = append(l.p.Inst[:pc], l.p.Inst[pc+1:]...)
	l.p.Frame = append(l.p.Frame[:pc], l.p.Frame[pc+1:]...)
}

// comparison gives the branch operation that a comparison read only by the
// branch becomes part of.
func (l *lowerer) comparison(id spirv.ID) (code program.Code, a, b uint32, ok bool) {
	rows := l.frame.vals[id].rows
	if !l.fuse || l.uses[id] != 1 || len(rows) != 1 {
		return
	}
	at := l.writer(rows[0])
	if at < 0 || l.p.Inst[at] != int32(l.u.Def(id)) {
		return
	}
	op := l.p.Code[at]
	if code, ok = op.Code.Branch(); ok {
		l.remove(at)
	}
	return code, op.A, op.B, ok
}

// linear lowers linear algebra as sums of products, in the order of the
// formula.
func (l *lowerer) linear(in *spirv.Inst) {
	id := func(k int) spirv.ID { return spirv.ID(in.Args[k]) }
	ta, tb := l.u.TypeOf(id(0)), l.u.TypeOf(id(1))
	a, b := l.rowsOf(id(0)), l.rowsOf(id(1))
	k := l.kind(l.resultType())
	dst := l.result()
	mul := func(d, x, y []uint32) { l.binary(spirv.OpFMul, d, k, x, y, k) }
	switch in.Op {
	case spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar:
		mul(dst, a, repeat(b[0], len(a)))
	case spirv.OpOuterProduct:
		for c, y := range b {
			mul(dst[c*len(a):(c+1)*len(a)], a, repeat(y, len(a)))
		}
	case spirv.OpDot:
		l.dot(dst[0], a, b, k)
	case spirv.OpMatrixTimesVector:
		rows := ta.Elem.Len
		for r := range rows {
			l.dot(dst[r], matrixRow(a, rows, r), b, k)
		}
	case spirv.OpVectorTimesMatrix:
		rows := tb.Elem.Len
		for c := range dst {
			l.dot(dst[c], a, b[c*rows:(c+1)*rows], k)
		}
	case spirv.OpMatrixTimesMatrix:
		rows, inner := ta.Elem.Len, tb.Elem.Len
		for c := range tb.Len {
			for r := range rows {
				l.dot(dst[c*rows+r], matrixRow(a, rows, r), b[c*inner:(c+1)*inner], k)
			}
		}
	}
}

// matrixRow is row r of a matrix of columns of n rows.
func matrixRow(m []uint32, n, r int) []uint32 {
	var out []uint32
	for i := r; i < len(m); i += n {
		out = append(out, m[i])
	}
	return out
}

// dot emits a sum of products from the first component on.
func (l *lowerer) dot(dst uint32, a, b []uint32, k program.Kind) {
	if len(a) != len(b) || len(a) == 0 {
		l.bad("a product of %d and %d components", len(a), len(b))
	}
	sum := l.allocRows(1)
	for i := range a {
		if i == 0 {
			if len(a) == 1 {
				sum = []uint32{dst}
			}
			l.binary(spirv.OpFMul, sum, k, a[:1], b[:1], k)
			continue
		}
		next := []uint32{dst}
		if i < len(a)-1 {
			next = l.allocRows(1)
		}
		if k.Width == 32 && (l.modes[32] == program.Mode{}) {
			l.compute(program.Op{Code: program.FMulAdd32, Dst: next[0], A: a[i], B: b[i], C: sum[0]})
		} else {
			prod := l.allocRows(1)
			l.binary(spirv.OpFMul, prod, k, a[i:i+1], b[i:i+1], k)
			l.binary(spirv.OpFAdd, next, k, sum, prod, k)
		}
		sum = next
	}
}

func (l *lowerer) anyAll(in *spirv.Inst) {
	rows := l.rowsOf(spirv.ID(in.Args[0]))
	dst := l.result()[0]
	code := program.And
	if in.Op == spirv.OpAny {
		code = program.Or
	}
	acc := rows[0]
	for i, r := range rows[1:] {
		next := dst
		if i < len(rows)-2 {
			next = l.alloc(1)
		}
		l.compute(program.Op{Code: code, Dst: next, A: acc, B: r})
		acc = next
	}
	if len(rows) == 1 {
		l.setRows(rows)
	}
}

// pair lowers instructions with a struct of two results.
func (l *lowerer) pair(in *spirv.Inst) {
	a, b := l.rowsOf(spirv.ID(in.Args[0])), l.rowsOf(spirv.ID(in.Args[1]))
	fn := program.Symbol{Op: uint32(in.Op), Src: l.kind(l.u.TypeOf(spirv.ID(in.Args[0])))}
	_, ok := scalar.ResolveN(fn)
	dst := l.result()
	n := len(a)
	if !ok || len(b) != n || len(dst) != 2*n {
		l.bad("%v of these operands", in.Op)
	}
	for i := range n {
		l.callN(fn, []uint32{a[i], b[i]}, []uint32{dst[i], dst[n+i]})
	}
}

func (l *lowerer) bitField(in *spirv.Inst) {
	k := l.kind(l.resultType())
	var args [4][]uint32
	for i := range in.Args {
		args[i] = l.rowsOf(spirv.ID(in.Args[i]))
	}
	dst := l.result()
	n := len(in.Args)
	args[n-2], args[n-1] = repeat(args[n-2][0], len(dst)), repeat(args[n-1][0], len(dst))
	if in.Op == spirv.OpBitFieldInsert {
		fn := program.Symbol{Op: uint32(in.Op), Src: k}
		if _, ok := scalar.ResolveN(fn); !ok {
			l.bad("%v of these operands", in.Op)
		}
		for i, d := range dst {
			l.callN(fn, []uint32{args[0][i], args[1][i], args[2][i], args[3][i]}, []uint32{d})
		}
		l.checkBitField(in.Op, dst, args[:n], k)
		return
	}
	fn := program.Symbol{Op: uint32(in.Op), Src: k}
	if _, ok := scalar.Resolve3(fn); !ok {
		l.bad("%v of these operands", in.Op)
	}
	l.spread(program.Op{Code: program.Call3, X: l.function(fn)}, dst, args[0], args[1], args[2])
	l.checkBitField(in.Op, dst, args[:n], k)
}

func (l *lowerer) integerDot(in *spirv.Inst) {
	t := l.u.TypeOf(spirv.ID(in.Args[0]))
	rows := append(append([]uint32{}, l.rowsOf(spirv.ID(in.Args[0]))...), l.rowsOf(spirv.ID(in.Args[1]))...)
	switch in.Op {
	case spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		rows = append(rows, l.row(spirv.ID(in.Args[2])))
	}
	fn := program.Symbol{Op: uint32(in.Op), Dst: l.kind(l.resultType()), Src: l.kind(t), N: int64(t.Len)}
	if t.Kind == spirv.Int {
		fn.Packed, fn.Src.Width, fn.N = true, 8, 4
	}
	if _, ok := scalar.ResolveN(fn); !ok {
		l.bad("%v of these operands", in.Op)
	}
	l.callN(fn, rows, l.result())
}
