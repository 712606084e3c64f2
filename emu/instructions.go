package emu

import (
	"maps"
	"slices"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp/scalar"
)

// structural are the instructions of function bodies whose operands have no
// rules of their own: control flow, which the resolution checks, and barriers.
var structural = []spirv.Opcode{
	spirv.OpLine, spirv.OpNoLine, spirv.OpNop, spirv.OpUndef, spirv.OpPhi, spirv.OpLabel, spirv.OpLoopMerge, spirv.OpSelectionMerge,
	spirv.OpBranch, spirv.OpBranchConditional, spirv.OpReturn, spirv.OpReturnValue, spirv.OpUnreachable,
	spirv.OpFunction, spirv.OpFunctionParameter, spirv.OpFunctionEnd, spirv.OpFunctionCall,
	spirv.OpControlBarrier, spirv.OpMemoryBarrier, spirv.OpAssumeTrueKHR,
}

// lenient are instructions that run, as if all derivatives were 0, and that
// compute shaders may not have.
var lenient = []spirv.Opcode{
	spirv.OpImageSampleImplicitLod, spirv.OpImageSampleDrefImplicitLod, spirv.OpImageSampleProjImplicitLod,
	spirv.OpImageSampleProjDrefImplicitLod, spirv.OpImageQueryLod,
}

// Instructions lists the instructions of function bodies that the emulator
// runs, by opcode.
func Instructions() []spirv.Opcode {
	all := map[spirv.Opcode]bool{}
	for _, op := range slices.Concat(structural, spirv.OperandRules()) {
		all[op] = true
	}
	for _, op := range lenient {
		delete(all, op)
	}
	// Some are of OpenCL kernels only.
	names := map[string]bool{}
	for _, c := range Capabilities {
		names[c.String()] = true
	}
	maps.DeleteFunc(all, func(op spirv.Opcode, _ bool) bool {
		need := op.Capabilities()
		return len(need) > 0 && !slices.ContainsFunc(need, func(c string) bool { return names[c] })
	})
	return slices.Sorted(maps.Keys(all))
}

// ExtendedInstructions lists the instructions of GLSL.std.450 that the
// emulator runs, by number.
func ExtendedInstructions() []uint32 {
	var out []uint32
	for inst := range uint32(128) {
		if servesGLSL(inst) {
			out = append(out, inst)
		}
	}
	return out
}

// servesGLSL asks package scalar for an instruction with operands of any of
// the forms that the instructions have.
func servesGLSL(inst uint32) bool {
	for _, k := range []program.Kind{{Width: 32}, {Float: true, Width: 32}, {Float: true, Width: 64}} {
		_, one := scalar.GLSL1(inst, k, program.Mode{})
		_, two := scalar.GLSL2(inst, k, program.Mode{})
		_, three := scalar.GLSL3(inst, k, program.Mode{})
		if one || two || three {
			return true
		}
		for _, lens := range [][]int{{1}, {2}, {4}, {9}, {3, 3}, {3, 3, 3}, {3, 3, 1}} {
			if _, _, ok := scalar.GLSLVector(inst, k, lens, program.Mode{}); ok {
				return true
			}
		}
	}
	return inst == spirv.GLSLModf || inst == spirv.GLSLModfStruct || inst == spirv.GLSLFrexp || inst == spirv.GLSLFrexpStruct || inst == spirv.GLSLLdexp
}
