// o = 0.75 a b + 0.5 c, a of 48x96, b of 96x48.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) buffer Out { float o[]; };
const uint N = 48, K = 96;

void main() {
    uint col = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    float sum = 0;
    for (uint k = 0; k < K; k++)
        sum += a[row * K + k] * b[k * N + col];
    o[row * N + col] = 0.75 * sum + 0.5 * c[row * N + col];
}
