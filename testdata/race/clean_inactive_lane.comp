#version 450
// A scan by shuffles, which the first lanes leave aside.
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uint x = data[l];
    for (uint d = 1u; d < gl_SubgroupSize; d *= 2u) {
        uint before = subgroupShuffleUp(x, d);
        if (gl_SubgroupInvocationID >= d) x += before;
    }
    result[l] = x;
}
