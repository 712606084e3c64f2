package spirv

// khrGroups maps the instructions of SPV_KHR_shader_ballot and
// SPV_KHR_subgroup_vote to those they equal.
var khrGroups = map[Opcode]Opcode{
	OpSubgroupBallotKHR: OpGroupNonUniformBallot, OpSubgroupFirstInvocationKHR: OpGroupNonUniformBroadcastFirst,
	OpSubgroupAllKHR: OpGroupNonUniformAll, OpSubgroupAnyKHR: OpGroupNonUniformAny,
	OpSubgroupAllEqualKHR: OpGroupNonUniformAllEqual, OpSubgroupReadInvocationKHR: OpGroupNonUniformBroadcast,
}

// GroupNonUniform is the OpGroupNonUniform instruction that one of
// SPV_KHR_shader_ballot or SPV_KHR_subgroup_vote equals. It reports false for all
// others.
func (op Opcode) GroupNonUniform() (core Opcode, ok bool) {
	core, ok = khrGroups[op]
	return core, ok
}

// Coordinates is the number of coordinates of an image type, layers left out.
func (t *Type) Coordinates() int {
	switch t.Dim {
	case Dim1D, DimBuffer:
		return 1
	case Dim3D, DimCube:
		return 3
	}
	return 2
}
