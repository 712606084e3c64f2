// Soft-max of rows of 256.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) buffer Out { float o[]; };
shared float s[64];

void main() {
    uint i = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * 256;
    float m = a[row + i];
    for (uint k = 64; k < 256; k += 64)
        m = max(m, a[row + k + i]);
    s[i] = m;
    barrier();
    for (uint k = 32; k > 0; k /= 2) {
        if (i < k)
            s[i] = max(s[i], s[i + k]);
        barrier();
    }
    m = s[0];
    barrier();
    float sum = 0;
    for (uint k = 0; k < 256; k += 64)
        sum += exp(8.0 * (a[row + k + i] - m));
    s[i] = sum;
    barrier();
    for (uint k = 32; k > 0; k /= 2) {
        if (i < k)
            s[i] += s[i + k];
        barrier();
    }
    for (uint k = 0; k < 256; k += 64)
        o[row + k + i] = exp(8.0 * (a[row + k + i] - m)) / s[0];
}
