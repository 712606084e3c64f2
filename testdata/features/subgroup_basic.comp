#version 450
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };

void main() {
    uint i = gl_LocalInvocationID.x;
    o[i] = gl_SubgroupSize * 1000 + gl_NumSubgroups * 100 + gl_SubgroupID * 10 + gl_SubgroupInvocationID;
    uint r = uint(subgroupElect());
    if ((i & 1) == 1) {
        r += 2 * uint(subgroupElect());
        r += 4 * uint(subgroupAll((i & 1) == 1));
        r += 8 * uint(subgroupAny(gl_SubgroupInvocationID == 0));
    }
    r += 16 * uint(subgroupAll(i < 6)) + 32 * uint(subgroupAny(i > 6));
    r += 64 * uint(subgroupAllEqual(i / 4)) + 128 * uint(subgroupAllEqual(i)) + 256 * uint(subgroupAllEqual(vec2(i / 8)));
    o[8 + i] = r;
}
