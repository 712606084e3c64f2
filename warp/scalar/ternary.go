package scalar

import (
	"ampdbg/program"
	"ampdbg/spirv"
)

// Ternary gives the core instruction op on three operands: OpBitFieldSExtract and
// OpBitFieldUExtract (base of kind k, offset, count; the latter two of any
// integer width), and OpSelect (condition, object 1, object 2, of kind k).
func Ternary(op spirv.Opcode, k program.Kind, _ program.Mode) (fn Func3, ok bool) {
	width, in := k.Width, mask(max(1, min(64, k.Width)))
	switch op {
	case spirv.OpSelect:
		return func(condition, a, b uint64) uint64 {
			if condition != 0 {
				return a
			}
			return b
		}, valid(k)
	case spirv.OpBitFieldUExtract:
		return func(base, offset, count uint64) uint64 {
			if outside(width, offset, count) || count == 0 {
				return 0
			}
			return base >> offset & mask(uint8(count))
		}, k.IsInt()
	case spirv.OpBitFieldSExtract:
		return func(base, offset, count uint64) uint64 {
			if outside(width, offset, count) || count == 0 {
				return 0
			}
			return uint64(signExtend(base>>offset, uint8(count))) & in
		}, k.IsInt()
	}
	return nil, false
}

// BitFieldInsert gives OpBitFieldInsert on integers of kind k: base, insert, offset,
// count; the latter two of any integer width.
func BitFieldInsert(k program.Kind) (fn Func4, ok bool) {
	width := k.Width
	return func(base, insert, offset, count uint64) uint64 {
		if outside(width, offset, count) {
			return 0
		}
		if count == 0 {
			return base
		}
		field := mask(uint8(count)) << offset
		return base&^field | insert<<offset&field
	}, k.IsInt()
}

// outside says that a bit-field does not lie in a base of the width.
func outside(width uint8, offset, count uint64) bool {
	return count > uint64(width) || offset > uint64(width)-count
}
