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
