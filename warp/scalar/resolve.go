package scalar

import (
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
)

// FuncN is a function of any number of scalars, which writes its results to out.
// in and out must not overlap.
type FuncN func(in, out []uint64)

// Resolve1 gives the function of one scalar that a symbol names; it reports false
// if there is none. So do the next ones.
func Resolve1(s program.Symbol) (Func1, bool) {
	switch s.Set {
	case program.Core:
		return Unary(s.Opcode(), s.Dst, s.Src, s.Mode)
	case program.GLSL:
		if s.Part != 2 {
			return GLSL1(s.Op, s.Src, s.Mode)
		}
		switch s.Op {
		case spirv.GLSLModf, spirv.GLSLModfStruct:
			return modfWhole(s.Src, s.Mode)
		case spirv.GLSLFrexp, spirv.GLSLFrexpStruct:
			return frexpExponent(s.Src, s.Mode)
		}
		return nil, false
	}
	most := s.N
	switch program.MachineFunc(s.Op) {
	case program.ClampSigned:
		return func(a uint64) uint64 { return uint64(max(min(int64(a), most), -most)) }, true
	case program.ClampUnsigned:
		return func(a uint64) uint64 { return min(a, uint64(most)) }, true
	}
	return nil, false
}

// Resolve2 gives a function of two scalars.
func Resolve2(s program.Symbol) (Func2, bool) {
	switch {
	case s.Set == program.Core:
		return Binary(s.Opcode(), s.Src, s.Mode)
	case s.Set == program.GLSL && s.Op == spirv.GLSLLdexp:
		return Ldexp(s.Src, s.Dst, s.Mode)
	case s.Set == program.GLSL:
		return GLSL2(s.Op, s.Src, s.Mode)
	}
	switch program.MachineFunc(s.Op) {
	case program.PointerDistance:
		size, keep := s.N, mask(s.Dst.Width)
		return func(a, b uint64) uint64 { return uint64(int64(a-b)/size) & keep }, size != 0
	}
	return nil, false
}

// Resolve3 gives a function of three scalars.
func Resolve3(s program.Symbol) (Func3, bool) {
	switch s.Set {
	case program.Core:
		return Ternary(s.Opcode(), s.Src, s.Mode)
	case program.GLSL:
		return GLSL3(s.Op, s.Src, s.Mode)
	}
	return nil, false
}

// ResolveN gives a function of any number of scalars.
func ResolveN(s program.Symbol) (FuncN, bool) {
	switch s.Set {
	case program.Core:
		return resolveCore(s)
	case program.GLSL:
		fn, _, ok := GLSLVector(s.Op, s.Src, lens(s), s.Mode)
		return fn, ok
	}
	switch program.MachineFunc(s.Op) {
	case program.SampledImage:
		return func(in, out []uint64) { out[0] = in[0]&0xffffffff | in[1]&^0xffffffff }, true
	case program.AtomicResult:
		op, size := program.AtomicOp(s.N), int(s.Src.Width/8)
		return func(in, out []uint64) { out[0] = tilemem.ApplyAtomic(op, size, in[0], in[1], in[2]) }, true
	case program.AnySet:
		return func(in, out []uint64) {
			x := uint64(0)
			for _, v := range in {
				x |= v
			}
			for i := range out {
				out[i] = x
			}
		}, true
	}
	return nil, false
}

// lens are the lengths of the operands of a function of vectors.
func lens(s program.Symbol) []int {
	var out []int
	for _, n := range s.Lens {
		if n > 0 {
			out = append(out, int(n))
		}
	}
	return out
}

// resolveCore gives the instructions of SPIR-V that are no function of up to
// three scalars with one result.
func resolveCore(s program.Symbol) (FuncN, bool) {
	n := int(s.N)
	switch op := s.Opcode(); op {
	case spirv.OpVectorExtractDynamic: // (vector of n, index)
		return func(in, out []uint64) {
			out[0] = 0
			if i := in[n]; i < uint64(n) {
				out[0] = in[i]
			}
		}, true
	case spirv.OpVectorInsertDynamic: // (vector of n, component, index)
		return func(in, out []uint64) {
			copy(out, in[:n])
			if i := in[n+1]; i < uint64(n) {
				out[i] = in[n]
			}
		}, true
	case spirv.OpBitcast: // the bits are cut anew, low bits first
		from, to := int(s.Src.Width), int(s.Dst.Width)
		unit := min(from, to)
		return func(in, out []uint64) {
			clear(out)
			per, outPer := from/unit, to/unit
			for i := range len(in) * per {
				part := in[i/per] >> (i % per * unit) & (1<<unit - 1)
				out[i/outPer] |= part << (i % outPer * unit)
			}
		}, unit > 0
	case spirv.OpBitFieldInsert:
		fn, ok := BitFieldInsert(s.Src)
		return func(in, out []uint64) { out[0] = fn(in[0], in[1], in[2], in[3]) }, ok
	case spirv.OpSDot, spirv.OpUDot, spirv.OpSUDot, spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		fn, ok := integerDot(op, s.Src, s.Dst, s.Packed, n)
		return func(in, out []uint64) { out[0] = fn(in) }, ok
	default:
		fn, ok := Pair(op, s.Src)
		return func(in, out []uint64) { out[0], out[1] = fn(in[0], in[1]) }, ok
	}
}

// ResolveTest gives the function that tells of the operands of a lane whether an
// operation has a defined result; nil for a test of lanes.
func ResolveTest(t program.Test) func(in []uint64) program.Reason {
	why, n := t.Reason, t.N
	switch t.Form {
	case program.TestBelow:
		return func(in []uint64) program.Reason { return when(in[0] >= uint64(n), why) }
	case program.TestTrue:
		return func(in []uint64) program.Reason { return when(in[0] == 0, why) }
	case program.TestAnyLane:
		return func(in []uint64) program.Reason {
			for k, word := range in {
				if lanes := int(n) - 32*k; lanes > 0 && word&(1<<min(lanes, 32)-1) != 0 {
					return program.Defined
				}
			}
			return why
		}
	case program.TestSymbol:
		return undefined(t.Symbol)
	}
	return nil
}

// undefined tells of operands whether a function has a defined result for them.
func undefined(s program.Symbol) func(in []uint64) program.Reason {
	op, k := s.Opcode(), s.Src
	if s.Set == program.GLSL {
		inst := s.Op
		if fn := UndefinedVector(inst, k, int(s.N)); fn != nil {
			return fn
		}
		if inst == spirv.GLSLLdexp {
			return func(in []uint64) program.Reason { return undefinedLdexp(k, s.Dst, in[0], in[1]) }
		}
		return func(in []uint64) program.Reason {
			var x [3]uint64
			copy(x[:], in)
			return undefinedGLSL(inst, k, x[0], x[1], x[2])
		}
	}
	switch op {
	case spirv.OpConvertFToS, spirv.OpConvertFToU:
		return func(in []uint64) program.Reason { return undefined1(op, s.Dst, k, in[0]) }
	case spirv.OpBitFieldInsert, spirv.OpBitFieldSExtract, spirv.OpBitFieldUExtract:
		return func(in []uint64) program.Reason { return undefined3(op, k, in[0], in[1]) }
	}
	return func(in []uint64) program.Reason { return Undefined2(op, k, in[0], in[1]) }
}
