package tilemem

import (
	"math"

	"ampdbg/program"
)

// ApplyAtomic gives the value that memory holds after op, from the old value,
// the operand and (for program.AtomicCompareExchange) the comparator. size is 1, 2, 4
// or 8 bytes; values are raw bits, zero-extended.
func ApplyAtomic(op program.AtomicOp, size int, old, val, cmp uint64) uint64 {
	width := uint(size) * 8
	sign := func(x uint64) int64 { return int64(x<<(64-width)) >> (64 - width) }
	pick := func(takeOld bool) uint64 {
		if takeOld {
			return old
		}
		return val
	}
	var r uint64
	switch op {
	case program.AtomicLoad:
		return old
	case program.AtomicStore, program.AtomicExchange:
		r = val
	case program.AtomicCompareExchange:
		if old != cmp {
			return old
		}
		r = val
	case program.AtomicAdd:
		r = old + val
	case program.AtomicSub:
		r = old - val
	case program.AtomicSMin:
		r = pick(sign(old) <= sign(val))
	case program.AtomicUMin:
		r = pick(old <= val)
	case program.AtomicSMax:
		r = pick(sign(old) >= sign(val))
	case program.AtomicUMax:
		r = pick(old >= val)
	case program.AtomicAnd:
		r = old & val
	case program.AtomicOr:
		r = old | val
	case program.AtomicXor:
		r = old ^ val
	case program.AtomicFAdd, program.AtomicFMin, program.AtomicFMax:
		if size == 8 {
			x := floatOp(op, math.Float64frombits(old), math.Float64frombits(val))
			if x != x {
				return 0x7ff8 << 48 // whatever NaN went in, as of all arithmetic
			}
			return math.Float64bits(x)
		}
		a, b := math.Float32frombits(uint32(old)), math.Float32frombits(uint32(val))
		x := a + b
		if op != program.AtomicFAdd {
			x = float32(floatOp(op, float64(a), float64(b)))
		}
		if x != x {
			return 0x7fc0 << 16
		}
		return uint64(math.Float32bits(x))
	}
	if width < 64 {
		r &= 1<<width - 1
	}
	return r
}

// floatOp is the float operation; min and max take the number where one side
// is a NaN and order -0 below +0 (SPV_EXT_shader_atomic_float_min_max leaves
// both open).
func floatOp(op program.AtomicOp, a, b float64) float64 {
	if op == program.AtomicFAdd {
		return a + b
	}
	switch {
	case a != a:
		return b
	case b != b:
		return a
	case op == program.AtomicFMin:
		return math.Min(a, b)
	}
	return math.Max(a, b)
}
