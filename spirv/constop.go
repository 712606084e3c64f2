package spirv

import "math"

// operands are one component of each operand of an operation on constants.
type operands struct {
	bits [2]uint64
	from [2]*Type // scalar type of each operand (or a pointer)
	to   *Type    // scalar type of the result (or a pointer)
}

func (v operands) u(k int) uint64 { return v.bits[k] }

func (v operands) s(k int) int64 { return signed(v.bits[k], v.from[k].bitWidth()) }

func (v operands) f(k int) float64 { return floatValue(v.bits[k], v.from[k].Width) }

func (v operands) width() int { return v.from[0].bitWidth() }

// widthRule says which component widths of an operation must agree.
type widthRule uint8

const (
	anyWidth     widthRule = iota
	sameOperands           // of the operands
	allSame                // of the operands and the result
)

// constOp is an operation on the components of constants. eval gives the
// result's bits (those above the result's width do not count) and false where
// the result is undefined.
type constOp struct {
	operands        int
	operand, result func(*Type) bool // what scalar types go in and out
	widths          widthRule
	eval            func(operands) (uint64, bool)
}

func isInt(t *Type) bool              { return t.Kind == Int }
func isFloat(t *Type) bool            { return t.Kind == Float }
func isBool(t *Type) bool             { return t.Kind == Bool }
func isNumber(t *Type) bool           { return t.Kind == Int || t.Kind == Float }
func boolBits(b bool) uint64          { return map[bool]uint64{true: 1}[b] }
func defined(x uint64) (uint64, bool) { return x, true }

func intUnary(f func(uint64) uint64) constOp {
	return constOp{1, isInt, isInt, allSame, func(v operands) (uint64, bool) { return f(v.u(0)), true }}
}

func intBinary(f func(v operands) (uint64, bool)) constOp {
	return constOp{2, isInt, isInt, allSame, f}
}

func floatBinary(f func(x, y float64) float64) constOp {
	return constOp{2, isFloat, isFloat, allSame, func(v operands) (uint64, bool) {
		return floatBits(f(v.f(0), v.f(1)), v.to.Width), true
	}}
}

func intCompare(f func(v operands) bool) constOp {
	return constOp{2, isInt, isBool, sameOperands, func(v operands) (uint64, bool) { return boolBits(f(v)), true }}
}

func boolBinary(f func(x, y uint64) uint64) constOp {
	return constOp{2, isBool, isBool, allSame, func(v operands) (uint64, bool) { return f(v.u(0), v.u(1)) & 1, true }}
}

func convert(from, to func(*Type) bool, f func(v operands) (uint64, bool)) constOp {
	return constOp{1, from, to, anyWidth, f}
}

// shift gives a shift, undefined for an amount of the width or more (SPIR-V
// 3.42.14); the amount may have another width than the base.
func shift(f func(v operands, n uint) uint64) constOp {
	return constOp{2, isInt, isInt, anyWidth, func(v operands) (uint64, bool) {
		if v.u(1) >= uint64(v.width()) {
			return 0, false
		}
		return f(v, uint(v.u(1))), true
	}}
}

// divide gives a division, undefined by zero; signed ones where the quotient
// overflows, too.
func divide(overflows bool, f func(v operands) uint64) constOp {
	return intBinary(func(v operands) (uint64, bool) {
		if v.u(1) == 0 || overflows && v.s(1) == -1 && v.s(0) == math.MinInt64>>(64-v.width()) {
			return 0, false
		}
		return f(v), true
	})
}

// floatMod is FMod: the sign of the result is that of y, as x-y*floor(x/y).
func floatMod(x, y float64) float64 {
	m := math.Mod(x, y)
	switch {
	case m == 0:
		return math.Copysign(0, y)
	case (m < 0) != (y < 0) && !math.IsInf(y, 0):
		return m + y
	case (m < 0) != (y < 0):
		return y
	}
	return m
}

// constOps are the component-wise operations of OpSpecConstantOp: all but
// those on pointers.
var constOps = map[Opcode]constOp{
	OpSNegate: intUnary(func(x uint64) uint64 { return -x }),
	OpNot:     intUnary(func(x uint64) uint64 { return ^x }),
	OpIAdd:    intBinary(func(v operands) (uint64, bool) { return defined(v.u(0) + v.u(1)) }),
	OpISub:    intBinary(func(v operands) (uint64, bool) { return defined(v.u(0) - v.u(1)) }),
	OpIMul:    intBinary(func(v operands) (uint64, bool) { return defined(v.u(0) * v.u(1)) }),
	OpUDiv:    divide(false, func(v operands) uint64 { return v.u(0) / v.u(1) }),
	OpSDiv:    divide(true, func(v operands) uint64 { return uint64(v.s(0) / v.s(1)) }),
	OpUMod:    divide(false, func(v operands) uint64 { return v.u(0) % v.u(1) }),
	OpSRem:    divide(true, func(v operands) uint64 { return uint64(v.s(0) % v.s(1)) }),
	OpSMod: divide(true, func(v operands) uint64 {
		m := v.s(0) % v.s(1)
		if m != 0 && (m < 0) != (v.s(1) < 0) {
			m += v.s(1)
		}
		return uint64(m)
	}),
	OpShiftRightLogical:    shift(func(v operands, n uint) uint64 { return v.u(0) >> n }),
	OpShiftRightArithmetic: shift(func(v operands, n uint) uint64 { return uint64(v.s(0) >> n) }),
	OpShiftLeftLogical:     shift(func(v operands, n uint) uint64 { return v.u(0) << n }),
	OpBitwiseOr:            intBinary(func(v operands) (uint64, bool) { return defined(v.u(0) | v.u(1)) }),
	OpBitwiseXor:           intBinary(func(v operands) (uint64, bool) { return defined(v.u(0) ^ v.u(1)) }),
	OpBitwiseAnd:           intBinary(func(v operands) (uint64, bool) { return defined(v.u(0) & v.u(1)) }),

	OpLogicalOr:       boolBinary(func(x, y uint64) uint64 { return x | y }),
	OpLogicalAnd:      boolBinary(func(x, y uint64) uint64 { return x & y }),
	OpLogicalEqual:    boolBinary(func(x, y uint64) uint64 { return ^(x ^ y) }),
	OpLogicalNotEqual: boolBinary(func(x, y uint64) uint64 { return x ^ y }),
	OpLogicalNot:      {1, isBool, isBool, allSame, func(v operands) (uint64, bool) { return v.u(0) ^ 1, true }},

	OpIEqual:            intCompare(func(v operands) bool { return v.u(0) == v.u(1) }),
	OpINotEqual:         intCompare(func(v operands) bool { return v.u(0) != v.u(1) }),
	OpULessThan:         intCompare(func(v operands) bool { return v.u(0) < v.u(1) }),
	OpSLessThan:         intCompare(func(v operands) bool { return v.s(0) < v.s(1) }),
	OpUGreaterThan:      intCompare(func(v operands) bool { return v.u(0) > v.u(1) }),
	OpSGreaterThan:      intCompare(func(v operands) bool { return v.s(0) > v.s(1) }),
	OpULessThanEqual:    intCompare(func(v operands) bool { return v.u(0) <= v.u(1) }),
	OpSLessThanEqual:    intCompare(func(v operands) bool { return v.s(0) <= v.s(1) }),
	OpUGreaterThanEqual: intCompare(func(v operands) bool { return v.u(0) >= v.u(1) }),
	OpSGreaterThanEqual: intCompare(func(v operands) bool { return v.s(0) >= v.s(1) }),

	OpFNegate: {1, isFloat, isFloat, allSame, func(v operands) (uint64, bool) {
		return defined(v.u(0) ^ 1<<(v.width()-1))
	}},
	OpFAdd: floatBinary(func(x, y float64) float64 { return x + y }),
	OpFSub: floatBinary(func(x, y float64) float64 { return x - y }),
	OpFMul: floatBinary(func(x, y float64) float64 { return x * y }),
	OpFDiv: floatBinary(func(x, y float64) float64 { return x / y }),
	OpFRem: floatBinary(math.Mod),
	OpFMod: floatBinary(floatMod),

	OpSConvert: convert(isInt, isInt, func(v operands) (uint64, bool) { return defined(uint64(v.s(0))) }),
	OpUConvert: convert(isInt, isInt, func(v operands) (uint64, bool) { return defined(v.u(0)) }),
	OpFConvert: convert(isFloat, isFloat, func(v operands) (uint64, bool) {
		return defined(floatBits(v.f(0), v.to.Width))
	}),
	OpConvertFToS: convert(isFloat, isInt, func(v operands) (uint64, bool) {
		x, limit := math.Trunc(v.f(0)), math.Ldexp(1, v.to.Width-1)
		if !(x >= -limit && x < limit) {
			return 0, false
		}
		return uint64(int64(x)), true
	}),
	OpConvertFToU: convert(isFloat, isInt, func(v operands) (uint64, bool) {
		x := math.Trunc(v.f(0))
		if !(x >= 0 && x < math.Ldexp(1, v.to.Width)) {
			return 0, false
		}
		return uint64(x), true
	}),
	OpConvertSToF: convert(isInt, isFloat, func(v operands) (uint64, bool) {
		return defined(intToFloat(uint64(max(v.s(0), -v.s(0))), v.s(0) < 0, v.to.Width))
	}),
	OpConvertUToF: convert(isInt, isFloat, func(v operands) (uint64, bool) {
		return defined(intToFloat(v.u(0), false, v.to.Width))
	}),
	OpQuantizeToF16: convert(isFloat, isFloat, func(v operands) (uint64, bool) { return defined(quantize(v.f(0), v.to.Width)) }),

	OpBitcast: convert(isNumber, isNumber, nil), // see bitcast
}
