package scalar

import (
	"math"
	"math/bits"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/spirv/half"
)

// Unary gives the core instruction op from one src to dst: negation, complement,
// bit counting and reversal, classification of floating-point numbers, and every
// conversion between scalars. OpBitcast needs equal widths; pointers convert as
// 64-bit integers. ok is false if op is not such an instruction of these kinds.
func Unary(op spirv.Opcode, dst, src program.Kind, m program.Mode) (fn Func1, ok bool) {
	switch {
	case op == spirv.OpLogicalNot:
		return func(a uint64) uint64 { return a ^ 1 }, dst.IsBool() && src.IsBool()
	case op == spirv.OpBitcast:
		return same, dst.Width == src.Width && !dst.IsBool() && valid(dst) && valid(src)
	case src.IsFloat() && dst.IsBool():
		fn = classification(op, formatOf(src, m))
	case src.IsFloat() && dst.IsFloat():
		fn = floatToFloat(op, dst, src, m)
	case src.IsFloat() && dst.IsInt():
		fn = floatToInt(op, dst, formatOf(src, m))
	case src.IsInt() && dst.IsFloat():
		fn = intToFloat(op, formatOf(dst, m), src.Width)
	case src.IsInt() && dst.IsInt():
		fn = intToInt(op, dst.Width, src.Width)
	}
	return fn, fn != nil
}

func valid(k program.Kind) bool { return k.IsBool() || k.IsInt() || k.IsFloat() }

func same(a uint64) uint64 { return a }

func intToInt(op spirv.Opcode, dst, src uint8) Func1 {
	out, in := mask(dst), mask(src)
	switch op {
	case spirv.OpUConvert, spirv.OpConvertPtrToU, spirv.OpConvertUToPtr:
		return func(a uint64) uint64 { return a & out }
	case spirv.OpSConvert:
		return func(a uint64) uint64 { return uint64(signExtend(a, src)) & out }
	case spirv.OpSatConvertSToU:
		return func(a uint64) uint64 { return min(uint64(max(0, signExtend(a, src))), out) }
	case spirv.OpSatConvertUToS:
		return func(a uint64) uint64 { return min(a, out>>1) }
	case spirv.OpBitCount:
		return func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) }
	}
	if dst != src {
		return nil
	}
	switch op {
	case spirv.OpSNegate:
		return func(a uint64) uint64 { return -a & in }
	case spirv.OpNot:
		return func(a uint64) uint64 { return ^a & in }
	case spirv.OpBitReverse:
		return func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - src) }
	}
	return nil
}

func floatToFloat(op spirv.Opcode, dst, src program.Kind, m program.Mode) Func1 {
	from, to := formatOf(src, m), formatOf(dst, m)
	switch {
	case op == spirv.OpFConvert:
		// The mode is the result's: the operand's denormals are of another width.
		from.flush = m.FlushDenorms && src.Width == dst.Width
		return func(a uint64) uint64 { return to.round(from.load(a)) }
	case op == spirv.OpFNegate && dst.Width == src.Width:
		return to.neg
	case op == spirv.OpQuantizeToF16 && dst.Width == 32 && src.Width == 32:
		return func(a uint64) uint64 {
			x := load32(a)
			if math.Abs(float64(x)) < 0x1p-14 {
				return a & (1 << 31)
			}
			return bits32(half.ToFloat(half.FromFloat(x, false)))
		}
	}
	return nil
}

func floatToInt(op spirv.Opcode, dst program.Kind, f format) Func1 {
	switch op {
	case spirv.OpConvertFToU:
		limit, most := math.Ldexp(1, int(dst.Width)), mask(dst.Width)
		return func(a uint64) uint64 {
			switch x := f.load(a); {
			case x >= limit:
				return most
			case x >= 1:
				return uint64(x)
			}
			return 0 // NaN too
		}
	case spirv.OpConvertFToS:
		limit := math.Ldexp(1, int(dst.Width)-1)
		least, most, out := minSigned(dst.Width), maxSigned(dst.Width), mask(dst.Width)
		return func(a uint64) uint64 {
			var n int64
			switch x := f.load(a); {
			case x >= limit:
				n = most
			case x <= -limit:
				n = least
			case x == x:
				n = int64(x)
			}
			return uint64(n) & out
		}
	}
	return nil
}

func intToFloat(op spirv.Opcode, f format, src uint8) Func1 {
	switch op {
	case spirv.OpConvertUToF:
		return func(a uint64) uint64 { return f.fromInt(false, a) }
	case spirv.OpConvertSToF:
		return func(a uint64) uint64 {
			n := signExtend(a, src)
			if n < 0 {
				return f.fromInt(true, -uint64(n))
			}
			return f.fromInt(false, uint64(n))
		}
	}
	return nil
}

// fromInt is ±n with one rounding.
func (f format) fromInt(negative bool, n uint64) uint64 {
	if f.rtz && f.width == 64 {
		return f.round(assemble(negative, 0, n, 0))
	}
	x := float64(n)
	if f.width != 64 && bits.Len64(n) > 53 {
		// Round to odd: the bits that binary64 cannot hold become one sticky bit.
		x = float64(n>>11|truth(n&0x7ff != 0)) * 0x1p11
	}
	if negative {
		x = -x
	}
	return f.round(x)
}

func classification(op spirv.Opcode, f format) Func1 {
	infinity, magnitude, sign := f.exponentBits(), f.signBit()-1, f.signBit()
	switch op {
	case spirv.OpIsNan:
		return func(a uint64) uint64 { return truth(a&magnitude > infinity) }
	case spirv.OpIsInf:
		return func(a uint64) uint64 { return truth(a&magnitude == infinity) }
	case spirv.OpIsFinite:
		return func(a uint64) uint64 { return truth(a&magnitude < infinity) }
	case spirv.OpIsNormal:
		return func(a uint64) uint64 {
			e := a & infinity
			return truth(e != 0 && e != infinity)
		}
	case spirv.OpSignBitSet:
		return func(a uint64) uint64 { return truth(a&sign != 0) }
	}
	return nil
}
