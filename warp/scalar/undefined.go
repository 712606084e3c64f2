package scalar

import (
	"math"

	"ampdbg/program"
	"ampdbg/spirv"
)

// when is the reason u where bad.
func when(bad bool, u program.Reason) program.Reason {
	if bad {
		return u
	}
	return program.Defined
}

// undefined1 tells whether the specification leaves the result of the conversion
// op of a undefined: a floating-point number beyond the integer type, NaN
// included.
func undefined1(op spirv.Opcode, dst, src program.Kind, a uint64) program.Reason {
	if !src.IsFloat() || !dst.IsInt() {
		return program.Defined
	}
	x := math.Trunc(formatOf(src, program.Mode{}).load(a))
	switch op {
	case spirv.OpConvertFToU:
		return when(!(x >= 0 && x < math.Ldexp(1, int(dst.Width))), program.ConversionRange)
	case spirv.OpConvertFToS:
		limit := math.Ldexp(1, int(dst.Width)-1)
		return when(!(x >= -limit && x < limit), program.ConversionRange)
	}
	return program.Defined
}

// Undefined2 tells whether the specification leaves the result of op on a and b of
// kind k undefined: a division by zero (floating-point remainders included, but
// not OpFDiv), the smallest integer divided by −1, OpSRem and OpSMod of negative
// operands (Vulkan), shifts by the width or more.
func Undefined2(op spirv.Opcode, k program.Kind, a, b uint64) program.Reason {
	switch op {
	case spirv.OpFRem, spirv.OpFMod:
		return when(k.IsFloat() && formatOf(k, program.Mode{}).load(b) == 0, program.FloatDomain)
	}
	if !k.IsInt() {
		return program.Defined
	}
	switch op {
	case spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic:
		return when(b >= uint64(k.Width), program.ShiftRange)
	case spirv.OpUDiv, spirv.OpUMod:
		return when(b == 0, program.DivisionByZero)
	case spirv.OpSDiv, spirv.OpSRem, spirv.OpSMod:
		switch {
		case b == 0:
			return program.DivisionByZero
		case b == mask(k.Width) && signExtend(a, k.Width) == minSigned(k.Width):
			return program.DivisionOverflow
		case op != spirv.OpSDiv:
			return when(signExtend(a, k.Width) < 0 || signExtend(b, k.Width) < 0, program.NegativeRemainder)
		}
	}
	return program.Defined
}

// undefined3 tells whether the specification leaves the result of the bit-field
// instruction op (OpBitFieldInsert, OpBitFieldSExtract, OpBitFieldUExtract) on a
// base of kind k undefined: the field does not lie in the base.
func undefined3(op spirv.Opcode, k program.Kind, offset, count uint64) program.Reason {
	switch op {
	case spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract:
		return when(k.IsInt() && outside(k.Width, offset, count), program.BitFieldRange)
	}
	return program.Defined
}

// undefinedGLSL tells whether the specification leaves the result of the
// GLSL.std.450 instruction inst on operands of kind k undefined; unused operands
// are ignored. These are: clamps between a minimum greater than the maximum, min,
// max and clamp with a NaN (not their N forms), smoothstep without a proper
// interval, powers, logarithms, roots and inverse functions outside their domain,
// atan2 of zeros, ldexp beyond the format's exponents, frexp of infinities and
// NaN. The second operand of Ldexp is a 32-bit integer.
func undefinedGLSL(inst uint32, k program.Kind, a, b, c uint64) program.Reason {
	if k.IsInt() {
		switch inst {
		case spirv.GLSLUClamp:
			return when(b > c, program.CrossedEdges)
		case spirv.GLSLSClamp:
			return when(signExtend(b, k.Width) > signExtend(c, k.Width), program.CrossedEdges)
		}
		return program.Defined
	}
	if !k.IsFloat() {
		return program.Defined
	}
	f := formatOf(k, program.Mode{})
	x := f.load(a)
	switch inst {
	case spirv.GLSLSqrt:
		return when(x < 0, program.FloatDomain)
	case spirv.GLSLInverseSqrt, spirv.GLSLLog, spirv.GLSLLog2:
		return when(x <= 0, program.FloatDomain)
	case spirv.GLSLAsin, spirv.GLSLAcos:
		return when(math.Abs(x) > 1, program.FloatDomain)
	case spirv.GLSLAcosh:
		return when(x < 1, program.FloatDomain)
	case spirv.GLSLAtanh:
		return when(math.Abs(x) >= 1, program.FloatDomain)
	case spirv.GLSLFrexp, spirv.GLSLFrexpStruct:
		return when(!finite(x), program.FloatDomain)
	case spirv.GLSLLdexp:
		return undefinedLdexp(k, program.Kind{Width: 32}, a, b)
	}
	y := f.load(b)
	switch inst {
	case spirv.GLSLPow:
		return when(x < 0 || x == 0 && y <= 0, program.FloatDomain)
	case spirv.GLSLAtan2:
		return when(x == 0 && y == 0, program.FloatDomain)
	case spirv.GLSLFMin, spirv.GLSLFMax:
		return when(x != x || y != y, program.NaNOperand)
	}
	z := f.load(c)
	switch inst {
	case spirv.GLSLFClamp:
		if y > z {
			return program.CrossedEdges
		}
		return when(x != x || y != y || z != z, program.NaNOperand)
	case spirv.GLSLNClamp:
		return when(y > z, program.CrossedEdges)
	case spirv.GLSLSmoothStep:
		return when(!(x < y), program.CrossedEdges)
	}
	return program.Defined
}

// undefinedLdexp is UndefinedGLSL of Ldexp with an exponent of any kind: it is
// beyond that of the largest power of two plus one, or the product is beyond
// the largest number.
func undefinedLdexp(k, exponent program.Kind, a, b uint64) program.Reason {
	x, e, most := formatOf(k, program.Mode{}).load(a), signExtend(b, exponent.Width), int64(1024)
	switch k.Width {
	case 16:
		most = 16
	case 32:
		most = 128
	}
	if e > most {
		return program.ExponentRange
	}
	_, own := math.Frexp(x)
	return when(finite(x) && x != 0 && int64(own)+e > most, program.ExponentRange)
}

// UndefinedVector tells the same of the instructions on whole vectors and
// matrices that have such operands: Normalize of zeros, MatrixInverse of a
// matrix whose determinant is 0. It gives nil for all others.
func UndefinedVector(inst uint32, k program.Kind, n int) func(v []uint64) program.Reason {
	if !k.IsFloat() {
		return nil
	}
	f := formatOf(k, program.Mode{})
	switch inst {
	case spirv.GLSLNormalize:
		return func(v []uint64) program.Reason {
			for _, bits := range v {
				if f.load(bits) != 0 {
					return program.Defined
				}
			}
			return program.ZeroVector
		}
	case spirv.GLSLMatrixInverse:
		size := order(n)
		if size == 0 {
			return nil
		}
		return func(v []uint64) program.Reason {
			a := f.loadMatrix(v, size)
			return when(a.determinant(size) == 0, program.FloatDomain)
		}
	}
	return nil
}
