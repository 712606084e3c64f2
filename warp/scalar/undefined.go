package scalar

import (
	"math"

	"ampdbg/spirv"
)

// Undefined says why an operation has no defined result for its operands.
type Undefined uint8

// The reasons. The last five are not a matter of one lane's operands and
// arithmetic: no function of this package gives them.
const (
	Defined              Undefined = iota
	DivisionByZero                 // of integers
	DivisionOverflow               // the smallest integer divided by −1
	ShiftRange                     // by the width or more
	BitFieldRange                  // the field does not lie in its base
	ConversionRange                // the number does not fit the integer
	NegativeRemainder              // OpSRem and OpSMod of negative operands (Vulkan)
	FloatDomain                    // a function of numbers on which it is not defined
	CrossedEdges                   // a minimum greater than the maximum, an edge not below the other
	ExponentRange                  // ldexp beyond the format's exponents
	NaNOperand                     // which of a NaN and a number is the smaller
	ZeroVector                     // normalized
	ComponentIndex                 // no component of the vector
	InactiveLane                   // the lane that is read does not take part, or does not exist
	NonUniformLane                 // the lane to read must be the same for all, and is not
	NonUniformDescriptor           // the same of a descriptor that is not decorated NonUniform
	FalseAssumption                // OpAssumeTrueKHR
)

// when is the reason u where bad.
func when(bad bool, u Undefined) Undefined {
	if bad {
		return u
	}
	return Defined
}

// Undefined1 tells whether the specification leaves the result of the conversion
// op of a undefined: a floating-point number beyond the integer type, NaN
// included.
func Undefined1(op spirv.Opcode, dst, src Kind, a uint64) Undefined {
	if !src.isFloat() || !dst.isInt() {
		return Defined
	}
	x := math.Trunc(formatOf(src, Mode{}).load(a))
	switch op {
	case spirv.OpConvertFToU:
		return when(!(x >= 0 && x < math.Ldexp(1, int(dst.Width))), ConversionRange)
	case spirv.OpConvertFToS:
		limit := math.Ldexp(1, int(dst.Width)-1)
		return when(!(x >= -limit && x < limit), ConversionRange)
	}
	return Defined
}

// Undefined2 tells whether the specification leaves the result of op on a and b of
// kind k undefined: a division by zero (floating-point remainders included, but
// not OpFDiv), the smallest integer divided by −1, OpSRem and OpSMod of negative
// operands (Vulkan), shifts by the width or more.
func Undefined2(op spirv.Opcode, k Kind, a, b uint64) Undefined {
	switch op {
	case spirv.OpFRem, spirv.OpFMod:
		return when(k.isFloat() && formatOf(k, Mode{}).load(b) == 0, FloatDomain)
	}
	if !k.isInt() {
		return Defined
	}
	switch op {
	case spirv.OpShiftLeftLogical, spirv.OpShiftRightLogical, spirv.OpShiftRightArithmetic:
		return when(b >= uint64(k.Width), ShiftRange)
	case spirv.OpUDiv, spirv.OpUMod:
		return when(b == 0, DivisionByZero)
	case spirv.OpSDiv, spirv.OpSRem, spirv.OpSMod:
		switch {
		case b == 0:
			return DivisionByZero
		case b == mask(k.Width) && signExtend(a, k.Width) == minSigned(k.Width):
			return DivisionOverflow
		case op != spirv.OpSDiv:
			return when(signExtend(a, k.Width) < 0 || signExtend(b, k.Width) < 0, NegativeRemainder)
		}
	}
	return Defined
}

// Undefined3 tells whether the specification leaves the result of the bit-field
// instruction op (OpBitFieldInsert, OpBitFieldSExtract, OpBitFieldUExtract) on a
// base of kind k undefined: the field does not lie in the base.
func Undefined3(op spirv.Opcode, k Kind, offset, count uint64) Undefined {
	switch op {
	case spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract:
		return when(k.isInt() && outside(k.Width, offset, count), BitFieldRange)
	}
	return Defined
}

// UndefinedGLSL tells whether the specification leaves the result of the
// GLSL.std.450 instruction inst on operands of kind k undefined; unused operands
// are ignored. These are: clamps between a minimum greater than the maximum, min,
// max and clamp with a NaN (not their N forms), smoothstep without a proper
// interval, powers, logarithms, roots and inverse functions outside their domain,
// atan2 of zeros, ldexp beyond the format's exponents, frexp of infinities and
// NaN. The second operand of Ldexp is a 32-bit integer.
func UndefinedGLSL(inst uint32, k Kind, a, b, c uint64) Undefined {
	if k.isInt() {
		switch inst {
		case spirv.GLSLUClamp:
			return when(b > c, CrossedEdges)
		case spirv.GLSLSClamp:
			return when(signExtend(b, k.Width) > signExtend(c, k.Width), CrossedEdges)
		}
		return Defined
	}
	if !k.isFloat() {
		return Defined
	}
	f := formatOf(k, Mode{})
	x := f.load(a)
	switch inst {
	case spirv.GLSLSqrt:
		return when(x < 0, FloatDomain)
	case spirv.GLSLInverseSqrt, spirv.GLSLLog, spirv.GLSLLog2:
		return when(x <= 0, FloatDomain)
	case spirv.GLSLAsin, spirv.GLSLAcos:
		return when(math.Abs(x) > 1, FloatDomain)
	case spirv.GLSLAcosh:
		return when(x < 1, FloatDomain)
	case spirv.GLSLAtanh:
		return when(math.Abs(x) >= 1, FloatDomain)
	case spirv.GLSLFrexp, spirv.GLSLFrexpStruct:
		return when(!finite(x), FloatDomain)
	case spirv.GLSLLdexp:
		return UndefinedLdexp(k, Kind{Width: 32}, a, b)
	}
	y := f.load(b)
	switch inst {
	case spirv.GLSLPow:
		return when(x < 0 || x == 0 && y <= 0, FloatDomain)
	case spirv.GLSLAtan2:
		return when(x == 0 && y == 0, FloatDomain)
	case spirv.GLSLFMin, spirv.GLSLFMax:
		return when(x != x || y != y, NaNOperand)
	}
	z := f.load(c)
	switch inst {
	case spirv.GLSLFClamp:
		if y > z {
			return CrossedEdges
		}
		return when(x != x || y != y || z != z, NaNOperand)
	case spirv.GLSLNClamp:
		return when(y > z, CrossedEdges)
	case spirv.GLSLSmoothStep:
		return when(!(x < y), CrossedEdges)
	}
	return Defined
}

// UndefinedLdexp is UndefinedGLSL of Ldexp with an exponent of any kind: it is
// beyond that of the largest power of two plus one, or the product is beyond
// the largest number.
func UndefinedLdexp(k, exponent Kind, a, b uint64) Undefined {
	x, e, most := formatOf(k, Mode{}).load(a), signExtend(b, exponent.Width), int64(1024)
	switch k.Width {
	case 16:
		most = 16
	case 32:
		most = 128
	}
	if e > most {
		return ExponentRange
	}
	_, own := math.Frexp(x)
	return when(finite(x) && x != 0 && int64(own)+e > most, ExponentRange)
}

// UndefinedVector tells the same of the instructions on whole vectors and
// matrices that have such operands: Normalize of zeros, MatrixInverse of a
// matrix whose determinant is 0. It gives nil for all others.
func UndefinedVector(inst uint32, k Kind, n int) func(v []uint64) Undefined {
	if !k.isFloat() {
		return nil
	}
	f := formatOf(k, Mode{})
	switch inst {
	case spirv.GLSLNormalize:
		return func(v []uint64) Undefined {
			for _, bits := range v {
				if f.load(bits) != 0 {
					return Defined
				}
			}
			return ZeroVector
		}
	case spirv.GLSLMatrixInverse:
		size := order(n)
		if size == 0 {
			return nil
		}
		return func(v []uint64) Undefined {
			a := f.loadMatrix(v, size)
			return when(a.determinant(size) == 0, FloatDomain)
		}
	}
	return nil
}
