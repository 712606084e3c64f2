package lower

import (
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp/scalar"
)

// Operations that have no defined result for some operands. For checkers and
// debuggers (see checks.go) a CheckDefined stands with each: before those whose
// behaviour is undefined then, after those whose result is.

// reasons is a set of them.
func reasons(list ...program.Reason) (set uint32) {
	for _, u := range list {
		set |= 1 << u
	}
	return set
}

// checkDefined emits a check, without the parts whose operands are constants
// that have a defined result.
func (l *lowerer) checkDefined(d program.DefinedInfo) {
	kept := program.DefinedInfo{Reasons: d.Reasons, Test: d.Test, Group: d.Group, Kinds: d.Kinds}
	for i, rows := range d.In {
		if l.definedConstants(d.Test, rows) {
			continue
		}
		kept.In = append(kept.In, rows)
		if d.Out != nil {
			kept.Out = append(kept.Out, d.Out[i])
		}
	}
	if len(kept.In) == 0 {
		return
	}
	l.p.Defined = append(l.p.Defined, kept)
	l.emit(program.Op{Code: program.CheckDefined, X: int32(len(l.p.Defined) - 1)})
}

// definedConstants reports whether the operands are constants that have a
// defined result.
func (l *lowerer) definedConstants(t program.Test, rows []uint32) bool {
	test := scalar.ResolveTest(t)
	if test == nil {
		return false
	}
	in := make([]uint64, len(rows))
	for i, r := range rows {
		bits, ok := l.constants[r]
		if !ok {
			return false
		}
		in[i] = bits
	}
	return test(in) == program.Defined
}

// tests is the test whether a function has a defined result.
func tests(fn program.Symbol) program.Test { return program.Test{Form: program.TestSymbol, Symbol: fn} }

// byComponent lists the operands of each component, and the rows of its result.
func byComponent(dst []uint32, operands ...[]uint32) (in, out [][]uint32) {
	for i, d := range dst {
		var part []uint32
		for _, rows := range operands {
			part = append(part, rows[i])
		}
		in, out = append(in, part), append(out, []uint32{d})
	}
	return in, out
}

// checkConversion checks a conversion from float to integer.
func (l *lowerer) checkConversion(op spirv.Opcode, dst []uint32, dk program.Kind, a []uint32, ak program.Kind) {
	if !l.checks || op != spirv.OpConvertFToU && op != spirv.OpConvertFToS {
		return
	}
	d := program.DefinedInfo{
		Reasons: reasons(program.ConversionRange), Group: -1, Kinds: []program.Kind{ak},
		Test: tests(program.Symbol{Op: uint32(op), Dst: dk, Src: ak}),
	}
	d.In, d.Out = byComponent(dst, a)
	l.checkDefined(d)
}

// checkDivision checks a division or remainder of integers, before it.
func (l *lowerer) checkDivision(op spirv.Opcode, a, b []uint32, k program.Kind) {
	if !l.checks || k.Float {
		return
	}
	why := reasons(program.DivisionByZero)
	switch op {
	case spirv.OpUDiv, spirv.OpUMod:
	case spirv.OpSDiv:
		why |= reasons(program.DivisionOverflow)
	case spirv.OpSRem, spirv.OpSMod:
		why |= reasons(program.DivisionOverflow, program.NegativeRemainder)
	default:
		return
	}
	signed := k
	signed.Signed = op != spirv.OpUDiv && op != spirv.OpUMod
	l.checkDefined(program.DefinedInfo{
		Reasons: why, Group: -1, Kinds: []program.Kind{signed, signed},
		Test: tests(program.Symbol{Op: uint32(op), Src: k}),
		In:   l.unlessDefined(op, a, b, k),
	})
}

// checkBinary checks a shift or a remainder of floats, after it.
func (l *lowerer) checkBinary(op spirv.Opcode, dst, a, b []uint32, k program.Kind) {
	if !l.checks {
		return
	}
	d := program.DefinedInfo{
		Reasons: reasons(program.ShiftRange), Group: -1, Kinds: []program.Kind{k, {Width: k.Width}},
		Test: tests(program.Symbol{Op: uint32(op), Src: k}),
	}
	switch op {
	case spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic:
	case spirv.OpFRem, spirv.OpFMod:
		d.Reasons, d.Kinds = reasons(program.FloatDomain), []program.Kind{k, k}
	default:
		return
	}
	var in, out [][]uint32
	in, out = byComponent(dst, a, b)
	for i := range in {
		if !l.definedFor(op, k, b[i]) {
			d.In, d.Out = append(d.In, in[i]), append(d.Out, out[i])
		}
	}
	l.checkDefined(d)
}

// unlessDefined lists the operands of the components that definedFor says
// nothing of.
func (l *lowerer) unlessDefined(op spirv.Opcode, a, b []uint32, k program.Kind) (in [][]uint32) {
	for i := range b {
		if !l.definedFor(op, k, b[i]) {
			in = append(in, []uint32{a[i], b[i]})
		}
	}
	return in
}

// definedFor reports whether an operation has a defined result for its second
// operand, which is a constant, whatever the first.
func (l *lowerer) definedFor(op spirv.Opcode, k program.Kind, b uint32) bool {
	bits, ok := l.constants[b]
	least := uint64(1) << (k.Width - 1) // undefined if any number is
	return ok && scalar.Undefined2(op, k, least, bits) == program.Defined
}

// checkBitField checks a bit-field instruction; its last two operands are
// offset and count.
func (l *lowerer) checkBitField(op spirv.Opcode, dst []uint32, args [][]uint32, k program.Kind) {
	if !l.checks {
		return
	}
	n := len(args)
	in := &l.u.Insts[l.inst]
	d := program.DefinedInfo{
		Reasons: reasons(program.BitFieldRange), Group: -1,
		Test: tests(program.Symbol{Op: uint32(op), Src: k}),
	}
	for _, id := range in.Args[n-2:] {
		d.Kinds = append(d.Kinds, l.kind(l.u.TypeOf(spirv.ID(id))))
	}
	d.In, d.Out = [][]uint32{{args[n-2][0], args[n-1][0]}}, [][]uint32{dst}
	l.checkDefined(d)
}

// glslReasons are the instructions of GLSL.std.450 that have no defined result
// for some operands.
var glslReasons = map[uint32]uint32{
	spirv.GLSLSqrt: reasons(program.FloatDomain), spirv.GLSLInverseSqrt: reasons(program.FloatDomain),
	spirv.GLSLLog: reasons(program.FloatDomain), spirv.GLSLLog2: reasons(program.FloatDomain), spirv.GLSLPow: reasons(program.FloatDomain),
	spirv.GLSLAsin: reasons(program.FloatDomain), spirv.GLSLAcos: reasons(program.FloatDomain), spirv.GLSLAtan2: reasons(program.FloatDomain),
	spirv.GLSLAcosh: reasons(program.FloatDomain), spirv.GLSLAtanh: reasons(program.FloatDomain),
	spirv.GLSLFrexp: reasons(program.FloatDomain), spirv.GLSLFrexpStruct: reasons(program.FloatDomain),
	spirv.GLSLMatrixInverse: reasons(program.FloatDomain), spirv.GLSLNormalize: reasons(program.ZeroVector),
	spirv.GLSLLdexp: reasons(program.ExponentRange),
	spirv.GLSLFMin:  reasons(program.NaNOperand), spirv.GLSLFMax: reasons(program.NaNOperand),
	spirv.GLSLFClamp: reasons(program.CrossedEdges, program.NaNOperand), spirv.GLSLNClamp: reasons(program.CrossedEdges),
	spirv.GLSLUClamp: reasons(program.CrossedEdges), spirv.GLSLSClamp: reasons(program.CrossedEdges),
	spirv.GLSLSmoothStep: reasons(program.CrossedEdges),
}

// checkGLSL checks an instruction of GLSL.std.450, after it; rows are those of
// its operands.
func (l *lowerer) checkGLSL(inst uint32, k program.Kind, args []uint32, rows [][]uint32) {
	why := glslReasons[inst]
	if !l.checks || why == 0 {
		return
	}
	dst := l.frame.vals[l.u.Insts[l.inst].Result].rows
	fn := program.Symbol{Set: program.GLSL, Op: inst, Src: k}
	d := program.DefinedInfo{Reasons: why, Group: -1}
	for i := range rows {
		d.Kinds = append(d.Kinds, l.kind(l.u.TypeOf(spirv.ID(args[i]))))
	}
	if scalar.UndefinedVector(inst, k, len(rows[0])) != nil {
		fn.N = int64(len(rows[0]))
		d.Test = tests(fn)
		d.In, d.Out = [][]uint32{rows[0]}, [][]uint32{dst}
		for len(d.Kinds) < len(rows[0]) {
			d.Kinds = append(d.Kinds, k)
		}
		l.checkDefined(d)
		return
	}
	if inst == spirv.GLSLLdexp {
		fn.Dst = d.Kinds[1]
	}
	d.Test = tests(fn)
	n := len(rows[0])
	for _, r := range rows {
		if len(r) != n || len(dst) < n {
			return
		}
	}
	d.In, d.Out = byComponent(dst[:n], rows...)
	if inst == spirv.GLSLFrexpStruct { // the exponents, too
		for i := range d.Out {
			d.Out[i] = append(d.Out[i], dst[n+i])
		}
	}
	l.checkDefined(d)
}

// checkComponent checks the index of a component of a vector of n.
func (l *lowerer) checkComponent(index spirv.ID, n int) {
	l.checkIndexOf(index, n, program.ComponentIndex)
}

// checkBallotIndex checks the lane that a bit of a ballot is asked for.
func (l *lowerer) checkBallotIndex(index spirv.ID) {
	l.checkIndexOf(index, l.width, program.InactiveLane)
}

// checkBallot checks that a ballot whose first or last lane is asked for has
// any.
func (l *lowerer) checkBallot(ballot spirv.ID) {
	if !l.checks {
		return
	}
	dst := l.frame.vals[l.u.Insts[l.inst].Result].rows
	l.checkDefined(program.DefinedInfo{
		Reasons: reasons(program.InactiveLane), Group: -1, In: [][]uint32{l.rowsOf(ballot)}, Out: [][]uint32{dst},
		Test: program.Test{Form: program.TestAnyLane, N: int64(l.width), Reason: program.InactiveLane},
	})
}

func (l *lowerer) checkIndexOf(index spirv.ID, n int, why program.Reason) {
	if !l.checks {
		return
	}
	dst := l.frame.vals[l.u.Insts[l.inst].Result].rows
	l.checkDefined(program.DefinedInfo{
		Reasons: reasons(why), Group: -1, Kinds: []program.Kind{l.kind(l.u.TypeOf(index))},
		In: [][]uint32{{l.row(index)}}, Out: [][]uint32{dst},
		Test: program.Test{Form: program.TestBelow, N: int64(n), Reason: why},
	})
}

// checkLanes checks that the lanes that the subgroup instruction just emitted
// reads take part in it; operand is what it finds them by.
func (l *lowerer) checkLanes(operand spirv.ID) {
	if !l.checks {
		return
	}
	dst := l.frame.vals[l.u.Insts[l.inst].Result].rows
	l.checkDefined(program.DefinedInfo{
		Reasons: reasons(program.InactiveLane), Group: int32(len(l.p.Groups) - 1), Kinds: []program.Kind{l.kind(l.u.TypeOf(operand))},
		In: [][]uint32{{l.row(operand)}}, Out: [][]uint32{dst},
	})
}

// checkUniform checks, before an instruction, that an operand is the same for
// all lanes.
func (l *lowerer) checkUniform(id spirv.ID, why program.Reason) {
	if !l.checks || l.u.Const(id) != nil {
		return
	}
	l.checkDefined(program.DefinedInfo{
		Reasons: reasons(why), Group: -1, Kinds: []program.Kind{l.kind(l.u.TypeOf(id))}, In: [][]uint32{{l.row(id)}},
	})
}

// checkAssumption checks an OpAssumeTrueKHR.
func (l *lowerer) checkAssumption(row uint32) {
	if !l.checks {
		return
	}
	l.checkDefined(program.DefinedInfo{
		Reasons: reasons(program.FalseAssumption), Group: -1, In: [][]uint32{{row}},
		Test: program.Test{Form: program.TestTrue, Reason: program.FalseAssumption},
	})
}

// checkDescriptor checks the index of a descriptor, which must be the same for
// all lanes unless it says NonUniform: on the index, on the access chain that
// is being lowered, or on what is made of that.
func (l *lowerer) checkDescriptor(index spirv.ID) {
	if !l.checks {
		return
	}
	chain := l.u.Insts[l.inst].Result
	for _, id := range []spirv.ID{index, chain} {
		if _, ok := l.u.Decoration(id, spirv.DecorationNonUniform); ok {
			return
		}
	}
	if l.nonUniform == nil {
		l.nonUniform = map[spirv.ID]bool{}
		for i := range l.u.Insts {
			in := &l.u.Insts[i]
			if _, ok := l.u.Decoration(in.Result, spirv.DecorationNonUniform); ok && in.Result != 0 && len(in.Args) > 0 {
				l.nonUniform[spirv.ID(in.Args[0])] = true
			}
		}
	}
	if l.nonUniform[chain] {
		return
	}
	l.checkUniform(index, program.NonUniformDescriptor)
}
