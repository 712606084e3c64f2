#version 450
#extension GL_KHR_shader_subgroup_ballot : require
// The first lane of each 32 writes their bits.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[64]; uint bits[2]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uvec4 b = subgroupBallot(data[l] == 0);
    if (gl_SubgroupInvocationID == 0) {
        bits[l / 32] = b.x + l;
    }
}
