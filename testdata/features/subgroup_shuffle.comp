#version 450
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };

void main() {
    uint i = gl_LocalInvocationID.x;
    uint lane = gl_SubgroupInvocationID;
    uint x = 10 * (i + 1);
    o[i] = subgroupShuffle(x, gl_SubgroupSize - 1 - lane);
    o[8 + i] = subgroupShuffleXor(x, 1);
    o[16 + i] = uint(subgroupShuffleXor(vec2(float(x), 0.5), 2).x);
    uint up = subgroupShuffleUp(x, 1);
    uint down = subgroupShuffleDown(x, 2);
    o[24 + i] = lane >= 1 ? up : 0;
    o[32 + i] = lane + 2 < gl_SubgroupSize ? down : 0;
    o[40 + i] = subgroupShuffle(x, (lane * 3 + 1) % 4);
}
