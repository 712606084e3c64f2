package diff

import (
	"math"
	"strings"

	"ampdbg/diff/bound"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/spirv/half"
)

// action is what an operation of a program does with bounds, in the words of
// package bound's table.
type action uint8

const (
	discrete       action = iota // exact of exact operands, otherwise nothing is known
	copied                       // of A
	added                        // floats
	subtracted                   // floats
	multiplied                   // floats
	mulAdd                       // floats
	function                     // rule.fn
	comparison                   // of floats, or of integers
	truth                        // of truths
	choice                       // Select
	integerSum                   // also differences
	integerProduct               // A*B, + C where there is one
	extreme                      // of integers: minimum, maximum
	floatToInt
	intToFloat
	floatToFloat
	exponent // of frexp
)

// inexact reports whether the result of exact operands may be inexact, or the
// beginning of a sum or product.
func (a action) inexact() bool {
	switch a {
	case added, subtracted, multiplied, mulAdd, function, intToFloat, floatToFloat:
		return true
	}
	return false
}

// rule is how an operation of a program treats bounds.
type rule struct {
	action  action
	count   int           // operands: 1 to 3
	f       *bound.Format // of the result, or of what is compared
	width   int           // of that
	operand int           // bits of float operands
	loose   bool          // may be contracted and reassociated
	relaxed bool          // RelaxedPrecision
	exact   bool          // has no error of its own
	numbers bool          // has no defined result if an operand is NaN
	integer bool          // compares integers
	fn      bound.Function
	inst    *spirv.Inst
}

// rulesOf finds the rule of each operation of a program.
func (b *boundKeeper) rulesOf(p *program.Program) []rule {
	out := make([]rule, len(p.Code))
	for pc := range p.Code {
		out[pc] = b.ruleOf(p, pc)
	}
	return out
}

func (b *boundKeeper) ruleOf(p *program.Program, pc int) rule {
	op := &p.Code[pc]
	u := p.Unit
	r := rule{count: 2, inst: &spirv.Inst{}}
	if i := p.Inst[pc]; i >= 0 && int(i) < len(u.Insts) {
		r.inst = &u.Insts[i]
	}
	if r.inst.Result != 0 {
		r.loose = !u.HasDecoration(r.inst.Result, spirv.DecorationNoContraction)
		r.relaxed = u.HasDecoration(r.inst.Result, spirv.DecorationRelaxedPrecision)
	}
	switch r.inst.Op {
	case spirv.OpDot, spirv.OpVectorTimesMatrix, spirv.OpMatrixTimesVector, spirv.OpMatrixTimesMatrix:
		r.loose = true // "in any association"
	}
	float := func(a action, width int) rule {
		r.action, r.f, r.width, r.operand = a, b.format(width), width, width
		return r
	}
	switch op.Code {
	case program.Mov:
		r.action, r.count = copied, 1
	case program.FNeg32:
		r.action, r.count = copied, 1
	case program.FAdd32:
		return float(added, 32)
	case program.FAdd64:
		return float(added, 64)
	case program.FSub32:
		return float(subtracted, 32)
	case program.FSub64:
		return float(subtracted, 64)
	case program.FMul32:
		return float(multiplied, 32)
	case program.FMul64:
		return float(multiplied, 64)
	case program.FMulAdd32, program.Fma32:
		r.count = 3
		return float(mulAdd, 32)
	case program.FDiv32:
		r.fn, _, _ = bound.LookupCore(spirv.OpFDiv)
		return float(function, 32)
	case program.FOrdEq32, program.FOrdLt32, program.FOrdLe32, program.FUnordNe32:
		return float(comparison, 32)
	case program.IEq, program.INe, program.ULt32, program.ULe32, program.SLt32, program.SLe32:
		r.action, r.integer = comparison, true
	case program.LogicalNot:
		r.action, r.count = truth, 1
	case program.And, program.Or, program.Xor:
		if t := u.TypeOf(r.inst.Result); t != nil && t.Component() != nil && t.Component().Kind == spirv.Bool {
			r.action = truth
		}
	case program.Select:
		r.action, r.count = choice, 3
		if t := u.TypeOf(r.inst.Result); t != nil && t.Component() != nil {
			r.width, r.integer = t.Component().Width, t.Component().Kind != spirv.Float
		}
	case program.SToF32, program.UToF32:
		r.count = 1
		return float(intToFloat, 32)
	case program.IAdd32, program.ISub32, program.IAdd64, program.ISub64:
		r.action = integerSum
	case program.IMul32, program.IMul64:
		r.action = integerProduct
	case program.IMulAdd32:
		r.action, r.count = integerProduct, 3
	case program.PtrTo:
		r.action, r.count = copied, 1 // of the index: see boundKeeper.compute
	case program.PtrAdd:
		r.action = integerSum
	case program.Not32:
		r.count = 1
	case program.Call1:
		r.count = 1
		b.scalar(&r, p.Functions[op.X])
	case program.Call2:
		b.scalar(&r, p.Functions[op.X])
	case program.Call3:
		r.count = 3
		b.scalar(&r, p.Functions[op.X])
	}
	return r
}

// scalar finds the rule of a function of scalars.
func (b *boundKeeper) scalar(r *rule, s program.Symbol) {
	if s.Src.Float {
		r.width, r.operand = int(s.Src.Width), int(s.Src.Width)
		r.f = b.format(r.width)
	}
	switch s.Set {
	case program.GLSL:
		b.extended(r, s)
		return
	case program.Machine:
		return
	}
	op := s.Opcode()
	switch op {
	case spirv.OpFAdd:
		r.action = added
	case spirv.OpFSub:
		r.action = subtracted
	case spirv.OpFMul:
		r.action = multiplied
	case spirv.OpFNegate:
		r.action = copied
	case spirv.OpFDiv, spirv.OpFRem, spirv.OpFMod:
		r.action = function
		r.fn, r.exact, _ = bound.LookupCore(op)
	case spirv.OpConvertFToS, spirv.OpConvertFToU:
		r.action = floatToInt
	case spirv.OpConvertSToF, spirv.OpConvertUToF:
		r.action, r.width = intToFloat, int(s.Dst.Width)
		r.f = b.format(r.width)
	case spirv.OpFConvert:
		r.action, r.width = floatToFloat, int(s.Dst.Width)
		r.f = b.format(r.width)
	case spirv.OpQuantizeToF16:
		r.action, r.f = floatToFloat, b.format(16)
	case spirv.OpSConvert, spirv.OpUConvert, spirv.OpSNegate:
		r.action = copied
	case spirv.OpIAdd, spirv.OpISub:
		r.action = integerSum
	case spirv.OpIMul:
		r.action = integerProduct
	case spirv.OpIsNan, spirv.OpIsInf:
		r.action = comparison
	default:
		if n := op.String(); strings.HasPrefix(n, "OpFOrd") || strings.HasPrefix(n, "OpFUnord") || s.Src.Float && strings.Contains(n, "Equal") {
			r.action = comparison
		} else if strings.Contains(n, "Than") || strings.HasSuffix(n, "Equal") {
			r.action, r.integer = comparison, true
		}
	}
}

// extended is scalar for instructions of GLSL.std.450.
func (b *boundKeeper) extended(r *rule, s program.Symbol) {
	switch s.Op {
	case spirv.GLSLFma:
		if s.Src.Float {
			r.action = mulAdd
		}
		return
	case spirv.GLSLSAbs:
		r.action = copied
		return
	case spirv.GLSLSMin, spirv.GLSLUMin, spirv.GLSLSMax, spirv.GLSLUMax, spirv.GLSLSClamp, spirv.GLSLUClamp:
		r.action = extreme
		return
	case spirv.GLSLLdexp:
		r.action, r.fn, r.exact = function, nil, true
		return
	case spirv.GLSLModf, spirv.GLSLModfStruct:
		if s.Part == 2 { // the whole part
			r.action, r.exact = function, true
			r.fn, _, _ = bound.LookupGLSL(spirv.GLSLTrunc)
			return
		}
	case spirv.GLSLFrexp, spirv.GLSLFrexpStruct:
		if s.Part == 2 {
			r.action = exponent
			return
		}
	}
	if fn, exact, ok := bound.LookupGLSL(s.Op); ok && s.Src.Float {
		r.action, r.fn, r.exact = function, fn, exact
		switch s.Op {
		case spirv.GLSLFMin, spirv.GLSLFMax, spirv.GLSLFClamp:
			r.numbers = true
		}
	}
}

// real is the number that bits of a float stand for.
func real(bits uint64, width int) float64 {
	switch width {
	case 16:
		return float64(half.ToFloat(uint16(bits)))
	case 64:
		return math.Float64frombits(bits)
	}
	return float64(math.Float32frombits(uint32(bits)))
}

// whole is the number that bits of an integer stand for, as a signed one of 32
// bits where there are no more.
func whole(bits uint64) float64 {
	if bits>>32 == 0 {
		return float64(int32(bits))
	}
	return float64(int64(bits))
}
