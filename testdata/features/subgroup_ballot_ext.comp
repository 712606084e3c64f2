#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.0
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_shader_group_vote : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };

void main() {
    uint i = gl_LocalInvocationID.x;
    o[i] = unpackUint2x32(ballotARB((i & 2) == 2)).x;
    o[8 + i] = readInvocationARB(i, 3);
    o[16 + i] = readFirstInvocationARB(i * 2);
    o[24 + i] = uint(anyInvocationARB(i == 5)) + 2 * uint(allInvocationsARB(i < 4)) + 4 * uint(allInvocationsEqualARB(i == 9));
}
