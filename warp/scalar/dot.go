package scalar

import (
	"ampdbg/program"
	"ampdbg/spirv"
)

// Dot gives OpDot on vectors of n floating-point components; in holds the
// components of the one, then of the other. Each product and each sum, from the
// first component on, is rounded. The rows and columns of matrix products are
// dot products too.
func Dot(k program.Kind, n int, m program.Mode) (fn func(in []uint64) uint64, ok bool) {
	f := formatOf(k, m)
	return func(in []uint64) uint64 { return f.dot(in[:n], in[n:2*n]) }, k.IsFloat() && n > 0
}

func (f format) dot(a, b []uint64) uint64 {
	sum := f.mul(a[0], b[0])
	for i := 1; i < len(a); i++ {
		sum = f.add(sum, f.mul(a[i], b[i]))
	}
	return sum
}

// integerDot gives an integer dot product: OpSDot, OpUDot, OpSUDot (first vector
// signed, second unsigned) and their AccSat forms. With packed each vector is one
// 32-bit integer of four 8-bit components and n and comp are ignored; otherwise
// in holds n components of kind comp of the first vector, then of the second. An
// accumulator of kind result comes last. Sums wrap at the result's width, but the
// accumulator is added with saturation.
func integerDot(op spirv.Opcode, comp, result program.Kind, packed bool, n int) (fn func(in []uint64) uint64, ok bool) {
	if packed {
		comp, n = program.Kind{Width: 8}, 4
	}
	if !comp.IsInt() || !result.IsInt() || n < 1 {
		return nil, false
	}
	var signedA, signedB, accumulate bool
	switch op {
	case spirv.OpSDot:
		signedA, signedB = true, true
	case spirv.OpUDot:
	case spirv.OpSUDot:
		signedA = true
	case spirv.OpSDotAccSat:
		signedA, signedB, accumulate = true, true, true
	case spirv.OpUDotAccSat:
		accumulate = true
	case spirv.OpSUDotAccSat:
		signedA, accumulate = true, true
	default:
		return nil, false
	}
	width := comp.Width
	extend := func(a uint64, signed bool) uint64 {
		if signed {
			return uint64(signExtend(a, width))
		}
		return a & mask(width)
	}
	out, last := mask(result.Width), 2*n // last: where the accumulator lies
	if packed {
		last = 2
	}
	return func(in []uint64) uint64 {
		var sum uint64
		for i := range n {
			var a, b uint64
			if packed {
				a, b = in[0]>>(8*i), in[1]>>(8*i)
			} else {
				a, b = in[i], in[n+i]
			}
			sum += extend(a, signedA) * extend(b, signedB)
		}
		sum &= out
		switch {
		case !accumulate:
			return sum
		case signedA:
			return addSaturatedSigned(sum, in[last], result.Width)
		}
		return addSaturatedUnsigned(sum, in[last], out)
	}, true
}

func addSaturatedSigned(a, b uint64, width uint8) uint64 {
	x, y := signExtend(a, width), signExtend(b, width)
	sum := x + y
	switch least, most := minSigned(width), maxSigned(width); {
	case x >= 0 && y > most-x:
		sum = most
	case x < 0 && y < least-x:
		sum = least
	}
	return uint64(sum) & mask(width)
}

func addSaturatedUnsigned(a, b, most uint64) uint64 {
	if b > most-a {
		return most
	}
	return a + b
}
