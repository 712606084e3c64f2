#version 450
// Compile: glslangValidator -V -g -Os --target-env vulkan1.1
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Mem { uint u[8]; int s[4]; };

shared uint counter;
shared uint squares;

void main() {
    uint i = gl_LocalInvocationID.x;
    if (i == 0) {
        counter = 0;
        squares = 0;
    }
    barrier();
    uint ticket = atomicAdd(counter, 1);
    atomicAdd(squares, ticket * ticket);
    atomicAdd(u[0], i);
    atomicMin(u[1], i + 3);
    atomicMax(u[2], i + 3);
    atomicAnd(u[3], ~(1u << i));
    atomicOr(u[4], 1u << i);
    atomicXor(u[5], 1u << (i / 2));
    atomicMin(s[0], int(i) - 4);
    atomicMax(s[1], int(i) - 4);
    atomicAdd(s[2], -int(i));
    if (i == 5) {
        atomicExchange(u[6], 77);
        s[3] = int(atomicCompSwap(u[7], 9, 10)) + int(atomicCompSwap(u[7], 9, 11)) * 100;
    }
    barrier();
    if (i == 0) {
        atomicAdd(u[0], squares);
    }
}
