#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { int o[]; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    int x = i + 1;
    uint u = uint(x);
    float f = float(x) * 0.5;
    int n = i;
    o[n] = subgroupAdd(x); n += 8;
    o[n] = subgroupMul(x); n += 8;
    o[n] = subgroupMin(3 - x); n += 8;
    o[n] = int(subgroupMax(u)); n += 8;
    o[n] = int(subgroupAnd(u | 8u)); n += 8;
    o[n] = subgroupOr(x); n += 8;
    o[n] = subgroupXor(x); n += 8;
    o[n] = subgroupInclusiveAdd(x); n += 8;
    o[n] = subgroupInclusiveMul(x); n += 8;
    o[n] = subgroupInclusiveMin(-x); n += 8;
    o[n] = subgroupInclusiveXor(x); n += 8;
    o[n] = subgroupExclusiveAdd(x); n += 8;
    o[n] = subgroupExclusiveMul(x); n += 8;
    o[n] = int(subgroupExclusiveMax(u)); n += 8;
    o[n] = subgroupExclusiveOr(x); n += 8;
    o[n] = int(subgroupAdd(f) * 2.0); n += 8;
    o[n] = int(subgroupExclusiveAdd(vec2(f, 1.0)).y); n += 8;
    o[n] = int(subgroupInclusiveMax(-f) * 2.0); n += 8;
    if ((i & 1) == 1) {
        o[n] = subgroupAdd(x) * 100 + subgroupExclusiveAdd(x);
    }
}
