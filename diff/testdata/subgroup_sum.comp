// Compile: glslangValidator -V -g --target-env vulkan1.1
// Sums and scans over warps.
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) buffer Out { float o[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float x = a[i] * b[i];
    o[2 * i] = 0.75 * subgroupAdd(x) + c[i];
    o[2 * i + 1] = subgroupInclusiveAdd(x) - subgroupExclusiveMul(1.0 + 0.1 * x);
}
