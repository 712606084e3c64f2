package emu

import (
	"ampdbg/spirv"
	"ampdbg/warp"
	"ampdbg/warp/scalar"
)

// Operations that have no defined result for some operands. For checkers and
// debuggers (see watch.go) a CheckDefined stands with each: before those whose
// behaviour is undefined then, after those whose result is.

// watches reports whether such operations are noticed.
func (l *lowerer) watches() bool { return l.watch || !l.fuse }

// reasons is a set of them.
func reasons(list ...scalar.Undefined) (set uint32) {
	for _, u := range list {
		set |= 1 << u
	}
	return set
}

// checkDefined emits a check, without the parts whose operands are constants
// that have a defined result.
func (l *lowerer) checkDefined(d warp.DefinedInfo) {
	kept := warp.DefinedInfo{Reasons: d.Reasons, Test: d.Test, Group: d.Group, Kinds: d.Kinds}
	for i, rows := range d.In {
		if d.Test != nil && l.definedConstants(d.Test, rows) {
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
	l.emit(warp.Op{Code: warp.CheckDefined, X: int32(len(l.p.Defined) - 1)})
}

func (l *lowerer) definedConstants(test func([]uint64) scalar.Undefined, rows []uint32) bool {
	in := make([]uint64, len(rows))
	for i, r := range rows {
		bits, ok := l.constants[r]
		if !ok {
			return false
		}
		in[i] = bits
	}
	return test(in) == scalar.Defined
}

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
func (l *lowerer) checkConversion(op spirv.Opcode, dst []uint32, dk scalar.Kind, a []uint32, ak scalar.Kind) {
	if !l.watches() || op != spirv.OpConvertFToU && op != spirv.OpConvertFToS {
		return
	}
	d := warp.DefinedInfo{
		Reasons: reasons(scalar.ConversionRange), Group: -1, Kinds: []scalar.Kind{ak},
		Test: func(in []uint64) scalar.Undefined { return scalar.Undefined1(op, dk, ak, in[0]) },
	}
	d.In, d.Out = byComponent(dst, a)
	l.checkDefined(d)
}

// checkDivision checks a division or remainder of integers, before it.
func (l *lowerer) checkDivision(op spirv.Opcode, a, b []uint32, k scalar.Kind) {
	if !l.watches() || k.Float {
		return
	}
	why := reasons(scalar.DivisionByZero)
	switch op {
	case spirv.OpUDiv, spirv.OpUMod:
	case spirv.OpSDiv:
		why |= reasons(scalar.DivisionOverflow)
	case spirv.OpSRem, spirv.OpSMod:
		why |= reasons(scalar.DivisionOverflow, scalar.NegativeRemainder)
	default:
		return
	}
	signed := k
	signed.Signed = op != spirv.OpUDiv && op != spirv.OpUMod
	l.checkDefined(warp.DefinedInfo{
		Reasons: why, Group: -1, Kinds: []scalar.Kind{signed, signed},
		Test: func(in []uint64) scalar.Undefined { return scalar.Undefined2(op, k, in[0], in[1]) },
		In:   l.unlessDefined(op, a, b, k),
	})
}

// checkBinary checks a shift or a remainder of floats, after it.
func (l *lowerer) checkBinary(op spirv.Opcode, dst, a, b []uint32, k scalar.Kind) {
	if !l.watches() {
		return
	}
	d := warp.DefinedInfo{Reasons: reasons(scalar.ShiftRange), Group: -1, Kinds: []scalar.Kind{k, {Width: k.Width}}}
	switch op {
	case spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic:
		d.Test = func(in []uint64) scalar.Undefined {
			if in[1] < uint64(k.Width) {
				return scalar.Defined
			}
			return scalar.ShiftRange
		}
	case spirv.OpFRem, spirv.OpFMod:
		d.Reasons, d.Kinds = reasons(scalar.FloatDomain), []scalar.Kind{k, k}
		d.Test = func(in []uint64) scalar.Undefined { return scalar.Undefined2(op, k, in[0], in[1]) }
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
func (l *lowerer) unlessDefined(op spirv.Opcode, a, b []uint32, k scalar.Kind) (in [][]uint32) {
	for i := range b {
		if !l.definedFor(op, k, b[i]) {
			in = append(in, []uint32{a[i], b[i]})
		}
	}
	return in
}

// definedFor reports whether an operation has a defined result for its second
// operand, which is a constant, whatever the first.
func (l *lowerer) definedFor(op spirv.Opcode, k scalar.Kind, b uint32) bool {
	bits, ok := l.constants[b]
	least := uint64(1) << (k.Width - 1) // undefined if any number is
	return ok && scalar.Undefined2(op, k, least, bits) == scalar.Defined
}

// checkBitField checks a bit-field instruction; its last two operands are
// offset and count.
func (l *lowerer) checkBitField(op spirv.Opcode, dst []uint32, args [][]uint32, k scalar.Kind) {
	if !l.watches() {
		return
	}
	n := len(args)
	in := &l.u.Insts[l.inst]
	d := warp.DefinedInfo{
		Reasons: reasons(scalar.BitFieldRange), Group: -1,
		Test: func(in []uint64) scalar.Undefined { return scalar.Undefined3(op, k, in[0], in[1]) },
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
	spirv.GLSLSqrt: reasons(scalar.FloatDomain), spirv.GLSLInverseSqrt: reasons(scalar.FloatDomain),
	spirv.GLSLLog: reasons(scalar.FloatDomain), spirv.GLSLLog2: reasons(scalar.FloatDomain), spirv.GLSLPow: reasons(scalar.FloatDomain),
	spirv.GLSLAsin: reasons(scalar.FloatDomain), spirv.GLSLAcos: reasons(scalar.FloatDomain), spirv.GLSLAtan2: reasons(scalar.FloatDomain),
	spirv.GLSLAcosh: reasons(scalar.FloatDomain), spirv.GLSLAtanh: reasons(scalar.FloatDomain),
	spirv.GLSLFrexp: reasons(scalar.FloatDomain), spirv.GLSLFrexpStruct: reasons(scalar.FloatDomain),
	spirv.GLSLMatrixInverse: reasons(scalar.FloatDomain), spirv.GLSLNormalize: reasons(scalar.ZeroVector),
	spirv.GLSLLdexp: reasons(scalar.ExponentRange),
	spirv.GLSLFMin:  reasons(scalar.NaNOperand), spirv.GLSLFMax: reasons(scalar.NaNOperand),
	spirv.GLSLFClamp: reasons(scalar.CrossedEdges, scalar.NaNOperand), spirv.GLSLNClamp: reasons(scalar.CrossedEdges),
	spirv.GLSLUClamp: reasons(scalar.CrossedEdges), spirv.GLSLSClamp: reasons(scalar.CrossedEdges),
	spirv.GLSLSmoothStep: reasons(scalar.CrossedEdges),
}

// checkGLSL checks an instruction of GLSL.std.450, after it; rows are those of
// its operands.
func (l *lowerer) checkGLSL(inst uint32, k scalar.Kind, args []uint32, rows [][]uint32) {
	why := glslReasons[inst]
	if !l.watches() || why == 0 {
		return
	}
	dst := l.frame.vals[l.u.Insts[l.inst].Result].rows
	d := warp.DefinedInfo{Reasons: why, Group: -1}
	for i := range rows {
		d.Kinds = append(d.Kinds, l.kind(l.u.TypeOf(spirv.ID(args[i]))))
	}
	if test := scalar.UndefinedVector(inst, k, len(rows[0])); test != nil {
		d.Test = test
		d.In, d.Out = [][]uint32{rows[0]}, [][]uint32{dst}
		for len(d.Kinds) < len(rows[0]) {
			d.Kinds = append(d.Kinds, k)
		}
		l.checkDefined(d)
		return
	}
	switch {
	case inst == spirv.GLSLLdexp:
		d.Test = func(in []uint64) scalar.Undefined { return scalar.UndefinedLdexp(k, d.Kinds[1], in[0], in[1]) }
	case len(rows) == 1:
		d.Test = func(in []uint64) scalar.Undefined { return scalar.UndefinedGLSL(inst, k, in[0], 0, 0) }
	case len(rows) == 2:
		d.Test = func(in []uint64) scalar.Undefined { return scalar.UndefinedGLSL(inst, k, in[0], in[1], 0) }
	default:
		d.Test = func(in []uint64) scalar.Undefined { return scalar.UndefinedGLSL(inst, k, in[0], in[1], in[2]) }
	}
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
	l.checkIndexOf(index, n, scalar.ComponentIndex)
}

// checkBallotIndex checks the lane that a bit of a ballot is asked for.
func (l *lowerer) checkBallotIndex(index spirv.ID) {
	l.checkIndexOf(index, l.width, scalar.InactiveLane)
}

// checkBallot checks that a ballot whose first or last lane is asked for has
// any.
func (l *lowerer) checkBallot(ballot spirv.ID) {
	if !l.watches() {
		return
	}
	dst := l.frame.vals[l.u.Insts[l.inst].Result].rows
	width := l.width
	l.checkDefined(warp.DefinedInfo{
		Reasons: reasons(scalar.InactiveLane), Group: -1, In: [][]uint32{l.rowsOf(ballot)}, Out: [][]uint32{dst},
		Test: func(in []uint64) scalar.Undefined {
			for k, word := range in {
				if lanes := width - 32*k; lanes > 0 && word&(1<<min(lanes, 32)-1) != 0 {
					return scalar.Defined
				}
			}
			return scalar.InactiveLane
		},
	})
}

func (l *lowerer) checkIndexOf(index spirv.ID, n int, why scalar.Undefined) {
	if !l.watches() {
		return
	}
	dst := l.frame.vals[l.u.Insts[l.inst].Result].rows
	l.checkDefined(warp.DefinedInfo{
		Reasons: reasons(why), Group: -1, Kinds: []scalar.Kind{l.kind(l.u.TypeOf(index))},
		In: [][]uint32{{l.row(index)}}, Out: [][]uint32{dst},
		Test: func(in []uint64) scalar.Undefined {
			if in[0] < uint64(n) {
				return scalar.Defined
			}
			return why
		},
	})
}

// checkLanes checks that the lanes that the subgroup instruction just emitted
// reads take part in it; operand is what it finds them by.
func (l *lowerer) checkLanes(operand spirv.ID) {
	if !l.watches() {
		return
	}
	dst := l.frame.vals[l.u.Insts[l.inst].Result].rows
	l.checkDefined(warp.DefinedInfo{
		Reasons: reasons(scalar.InactiveLane), Group: int32(len(l.p.Groups) - 1), Kinds: []scalar.Kind{l.kind(l.u.TypeOf(operand))},
		In: [][]uint32{{l.row(operand)}}, Out: [][]uint32{dst},
	})
}

// checkUniform checks, before an instruction, that an operand is the same for
// all lanes.
func (l *lowerer) checkUniform(id spirv.ID, why scalar.Undefined) {
	if !l.watches() || l.u.Const(id) != nil {
		return
	}
	l.checkDefined(warp.DefinedInfo{
		Reasons: reasons(why), Group: -1, Kinds: []scalar.Kind{l.kind(l.u.TypeOf(id))}, In: [][]uint32{{l.row(id)}},
	})
}

// checkAssumption checks an OpAssumeTrueKHR.
func (l *lowerer) checkAssumption(row uint32) {
	if !l.watches() {
		return
	}
	l.checkDefined(warp.DefinedInfo{
		Reasons: reasons(scalar.FalseAssumption), Group: -1, In: [][]uint32{{row}},
		Test: func(in []uint64) scalar.Undefined {
			if in[0] != 0 {
				return scalar.Defined
			}
			return scalar.FalseAssumption
		},
	})
}

// checkDescriptor checks the index of a descriptor, which must be the same for
// all lanes unless it says NonUniform: on the index, on the access chain that
// is being lowered, or on what is made of that.
func (l *lowerer) checkDescriptor(index spirv.ID) {
	if !l.watches() {
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
	l.checkUniform(index, scalar.NonUniformDescriptor)
}
