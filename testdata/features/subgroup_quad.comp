#version 450
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };

void main() {
    uint i = gl_LocalInvocationID.x;
    o[i] = subgroupQuadSwapHorizontal(i);
    o[8 + i] = subgroupQuadSwapVertical(i);
    o[16 + i] = subgroupQuadSwapDiagonal(i);
    o[24 + i] = subgroupQuadBroadcast(i, 2);
}
