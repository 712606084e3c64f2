#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { float16_t a[4]; };
layout(set = 0, binding = 1) buffer Out { float16_t o[]; };
layout(set = 0, binding = 2) buffer OutWide { float w[]; };

void main() {
    o[0] = a[0] + a[1];
    o[1] = a[0] - a[1];
    o[2] = a[0] * a[1];
    o[3] = a[2] + a[1];
    o[4] = a[2] + float16_t(3.0);
    o[5] = floor(a[3]);
    o[6] = abs(a[3]);
    o[7] = max(a[0], a[3]);
    o[8] = float16_t(100000.0);
    o[9] = float16_t(2049);
    o[10] = dot(f16vec2(a[0], a[1]), f16vec2(2.0, 4.0));
    o[11] = float16_t(1.0 / 1024.0 / 16384.0);
    w[0] = float(a[3]) * 2.0;
    w[1] = float(a[0] < a[3]) + 2.0 * float(a[0] > a[3]);
    w[2] = float(int(a[3]));
    w[3] = unpackHalf2x16(packFloat2x16(f16vec2(a[0], a[3]))).y;
}
