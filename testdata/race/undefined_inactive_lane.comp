#version 450
// The last lane of each warp reads the lane after it.
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uint next = subgroupShuffleDown(data[l], 1u);
    result[l] = next - data[l];
}
