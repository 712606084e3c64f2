#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_arithmetic : enable
#extension GL_KHR_shader_subgroup_ballot : enable
#extension GL_KHR_shader_subgroup_shuffle : enable
#extension GL_KHR_shader_subgroup_clustered : enable
#extension GL_KHR_shader_subgroup_quad : enable
#extension GL_KHR_shader_subgroup_vote : enable
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer Data { uint v[]; };

void main() {
	uint i = gl_GlobalInvocationID.x, x = v[i];
	uint sum = subgroupAdd(x) + subgroupInclusiveMul(x) + subgroupExclusiveXor(x);
	sum += subgroupClusteredMax(x, 4) + subgroupShuffleXor(x, 1) + subgroupQuadBroadcast(x, 2);
	uvec4 b = subgroupBallot(x > 3u);
	if (subgroupAll(x > 0u) && subgroupElect()) sum += subgroupBallotBitCount(b);
	subgroupMemoryBarrierBuffer();
	v[i] = sum + gl_SubgroupInvocationID + gl_SubgroupID * gl_SubgroupSize;
}
