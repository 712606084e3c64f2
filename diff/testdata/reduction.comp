// Sums of 512 products, by a tree in tile_static memory.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) buffer Out { float o[]; };
shared float s[64];

void main() {
    uint i = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 512;
    float sum = 0;
    for (uint k = 0; k < 512; k += 64)
        sum += a[first + k + i] * b[first + k + i];
    s[i] = sum;
    barrier();
    for (uint k = 32; k > 0; k /= 2) {
        if (i < k)
            s[i] += s[i + k];
        barrier();
    }
    if (i == 0)
        o[gl_WorkGroupID.x] = 0.75 * s[0];
}
