#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { int64_t a; uint64_t b; };
layout(set = 0, binding = 1) buffer OutInt { int64_t oi[]; };
layout(set = 0, binding = 2) buffer OutUint { uint64_t ou[]; };

void main() {
    oi[0] = a + 1L;
    oi[1] = a * 3L;
    oi[2] = a / 7L;
    oi[3] = a >> 8;
    oi[4] = a << 4;
    oi[5] = ~a;
    oi[6] = int64_t(int(a));
    oi[7] = int64_t(a < int64_t(b)) + 2L * int64_t(uint64_t(a) < b);
    oi[8] = abs(a);
    oi[9] = sign(a);
    oi[10] = max(a, -5L);
    oi[11] = int64_t(floatBitsToInt(float(a + 1L)));
    ou[0] = b + b;
    ou[1] = b * b;
    ou[2] = b / 1000UL;
    ou[3] = b % 1000UL;
    ou[4] = b >> 60;
    ou[5] = b ^ 0xffUL;
    ou[6] = uint64_t(uint(b));
    ou[7] = packUint2x32(unpackUint2x32(b).yx);
    ou[8] = min(b, 5UL);
    ou[9] = uint64_t(-1);
}
