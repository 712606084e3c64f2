// Rows of 256 less their mean, divided by their deviation, scaled by b and
// shifted by c.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) buffer Out { float o[]; };
shared float s[64], t[64];

void main() {
    uint i = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * 256;
    float sum = 0, squares = 0;
    for (uint k = 0; k < 256; k += 64) {
        float x = a[row + k + i];
        sum += x;
        squares += x * x;
    }
    s[i] = sum;
    t[i] = squares;
    barrier();
    for (uint k = 32; k > 0; k /= 2) {
        if (i < k) {
            s[i] += s[i + k];
            t[i] += t[i + k];
        }
        barrier();
    }
    float mean = s[0] / 256, scale = inversesqrt(t[0] / 256 - mean * mean + 1e-5);
    for (uint k = 0; k < 256; k += 64)
        o[row + k + i] = (a[row + k + i] - mean) * scale * b[k + i] + c[k + i];
}
