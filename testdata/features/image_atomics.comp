#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D u;
layout(set = 0, binding = 1, r32i) uniform iimage2D s;
layout(set = 0, binding = 2) buffer Out { int o[]; };
layout(push_constant) uniform Args { uint phase; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    if (phase == 0) {
        imageAtomicAdd(u, ivec2(0, 0), uint(i));
        imageAtomicMin(u, ivec2(1, 0), uint(i + 3));
        imageAtomicMax(u, ivec2(2, 0), uint(i + 3));
        imageAtomicAnd(u, ivec2(3, 0), ~(1u << i));
        imageAtomicOr(u, ivec2(0, 1), 1u << i);
        imageAtomicXor(u, ivec2(1, 1), 1u << (i / 2));
        imageAtomicMin(s, ivec2(0, 0), i - 4);
        imageAtomicMax(s, ivec2(1, 0), i - 4);
        if (i == 5) {
            uint was = imageAtomicExchange(u, ivec2(2, 1), 77u);
            o[16] = int(was + 1000 * imageAtomicCompSwap(u, ivec2(3, 1), 9u, 10u));
        }
    } else {
        o[i] = int(imageLoad(u, ivec2(i & 3, i >> 2)).x);
        if (i < 2) {
            o[8 + i] = imageLoad(s, ivec2(i, 0)).x;
        }
    }
}
