package lower

import "ampdbg/spirv"

// IsAtomic reports whether an instruction is an atomic that can be lowered.
func IsAtomic(op spirv.Opcode) bool {
	_, ok := atomicOps[op]
	return ok
}

// IsGroup reports whether an instruction is one of SPV_KHR_shader_ballot or
// SPV_KHR_subgroup_vote.
func IsGroup(op spirv.Opcode) bool {
	_, ok := op.GroupNonUniform()
	return ok
}

// Tabled lists the atomic and subgroup instructions that tables of the lowering
// name.
func Tabled() []spirv.Opcode {
	var out []spirv.Opcode
	for op := range atomicOps {
		out = append(out, op)
	}
	for op := range groupArithmetic {
		out = append(out, op)
	}
	for op := range groupMinMax {
		out = append(out, op)
	}
	for op := range spirv.Opcode(8192) {
		if IsGroup(op) {
			out = append(out, op)
		}
	}
	return out
}
