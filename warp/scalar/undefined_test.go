package scalar

import (
	"math"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

func TestUndefinedIntegerOperations(t *testing.T) {
	for _, w := range intWidths {
		k := intKind(w)
		least, minusOne := uint64(1)<<(w-1), mask(w)
		for _, c := range []struct {
			op   spirv.Opcode
			a, b uint64
			want bool
		}{
			{spirv.OpUDiv, 5, 0, true}, {spirv.OpUDiv, 5, 1, false}, {spirv.OpUDiv, least, minusOne, false},
			{spirv.OpUMod, 5, 0, true}, {spirv.OpUMod, minusOne, 3, false},
			{spirv.OpSDiv, 5, 0, true}, {spirv.OpSDiv, least, minusOne, true},
			{spirv.OpSDiv, least + 1, minusOne, false}, {spirv.OpSDiv, least, 1, false},
			{spirv.OpSRem, 5, 3, false}, {spirv.OpSRem, 5, 0, true}, {spirv.OpSRem, minusOne, 3, true}, {spirv.OpSRem, 5, minusOne, true},
			{spirv.OpSMod, 5, 3, false}, {spirv.OpSMod, minusOne, 3, true},
			{spirv.OpIAdd, minusOne, 1, false}, {spirv.OpFRem, 1, 0, false},
		} {
			check(t, truth(Undefined2(c.op, k, c.a, c.b) != program.Defined), truth(c.want), "%v %d (%#x, %#x)", c.op, w, c.a, c.b)
		}
		if undefined3(spirv.OpIAdd, k, 100, 100) != program.Defined {
			t.Error("OpIAdd has no bit-field")
		}
	}
	for _, w := range floatWidths {
		sign := uint64(1) << (w - 1)
		check(t, truth(Undefined2(spirv.OpFRem, floatKind(w), 1, sign) != program.Defined), 1, "FRem by -0")
		check(t, truth(Undefined2(spirv.OpFMod, floatKind(w), 1, 1) != program.Defined), 0, "FMod by a denormal")
		check(t, truth(Undefined2(spirv.OpFDiv, floatKind(w), 1, 0) != program.Defined), 0, "FDiv by 0 is an infinity")
	}
}

func TestUndefinedGLSL(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name    string
		inst    uint32
		a, b, c float64
		want    bool
	}{
		{"sqrt", spirv.GLSLSqrt, -1, 0, 0, true}, {"sqrt", spirv.GLSLSqrt, 0, 0, 0, false},
		{"inversesqrt", spirv.GLSLInverseSqrt, 0, 0, 0, true}, {"inversesqrt", spirv.GLSLInverseSqrt, 1, 0, 0, false},
		{"log", spirv.GLSLLog, 0, 0, 0, true}, {"log2", spirv.GLSLLog2, 1, 0, 0, false},
		{"asin", spirv.GLSLAsin, 1.5, 0, 0, true}, {"acos", spirv.GLSLAcos, -1, 0, 0, false},
		{"acosh", spirv.GLSLAcosh, 0.5, 0, 0, true}, {"atanh", spirv.GLSLAtanh, 1, 0, 0, true},
		{"frexp", spirv.GLSLFrexp, inf, 0, 0, true}, {"frexp", spirv.GLSLFrexpStruct, 1, 0, 0, false},
		{"pow", spirv.GLSLPow, -1, 2, 0, true}, {"pow", spirv.GLSLPow, 0, 0, 0, true}, {"pow", spirv.GLSLPow, 0, 1, 0, false},
		{"atan2", spirv.GLSLAtan2, 0, 0, 0, true}, {"atan2", spirv.GLSLAtan2, 1, 0, 0, false},
		{"min", spirv.GLSLFMin, nan, 0, 0, true}, {"max", spirv.GLSLFMax, 0, nan, 0, true}, {"nmin", spirv.GLSLNMin, nan, 0, 0, false},
		{"clamp", spirv.GLSLFClamp, 0, 1, 0, true}, {"clamp", spirv.GLSLFClamp, nan, 0, 1, true}, {"clamp", spirv.GLSLFClamp, 0, 0, 0, false},
		{"nclamp", spirv.GLSLNClamp, nan, 0, 1, false}, {"nclamp", spirv.GLSLNClamp, 0, 1, 0, true},
		{"smoothstep", spirv.GLSLSmoothStep, 1, 1, 0, true}, {"smoothstep", spirv.GLSLSmoothStep, 0, 1, 7, false},
		{"sin", spirv.GLSLSin, 1e5, 0, 0, false},
	} {
		for _, w := range floatWidths {
			f := formatOf(floatKind(w), program.Mode{})
			got := program.Defined != undefinedGLSL(c.inst, floatKind(w), f.round(c.a), f.round(c.b), f.round(c.c))
			check(t, truth(got), truth(c.want), "%s(%v, %v, %v) of width %d", c.name, c.a, c.b, c.c, w)
		}
	}
	for w, limit := range map[uint8]uint64{16: 16, 32: 128, 64: 1024} {
		check(t, truth(undefinedGLSL(spirv.GLSLLdexp, floatKind(w), 0, limit, 0) != program.Defined), 0, "ldexp")
		check(t, truth(undefinedGLSL(spirv.GLSLLdexp, floatKind(w), 0, limit+1, 0) != program.Defined), 1, "ldexp")
		check(t, truth(undefinedGLSL(spirv.GLSLLdexp, floatKind(w), 0, 1<<32-1, 0) != program.Defined), 0, "ldexp by -1")
	}
}
