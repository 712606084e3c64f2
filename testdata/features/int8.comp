#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { int8_t a[4]; };
layout(set = 0, binding = 1) buffer Out { int8_t o[]; };
layout(set = 0, binding = 2) buffer OutWide { int w[]; };

void main() {
    int8_t x = a[0], y = a[1];
    o[0] = x + y;
    o[1] = x * y;
    o[2] = x / y;
    o[3] = x >> int8_t(2);
    o[4] = x << int8_t(1);
    o[5] = -x;
    o[6] = ~x;
    o[7] = min(x, y);
    o[8] = int8_t(300);
    o[9] = (i8vec4(x, y, a[2], a[3]) * i8vec4(2))[3];
    w[0] = int(x);
    w[1] = int(uint8_t(x));
    w[2] = int(pack32(u8vec4(1, 2, 3, 4)));
    w[3] = int(unpack8(0x11223344u)[2]);
}
