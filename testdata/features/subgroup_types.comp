#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { int o[]; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    o[i] = int(subgroupClusteredAdd(int8_t(i * 10 + 50), 4));
    o[8 + i] = int(subgroupClusteredMax(uint16_t(i * 5000 + 30000), 4));
    o[16 + i] = int(subgroupClusteredAdd(int64_t(i) << 32, 4) >> 30);
    o[24 + i] = int(subgroupClusteredAdd(float16_t(i) * 0.5hf, 4) * 2.0hf);
    o[32 + i] = int(subgroupClusteredMul(double(i + 1), 4));
    o[40 + i] = int(subgroupShuffleXor(int8_t(-i), 3u));
}
