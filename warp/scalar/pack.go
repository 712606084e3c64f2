package scalar

import (
	"math"

	"ampdbg/spirv"
	"ampdbg/spirv/half"
)

// packing gives the Pack… and Unpack… instructions on n components; fn is nil if
// inst is none of them or n is not its number of components.
func packing(inst uint32, f format, n int) (fn func(in, out []uint64), outLen int) {
	if (inst == spirv.GLSLPackDouble2x32 || inst == spirv.GLSLUnpackDouble2x32) != (f.width == 64) || f.width == 16 {
		return nil, 0
	}
	components := 0
	switch inst {
	case spirv.GLSLPackSnorm4x8:
		components, outLen, fn = 4, 1, packNormalized(f, 8, -1, math.MaxInt8)
	case spirv.GLSLPackUnorm4x8:
		components, outLen, fn = 4, 1, packNormalized(f, 8, 0, math.MaxUint8)
	case spirv.GLSLPackSnorm2x16:
		components, outLen, fn = 2, 1, packNormalized(f, 16, -1, math.MaxInt16)
	case spirv.GLSLPackUnorm2x16:
		components, outLen, fn = 2, 1, packNormalized(f, 16, 0, math.MaxUint16)
	case spirv.GLSLUnpackSnorm4x8:
		components, outLen, fn = 1, 4, unpackNormalized(f, 8, true, math.MaxInt8)
	case spirv.GLSLUnpackUnorm4x8:
		components, outLen, fn = 1, 4, unpackNormalized(f, 8, false, math.MaxUint8)
	case spirv.GLSLUnpackSnorm2x16:
		components, outLen, fn = 1, 2, unpackNormalized(f, 16, true, math.MaxInt16)
	case spirv.GLSLUnpackUnorm2x16:
		components, outLen, fn = 1, 2, unpackNormalized(f, 16, false, math.MaxUint16)
	case spirv.GLSLPackHalf2x16:
		components, outLen = 2, 1
		fn = func(in, out []uint64) {
			low := half.FromFloat(load32(f.flushed(in[0])), f.rtz)
			high := half.FromFloat(load32(f.flushed(in[1])), f.rtz)
			out[0] = uint64(high)<<16 | uint64(low)
		}
	case spirv.GLSLUnpackHalf2x16:
		components, outLen = 1, 2
		fn = func(in, out []uint64) {
			out[0] = uint64(math.Float32bits(half.ToFloat(uint16(in[0]))))
			out[1] = uint64(math.Float32bits(half.ToFloat(uint16(in[0] >> 16))))
		}
	case spirv.GLSLPackDouble2x32:
		components, outLen = 2, 1
		fn = func(in, out []uint64) { out[0] = in[1]<<32 | in[0] }
	case spirv.GLSLUnpackDouble2x32:
		components, outLen = 1, 2
		fn = func(in, out []uint64) { out[0], out[1] = in[0]&math.MaxUint32, in[0]>>32 }
	}
	if n != components {
		return nil, 0
	}
	return fn, outLen
}

// packNormalized packs roundEven(clamp(x, low, 1)·scale) of each component into
// width bits, the first component lowest. A NaN packs as low.
func packNormalized(f format, width uint8, low, scale float64) func(in, out []uint64) {
	least, one, factor := f.round(low), f.round(1), f.round(scale)
	return func(in, out []uint64) {
		var word uint64
		for i := range int(32 / width) {
			x := f.load(f.mul(f.clamp(in[i], least, one), factor))
			word |= uint64(int64(math.RoundToEven(x))) & mask(width) << (i * int(width))
		}
		out[0] = word
	}
}

// unpackNormalized gives each width bits divided by scale, and at least −1.
func unpackNormalized(f format, width uint8, signed bool, scale float64) func(in, out []uint64) {
	least, one, divisor := f.round(-1), f.round(1), f.round(scale)
	return func(in, out []uint64) {
		for i := range int(32 / width) {
			field := in[0] >> (i * int(width)) & mask(width)
			x := float64(field)
			if signed {
				x = float64(signExtend(field, width))
			}
			out[i] = f.clamp(f.div(f.round(x), divisor), least, one)
		}
	}
}
