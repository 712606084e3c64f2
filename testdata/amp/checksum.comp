#version 450
// Position-weighted checksum of a buffer, modulo 2^32: sum of x[i] * (2i + 1).
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint x[]; };
layout(set = 0, binding = 1) buffer Out { uint sum; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < x.length()) {
        atomicAdd(sum, x[i] * (2u * i + 1u));
    }
}
