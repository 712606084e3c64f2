#version 450
#extension GL_KHR_shader_subgroup_shuffle : require
// A sum over 32 lanes by exchange; every lane of a narrower warp gets less.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { uint data[64]; };

void main() {
    uint x = data[gl_LocalInvocationID.x] + 1;
    for (uint d = 1; d < gl_SubgroupSize; d *= 2) {
        x += subgroupShuffleXor(x, d);
    }
    if (gl_SubgroupInvocationID == 0) {
        atomicMax(data[0], x);
    }
}
