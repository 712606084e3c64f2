package scalar

import (
	"math"

	"ampdbg/spirv"
)

// Undefined1 tells whether the specification leaves the result of the conversion
// op of a undefined: a floating-point number beyond the integer type, NaN
// included.
func Undefined1(op spirv.Opcode, dst, src Kind, a uint64) bool {
	if !src.isFloat() || !dst.isInt() {
		return false
	}
	x := math.Trunc(formatOf(src, Mode{}).load(a))
	switch op {
	case spirv.OpConvertFToU:
		return !(x >= 0 && x < math.Ldexp(1, int(dst.Width)))
	case spirv.OpConvertFToS:
		limit := math.Ldexp(1, int(dst.Width)-1)
		return !(x >= -limit && x < limit)
	}
	return false
}

// Undefined2 tells whether the specification leaves the result of op on a and b of
// kind k undefined: a division by zero (floating-point remainders included, but
// not OpFDiv), the smallest integer divided by −1, OpSRem and OpSMod of negative
// operands (Vulkan), shifts by the width or more.
func Undefined2(op spirv.Opcode, k Kind, a, b uint64) bool {
	switch op {
	case spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic:
		return k.isInt() && b >= uint64(k.Width)
	case spirv.OpUDiv, spirv.OpUMod:
		return k.isInt() && b == 0
	case spirv.OpSDiv:
		return k.isInt() && (b == 0 || b == mask(k.Width) && signExtend(a, k.Width) == minSigned(k.Width))
	case spirv.OpSRem, spirv.OpSMod:
		return k.isInt() && (b == 0 || signExtend(a, k.Width) < 0 || signExtend(b, k.Width) < 0)
	case spirv.OpFRem, spirv.OpFMod:
		return k.isFloat() && formatOf(k, Mode{}).load(b) == 0
	}
	return false
}

// Undefined3 tells whether the specification leaves the result of the bit-field
// instruction op (OpBitFieldInsert, OpBitFieldSExtract, OpBitFieldUExtract) on a
// base of kind k undefined: the field does not lie in the base.
func Undefined3(op spirv.Opcode, k Kind, offset, count uint64) bool {
	switch op {
	case spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract:
		return k.isInt() && outside(k.Width, offset, count)
	}
	return false
}

// UndefinedGLSL tells whether the specification leaves the result of the
// GLSL.std.450 instruction inst on operands of kind k undefined; unused operands
// are ignored. These are: clamps between a minimum greater than the maximum, min,
// max and clamp with a NaN (not their N forms), smoothstep without a proper
// interval, powers, logarithms, roots and inverse functions outside their domain,
// atan2 of zeros, ldexp beyond the format's exponents, frexp of infinities and
// NaN. The second operand of Ldexp is a 32-bit integer.
func UndefinedGLSL(inst uint32, k Kind, a, b, c uint64) bool {
	if k.isInt() {
		switch inst {
		case spirv.GLSLUClamp:
			return b > c
		case spirv.GLSLSClamp:
			return signExtend(b, k.Width) > signExtend(c, k.Width)
		}
		return false
	}
	if !k.isFloat() {
		return false
	}
	f := formatOf(k, Mode{})
	x := f.load(a)
	switch inst {
	case spirv.GLSLSqrt:
		return x < 0
	case spirv.GLSLInverseSqrt, spirv.GLSLLog, spirv.GLSLLog2:
		return x <= 0
	case spirv.GLSLAsin, spirv.GLSLAcos:
		return math.Abs(x) > 1
	case spirv.GLSLAcosh:
		return x < 1
	case spirv.GLSLAtanh:
		return math.Abs(x) >= 1
	case spirv.GLSLFrexp, spirv.GLSLFrexpStruct:
		return !finite(x)
	case spirv.GLSLLdexp:
		// Exponents beyond that of the largest power of two plus one.
		e := signExtend(b, 32)
		switch k.Width {
		case 16:
			return e > 16
		case 32:
			return e > 128
		}
		return e > 1024
	}
	y := f.load(b)
	switch inst {
	case spirv.GLSLPow:
		return x < 0 || x == 0 && y <= 0
	case spirv.GLSLAtan2:
		return x == 0 && y == 0
	case spirv.GLSLFMin, spirv.GLSLFMax:
		return x != x || y != y
	}
	z := f.load(c)
	switch inst {
	case spirv.GLSLFClamp:
		return x != x || !(y <= z)
	case spirv.GLSLNClamp:
		return y > z
	case spirv.GLSLSmoothStep:
		return !(x < y)
	}
	return false
}
