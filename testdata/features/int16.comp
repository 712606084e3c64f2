#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { int16_t a[4]; };
layout(set = 0, binding = 1) buffer Out { int16_t o[]; };
layout(set = 0, binding = 2) buffer OutWide { int w[]; };

void main() {
    int16_t x = a[0], y = a[1];
    o[0] = x + y;
    o[1] = x * y;
    o[2] = x / y;
    o[3] = x >> 3s;
    o[4] = x << 4s;
    o[5] = -x;
    o[6] = ~x;
    o[7] = max(x, y);
    o[8] = abs(x);
    o[9] = int16_t(70000);
    o[10] = int16_t(uint16_t(x) >> 12us);
    o[11] = (i16vec2(x, y) + i16vec2(a[2], a[3])).y;
    w[0] = int(x);
    w[1] = int(uint16_t(x));
    w[2] = int(pack32(i16vec2(x, y)));
    w[3] = int(x < y) + 2 * int(uint16_t(x) < uint16_t(y));
}
