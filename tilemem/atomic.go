package tilemem

import (
	"math"
)

// AtomicOp is what an atomic instruction does to memory.
type AtomicOp uint8

// The atomic operations.
const (
	AtomicLoad AtomicOp = iota
	AtomicStore
	AtomicExchange
	AtomicCompareExchange // the new value is stored where memory equals the comparator
	AtomicAdd
	AtomicSub
	AtomicSMin
	AtomicUMin
	AtomicSMax
	AtomicUMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicFAdd
	AtomicFMin
	AtomicFMax
)

// Reads reports whether the operation's result depends on memory.
func (op AtomicOp) Reads() bool { return op != AtomicStore }

// Writes reports whether the operation may write.
func (op AtomicOp) Writes() bool { return op != AtomicLoad }

// Commutes reports whether any order of several such operations leaves the
// same memory.
func (op AtomicOp) Commutes() bool {
	switch op {
	case AtomicAdd, AtomicSub, AtomicSMin, AtomicUMin, AtomicSMax, AtomicUMax, AtomicAnd, AtomicOr, AtomicXor:
		return true
	}
	return false
}

// ApplyAtomic gives the value that memory holds after op, from the old value,
// the operand and (for AtomicCompareExchange) the comparator. size is 1, 2, 4
// or 8 bytes; values are raw bits, zero-extended.
func ApplyAtomic(op AtomicOp, size int, old, val, cmp uint64) uint64 {
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
	case AtomicLoad:
		return old
	case AtomicStore, AtomicExchange:
		r = val
	case AtomicCompareExchange:
		if old != cmp {
			return old
		}
		r = val
	case AtomicAdd:
		r = old + val
	case AtomicSub:
		r = old - val
	case AtomicSMin:
		r = pick(sign(old) <= sign(val))
	case AtomicUMin:
		r = pick(old <= val)
	case AtomicSMax:
		r = pick(sign(old) >= sign(val))
	case AtomicUMax:
		r = pick(old >= val)
	case AtomicAnd:
		r = old & val
	case AtomicOr:
		r = old | val
	case AtomicXor:
		r = old ^ val
	case AtomicFAdd, AtomicFMin, AtomicFMax:
		if size == 8 {
			x := floatOp(op, math.Float64frombits(old), math.Float64frombits(val))
			if x != x {
				return 0x7ff8 << 48 // whatever NaN went in, as of all arithmetic
			}
			return math.Float64bits(x)
		}
		a, b := math.Float32frombits(uint32(old)), math.Float32frombits(uint32(val))
		x := a + b
		if op != AtomicFAdd {
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
func floatOp(op AtomicOp, a, b float64) float64 {
	if op == AtomicFAdd {
		return a + b
	}
	switch {
	case a != a:
		return b
	case b != b:
		return a
	case op == AtomicFMin:
		return math.Min(a, b)
	}
	return math.Max(a, b)
}
