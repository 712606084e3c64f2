#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Mem { uint64_t u[6]; int64_t s[6]; };

shared uint64_t total;

void main() {
    uint64_t i = uint64_t(gl_LocalInvocationID.x);
    int64_t j = int64_t(i);
    if (i == 0UL) {
        total = 0UL;
    }
    barrier();
    atomicAdd(total, i << 32);
    atomicAdd(u[0], (i << 32) + 1UL);
    atomicMin(u[1], i << 40);
    atomicMax(u[2], i << 40);
    atomicAnd(u[3], ~(1UL << (40 + int(i))));
    atomicOr(u[4], 1UL << (40 + int(i)));
    atomicXor(u[5], 1UL << (40 + int(i) / 2));
    atomicAdd(s[0], -j);
    atomicMin(s[1], j - 4L);
    atomicMax(s[2], j - 4L);
    if (i == 3UL) {
        atomicExchange(s[3], -7L);
        atomicCompSwap(s[4], 5L, 6L);
    }
    barrier();
    if (i == 0UL) {
        s[5] = int64_t(total);
    }
}
