// o = a b in half precision, a of 16x32, b of 32x16.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) buffer Out { float o[]; };

void main() {
    uint col = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    float16_t sum = 0.0hf;
    for (uint k = 0; k < 32; k++)
        sum += float16_t(a[row * 32 + k]) * float16_t(b[k * 16 + col]);
    o[row * 16 + col] = float(sum);
}
