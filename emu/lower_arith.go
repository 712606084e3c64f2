package emu

import (
	"ampdbg/spirv"
	"ampdbg/warp"
	"ampdbg/warp/scalar"
)

// quick operations are done by the interpreter itself; everything else goes
// through package scalar.
type quick struct {
	code warp.Code
	swap bool
}

// quickInt32 needs 32-bit operands, quickInt any width (values are
// zero-extended), quickFloat32 the default rounding and denormal modes.
var (
	quickInt32 = map[spirv.Opcode]quick{
		spirv.OpIAdd: {code: warp.IAdd32}, spirv.OpISub: {code: warp.ISub32}, spirv.OpIMul: {code: warp.IMul32},
		spirv.OpNot:              {code: warp.Not32},
		spirv.OpShiftLeftLogical: {code: warp.Shl32}, spirv.OpShiftRightLogical: {code: warp.ShrU32}, spirv.OpShiftRightArithmetic: {code: warp.ShrS32},
		spirv.OpSLessThan: {code: warp.SLt32}, spirv.OpSLessThanEqual: {code: warp.SLe32},
		spirv.OpSGreaterThan: {warp.SLt32, true}, spirv.OpSGreaterThanEqual: {warp.SLe32, true},
		spirv.OpConvertSToF: {code: warp.SToF32}, spirv.OpConvertUToF: {code: warp.UToF32},
	}
	quickInt64 = map[spirv.Opcode]quick{
		spirv.OpIAdd: {code: warp.IAdd64}, spirv.OpISub: {code: warp.ISub64}, spirv.OpIMul: {code: warp.IMul64},
	}
	quickInt = map[spirv.Opcode]quick{
		spirv.OpBitwiseAnd: {code: warp.And}, spirv.OpBitwiseOr: {code: warp.Or}, spirv.OpBitwiseXor: {code: warp.Xor},
		spirv.OpIEqual: {code: warp.IEq}, spirv.OpINotEqual: {code: warp.INe},
		spirv.OpULessThan: {code: warp.ULt32}, spirv.OpULessThanEqual: {code: warp.ULe32},
		spirv.OpUGreaterThan: {warp.ULt32, true}, spirv.OpUGreaterThanEqual: {warp.ULe32, true},
		spirv.OpLogicalAnd: {code: warp.And}, spirv.OpLogicalOr: {code: warp.Or}, spirv.OpLogicalNotEqual: {code: warp.Xor},
		spirv.OpLogicalEqual: {code: warp.IEq}, spirv.OpLogicalNot: {code: warp.LogicalNot},
	}
	quickFloat32 = map[spirv.Opcode]quick{
		spirv.OpFAdd: {code: warp.FAdd32}, spirv.OpFSub: {code: warp.FSub32}, spirv.OpFMul: {code: warp.FMul32}, spirv.OpFDiv: {code: warp.FDiv32},
		spirv.OpFNegate:   {code: warp.FNeg32},
		spirv.OpFOrdEqual: {code: warp.FOrdEq32}, spirv.OpFUnordNotEqual: {code: warp.FUnordNe32},
		spirv.OpFOrdLessThan: {code: warp.FOrdLt32}, spirv.OpFOrdLessThanEqual: {code: warp.FOrdLe32},
		spirv.OpFOrdGreaterThan: {warp.FOrdLt32, true}, spirv.OpFOrdGreaterThanEqual: {warp.FOrdLe32, true},
	}
	quickFloat64 = map[spirv.Opcode]quick{
		spirv.OpFAdd: {code: warp.FAdd64}, spirv.OpFSub: {code: warp.FSub64}, spirv.OpFMul: {code: warp.FMul64},
	}
)

// quickOp finds the interpreter's own operation for op on operands of kind k.
func (l *lowerer) quickOp(op spirv.Opcode, k, dst scalar.Kind) (quick, bool) {
	if (op == spirv.OpConvertSToF || op == spirv.OpConvertUToF) && (dst.Width != 32 || l.modes[32] != scalar.Mode{}) {
		return quick{}, false
	}
	var q quick
	ok := false
	switch {
	case k.Float && k.Width == 32 && l.modes[32] == scalar.Mode{}:
		q, ok = quickFloat32[op]
	case k.Float && k.Width == 64 && l.modes[64] == scalar.Mode{}:
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

// unary, binary and ternary emit a core instruction on components.
func (l *lowerer) unary(op spirv.Opcode, dst []uint32, dk scalar.Kind, a []uint32, ak scalar.Kind, m scalar.Mode) bool {
	if q, ok := l.quickOp(op, ak, dk); ok && (m == scalar.Mode{}) {
		l.spread(warp.Op{Code: q.code}, dst, a, nil, nil)
		return true
	}
	key := fnKey{op: uint32(op), d: dk, s: ak, mode: m}
	i, ok := l.fn1[key]
	if !ok {
		fn, ok := scalar.Unary(op, dk, ak, m)
		if !ok {
			return false
		}
		i = l.addFn1(key, fn)
	}
	l.spread(warp.Op{Code: warp.Call1, X: i}, dst, a, nil, nil)
	l.checkConversion(op, dst, dk, a, ak)
	return true
}

func (l *lowerer) addFn1(key fnKey, fn scalar.Func1) int32 {
	i := int32(len(l.p.Fn1))
	l.p.Fn1 = append(l.p.Fn1, fn)
	l.p.Scalars1 = append(l.p.Scalars1, key.info())
	l.fn1[key] = i
	return i
}

func (l *lowerer) addFn2(key fnKey, fn scalar.Func2) int32 {
	i := int32(len(l.p.Fn2))
	l.p.Fn2 = append(l.p.Fn2, fn)
	l.p.Scalars2 = append(l.p.Scalars2, key.info())
	l.fn2[key] = i
	return i
}

func (l *lowerer) addFn3(key fnKey, fn scalar.Func3) int32 {
	i := int32(len(l.p.Fn3))
	l.p.Fn3 = append(l.p.Fn3, fn)
	l.p.Scalars3 = append(l.p.Scalars3, key.info())
	l.fn3[key] = i
	return i
}

func (l *lowerer) binary(op spirv.Opcode, dst []uint32, dk scalar.Kind, a, b []uint32, k scalar.Kind) bool {
	l.checkDivision(op, a, b, k)
	if q, ok := l.quickOp(op, k, dk); ok {
		if q.swap {
			a, b = b, a
		}
		l.spread(warp.Op{Code: q.code}, dst, a, b, nil)
		l.checkBinary(op, dst, a, b, k)
		return true
	}
	i, ok := l.binaryFn(op, k)
	if ok {
		l.spread(warp.Op{Code: warp.Call2, X: i}, dst, a, b, nil)
		l.checkBinary(op, dst, a, b, k)
	}
	return ok
}

func (l *lowerer) binaryFn(op spirv.Opcode, k scalar.Kind) (int32, bool) {
	m := l.mode(k)
	key := fnKey{op: uint32(op), s: k, mode: m}
	if i, ok := l.fn2[key]; ok {
		return i, true
	}
	fn, ok := scalar.Binary(op, k, m)
	if !ok {
		return 0, false
	}
	return l.addFn2(key, fn), true
}

// mode is the floating-point mode of operations of kind k.
func (l *lowerer) mode(k scalar.Kind) scalar.Mode {
	if !k.Float {
		return scalar.Mode{}
	}
	return l.modes[k.Width]
}

// conversionMode is the mode of a conversion, which an FPRoundingMode
// decoration on the result can change.
func (l *lowerer) conversionMode(id spirv.ID, dst, src scalar.Kind) scalar.Mode {
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
	mul, code := spirv.OpFMul, warp.FMulAdd32
	if in.Op == spirv.OpIAdd {
		mul, code = spirv.OpIMul, warp.IMulAdd32
	}
	if k.Width != 32 || in.Op == spirv.OpFAdd && (l.modes[32] != scalar.Mode{}) {
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
		if pc < 0 || l.p.Code[pc].Code != warp.FMul32 && l.p.Code[pc].Code != warp.IMul32 {
			continue
		}
		op := l.p.Code[pc]
		other := l.row(spirv.ID(in.Args[1-side]))
		l.remove(pc)
		l.compute(warp.Op{Code: code, Dst: l.result()[0], A: op.A, B: op.B, C: other})
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
func (l *lowerer) comparison(id spirv.ID) (code warp.Code, a, b uint32, ok bool) {
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
func (l *lowerer) dot(dst uint32, a, b []uint32, k scalar.Kind) {
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
		if k.Width == 32 && (l.modes[32] == scalar.Mode{}) {
			l.compute(warp.Op{Code: warp.FMulAdd32, Dst: next[0], A: a[i], B: b[i], C: sum[0]})
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
	code := warp.And
	if in.Op == spirv.OpAny {
		code = warp.Or
	}
	acc := rows[0]
	for i, r := range rows[1:] {
		next := dst
		if i < len(rows)-2 {
			next = l.alloc(1)
		}
		l.compute(warp.Op{Code: code, Dst: next, A: acc, B: r})
		acc = next
	}
	if len(rows) == 1 {
		l.setRows(rows)
	}
}

// pair lowers instructions with a struct of two results.
func (l *lowerer) pair(in *spirv.Inst) {
	a, b := l.rowsOf(spirv.ID(in.Args[0])), l.rowsOf(spirv.ID(in.Args[1]))
	fn, ok := scalar.Pair(in.Op, l.kind(l.u.TypeOf(spirv.ID(in.Args[0]))))
	dst := l.result()
	n := len(a)
	if !ok || len(b) != n || len(dst) != 2*n {
		l.bad("%v of these operands", in.Op)
	}
	for i := range n {
		l.callN(func(in, out []uint64) { out[0], out[1] = fn(in[0], in[1]) }, []uint32{a[i], b[i]}, []uint32{dst[i], dst[n+i]})
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
		fn, ok := scalar.BitFieldInsert(k)
		if !ok {
			l.bad("%v of these operands", in.Op)
		}
		for i, d := range dst {
			l.callN(func(in, out []uint64) { out[0] = fn(in[0], in[1], in[2], in[3]) },
				[]uint32{args[0][i], args[1][i], args[2][i], args[3][i]}, []uint32{d})
		}
		l.checkBitField(in.Op, dst, args[:n], k)
		return
	}
	key := fnKey{op: uint32(in.Op), s: k}
	i, ok := l.fn3[key]
	if !ok {
		fn, ok := scalar.Ternary(in.Op, k, scalar.Mode{})
		if !ok {
			l.bad("%v of these operands", in.Op)
		}
		i = l.addFn3(key, fn)
	}
	l.spread(warp.Op{Code: warp.Call3, X: i}, dst, args[0], args[1], args[2])
	l.checkBitField(in.Op, dst, args[:n], k)
}

func (l *lowerer) integerDot(in *spirv.Inst) {
	t := l.u.TypeOf(spirv.ID(in.Args[0]))
	rows := append(append([]uint32{}, l.rowsOf(spirv.ID(in.Args[0]))...), l.rowsOf(spirv.ID(in.Args[1]))...)
	switch in.Op {
	case spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		rows = append(rows, l.row(spirv.ID(in.Args[2])))
	}
	packed := t.Kind == spirv.Int
	comp, n := l.kind(t), 4
	if packed {
		comp.Width = 8
	} else {
		n = t.Len
	}
	fn, ok := scalar.IntegerDot(in.Op, comp, l.kind(l.resultType()), packed, n)
	if !ok {
		l.bad("%v of these operands", in.Op)
	}
	l.callN(func(in, out []uint64) { out[0] = fn(in) }, rows, l.result())
}
