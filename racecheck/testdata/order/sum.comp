#version 450
// A sum, a maximum and a set of bits: the order of atomics does not matter.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Sums { uint sum; uint most; uint bits; };

void main() {
    atomicAdd(sum, gl_GlobalInvocationID.x);
    atomicMax(most, gl_GlobalInvocationID.x);
    atomicOr(bits, 1u << gl_LocalInvocationID.x);
}
