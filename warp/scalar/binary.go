package scalar

import (
	"math"
	"math/bits"

	"ampdbg/program"
	"ampdbg/spirv"
)

// Binary gives the core instruction op on two operands of kind src: integer and
// floating-point arithmetic, shifts, bitwise and logical operations and every
// comparison (the result of which is a bool). The multiplications of a vector or
// matrix by a scalar, and the outer product, are OpFMul of their components. The
// second operand of a shift may have any width. ok is false if op is not such an
// instruction of this kind.
func Binary(op spirv.Opcode, src program.Kind, m program.Mode) (fn Func2, ok bool) {
	switch {
	case src.IsBool():
		fn = logical(op)
	case src.IsInt():
		if fn = integerArithmetic(op, src.Width); fn == nil {
			fn = integerComparison(op, src.Width)
		}
	case src.IsFloat():
		f := formatOf(src, m)
		if fn = floatArithmetic(op, f); fn == nil {
			fn = floatComparison(op, f)
		}
	}
	return fn, fn != nil
}

func logical(op spirv.Opcode) Func2 {
	switch op {
	case spirv.OpLogicalEqual:
		return func(a, b uint64) uint64 { return a ^ b ^ 1 }
	case spirv.OpLogicalNotEqual:
		return func(a, b uint64) uint64 { return a ^ b }
	case spirv.OpLogicalOr:
		return func(a, b uint64) uint64 { return a | b }
	case spirv.OpLogicalAnd:
		return func(a, b uint64) uint64 { return a & b }
	}
	return nil
}

func integerArithmetic(op spirv.Opcode, width uint8) Func2 {
	in := mask(width)
	switch op {
	case spirv.OpIAdd:
		return func(a, b uint64) uint64 { return (a + b) & in }
	case spirv.OpISub:
		return func(a, b uint64) uint64 { return (a - b) & in }
	case spirv.OpIMul:
		return func(a, b uint64) uint64 { return a * b & in }
	case spirv.OpUDiv:
		return func(a, b uint64) uint64 {
			if b == 0 {
				return 0
			}
			return a / b
		}
	case spirv.OpUMod:
		return func(a, b uint64) uint64 {
			if b == 0 {
				return 0
			}
			return a % b
		}
	case spirv.OpSDiv:
		return func(a, b uint64) uint64 {
			if b&in == 0 {
				return 0
			}
			return uint64(signExtend(a, width)/signExtend(b, width)) & in
		}
	case spirv.OpSRem:
		return func(a, b uint64) uint64 {
			if b&in == 0 {
				return 0
			}
			return uint64(signExtend(a, width)%signExtend(b, width)) & in
		}
	case spirv.OpSMod:
		return func(a, b uint64) uint64 {
			if b&in == 0 {
				return 0
			}
			y := signExtend(b, width)
			r := signExtend(a, width) % y
			if r != 0 && (r < 0) != (y < 0) {
				r += y
			}
			return uint64(r) & in
		}
	case spirv.OpShiftLeftLogical:
		return func(a, b uint64) uint64 {
			if b >= uint64(width) {
				return 0
			}
			return a << b & in
		}
	case spirv.OpShiftRightLogical:
		return func(a, b uint64) uint64 {
			if b >= uint64(width) {
				return 0
			}
			return a >> b
		}
	case spirv.OpShiftRightArithmetic:
		return func(a, b uint64) uint64 {
			if b >= uint64(width) {
				return 0
			}
			return uint64(signExtend(a, width)>>b) & in
		}
	case spirv.OpBitwiseOr:
		return func(a, b uint64) uint64 { return a | b }
	case spirv.OpBitwiseXor:
		return func(a, b uint64) uint64 { return a ^ b }
	case spirv.OpBitwiseAnd:
		return func(a, b uint64) uint64 { return a & b }
	}
	return nil
}

func integerComparison(op spirv.Opcode, width uint8) Func2 {
	// Shifted to the top, numbers of any width compare as 64-bit ones.
	s := 64 - width
	switch op {
	case spirv.OpIEqual:
		return func(a, b uint64) uint64 { return truth(a == b) }
	case spirv.OpINotEqual:
		return func(a, b uint64) uint64 { return truth(a != b) }
	case spirv.OpUGreaterThan:
		return func(a, b uint64) uint64 { return truth(a > b) }
	case spirv.OpUGreaterThanEqual:
		return func(a, b uint64) uint64 { return truth(a >= b) }
	case spirv.OpULessThan:
		return func(a, b uint64) uint64 { return truth(a < b) }
	case spirv.OpULessThanEqual:
		return func(a, b uint64) uint64 { return truth(a <= b) }
	case spirv.OpSGreaterThan:
		return func(a, b uint64) uint64 { return truth(int64(a<<s) > int64(b<<s)) }
	case spirv.OpSGreaterThanEqual:
		return func(a, b uint64) uint64 { return truth(int64(a<<s) >= int64(b<<s)) }
	case spirv.OpSLessThan:
		return func(a, b uint64) uint64 { return truth(int64(a<<s) < int64(b<<s)) }
	case spirv.OpSLessThanEqual:
		return func(a, b uint64) uint64 { return truth(int64(a<<s) <= int64(b<<s)) }
	}
	return nil
}

func floatArithmetic(op spirv.Opcode, f format) Func2 {
	switch op {
	case spirv.OpFAdd:
		return f.add
	case spirv.OpFSub:
		return f.sub
	case spirv.OpFMul, spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar, spirv.OpOuterProduct:
		return f.mul
	case spirv.OpFDiv:
		return f.div
	case spirv.OpFRem:
		return f.rem
	case spirv.OpFMod:
		return f.mod
	}
	return nil
}

func floatComparison(op spirv.Opcode, f format) Func2 {
	// "Unordered or less" is "not greater or equal", and so on.
	switch op {
	case spirv.OpFOrdEqual:
		return func(a, b uint64) uint64 { return truth(f.load(a) == f.load(b)) }
	case spirv.OpFUnordNotEqual:
		return func(a, b uint64) uint64 { return truth(f.load(a) != f.load(b)) }
	case spirv.OpFOrdNotEqual, spirv.OpLessOrGreater:
		return func(a, b uint64) uint64 {
			x, y := f.load(a), f.load(b)
			return truth(x < y || x > y)
		}
	case spirv.OpFUnordEqual:
		return func(a, b uint64) uint64 {
			x, y := f.load(a), f.load(b)
			return truth(!(x < y || x > y))
		}
	case spirv.OpFOrdLessThan:
		return func(a, b uint64) uint64 { return truth(f.load(a) < f.load(b)) }
	case spirv.OpFUnordGreaterThanEqual:
		return func(a, b uint64) uint64 { return truth(!(f.load(a) < f.load(b))) }
	case spirv.OpFOrdGreaterThan:
		return func(a, b uint64) uint64 { return truth(f.load(a) > f.load(b)) }
	case spirv.OpFUnordLessThanEqual:
		return func(a, b uint64) uint64 { return truth(!(f.load(a) > f.load(b))) }
	case spirv.OpFOrdLessThanEqual:
		return func(a, b uint64) uint64 { return truth(f.load(a) <= f.load(b)) }
	case spirv.OpFUnordGreaterThan:
		return func(a, b uint64) uint64 { return truth(!(f.load(a) <= f.load(b))) }
	case spirv.OpFOrdGreaterThanEqual:
		return func(a, b uint64) uint64 { return truth(f.load(a) >= f.load(b)) }
	case spirv.OpFUnordLessThan:
		return func(a, b uint64) uint64 { return truth(!(f.load(a) >= f.load(b))) }
	case spirv.OpOrdered:
		return func(a, b uint64) uint64 { return truth(!math.IsNaN(f.load(a)) && !math.IsNaN(f.load(b))) }
	case spirv.OpUnordered:
		return func(a, b uint64) uint64 { return truth(math.IsNaN(f.load(a)) || math.IsNaN(f.load(b))) }
	}
	return nil
}

// Pair gives an integer instruction with a struct of two members as its result:
// OpIAddCarry (sum, carry), OpISubBorrow (difference, borrow), OpUMulExtended and
// OpSMulExtended (low half, high half).
func Pair(op spirv.Opcode, k program.Kind) (fn func(a, b uint64) (lo, hi uint64), ok bool) {
	if !k.IsInt() {
		return nil, false
	}
	width, in := k.Width, mask(k.Width)
	switch op {
	case spirv.OpIAddCarry:
		return func(a, b uint64) (uint64, uint64) {
			sum := (a + b) & in
			return sum, truth(sum < a)
		}, true
	case spirv.OpISubBorrow:
		return func(a, b uint64) (uint64, uint64) { return (a - b) & in, truth(a < b) }, true
	case spirv.OpUMulExtended:
		return func(a, b uint64) (uint64, uint64) {
			hi, lo := bits.Mul64(a, b)
			return lo & in, shiftRight(hi, lo, int(width)) & in
		}, true
	case spirv.OpSMulExtended:
		return func(a, b uint64) (uint64, uint64) {
			x, y := signExtend(a, width), signExtend(b, width)
			hi, lo := bits.Mul64(uint64(x), uint64(y))
			// Of two's complement numbers: each negative one was 2^64 too large.
			hi -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
			return lo & in, shiftRight(hi, lo, int(width)) & in
		}, true
	}
	return nil, false
}
