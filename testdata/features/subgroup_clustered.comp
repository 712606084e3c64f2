#version 450
#extension GL_KHR_shader_subgroup_clustered : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { int o[]; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    int x = i + 1;
    o[i] = subgroupClusteredAdd(x, 2);
    o[8 + i] = subgroupClusteredMul(x, 4);
    o[16 + i] = subgroupClusteredMin(-x, 2);
    o[24 + i] = subgroupClusteredMax(x, 4);
    o[32 + i] = subgroupClusteredAnd(x, 2);
    o[40 + i] = subgroupClusteredOr(x, 2);
    o[48 + i] = subgroupClusteredXor(x, 4);
    o[56 + i] = subgroupClusteredAdd(x, 1);
    o[64 + i] = int(subgroupClusteredAdd(float(x) * 0.5, 4) * 2.0);
}
