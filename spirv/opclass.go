package spirv

import "strings"

// isTypeDeclaration reports whether op declares a type (or, for
// OpTypeForwardPointer, announces one).
func isTypeDeclaration(op Opcode) bool {
	if op >= OpTypeVoid && op <= OpTypeForwardPointer {
		return true
	}
	return strings.HasPrefix(op.String(), "OpType")
}

// isConstant reports whether op makes a constant, OpUndef included.
func isConstant(op Opcode) bool {
	if op >= OpConstantTrue && op <= OpSpecConstantOp || op == OpUndef {
		return true
	}
	return strings.HasPrefix(op.String(), "OpConstant")
}

// isTerminator reports whether op ends a block.
func isTerminator(op Opcode) bool {
	switch op {
	case OpBranch, OpBranchConditional, OpSwitch, OpReturn, OpReturnValue,
		OpKill, OpUnreachable, OpTerminateInvocation,
		OpIgnoreIntersectionKHR, OpTerminateRayKHR, OpEmitMeshTasksEXT:
		return true
	}
	return false
}

// NonUniform gives the instruction on subgroups that one of
// SPV_KHR_shader_ballot or SPV_KHR_subgroup_vote equals but for the scope, which
// it does not name. ok is false for all others.
func (op Opcode) NonUniform() (equal Opcode, ok bool) {
	switch op {
	case OpSubgroupBallotKHR:
		return OpGroupNonUniformBallot, true
	case OpSubgroupFirstInvocationKHR:
		return OpGroupNonUniformBroadcastFirst, true
	case OpSubgroupAllKHR:
		return OpGroupNonUniformAll, true
	case OpSubgroupAnyKHR:
		return OpGroupNonUniformAny, true
	case OpSubgroupAllEqualKHR:
		return OpGroupNonUniformAllEqual, true
	case OpSubgroupReadInvocationKHR:
		return OpGroupNonUniformBroadcast, true
	}
	return op, false
}
