// o = softmax(a b^T / sqrt(32)) c for 32 queries a, keys b and values c of 32
// numbers; the keys after a query are masked. A tile does one query.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) buffer Out { float o[]; };
const uint D = 32;
shared float s[32], p[32];

void main() {
    uint i = gl_LocalInvocationID.x, q = gl_WorkGroupID.x;
    float dp = 0;
    for (uint k = 0; k < D; k++)
        dp += a[q * D + k] * b[i * D + k];
    float score = i <= q ? dp * inversesqrt(32.0) : -1e30;
    s[i] = score;
    barrier();
    float m = s[0];
    for (uint k = 1; k < 32; k++)
        m = max(m, s[k]);
    p[i] = exp(score - m);
    barrier();
    float sum = 0, acc = 0;
    for (uint k = 0; k < 32; k++) {
        sum += p[k];
        acc += p[k] * c[k * D + i];
    }
    o[q * D + i] = acc / sum;
}
