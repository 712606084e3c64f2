// o = a b through tile_static memory, a of 48x96, b of 96x48.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) buffer Out { float o[]; };
const uint N = 48, K = 96;
shared float ta[8][8], tb[8][8];

void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    uint col = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    float sum = 0;
    for (uint t = 0; t < K; t += 8) {
        ta[y][x] = a[row * K + t + x];
        tb[y][x] = b[(t + y) * N + col];
        barrier();
        for (uint k = 0; k < 8; k++)
            sum += ta[y][k] * tb[k][x];
        barrier();
    }
    o[row * N + col] = 0.75 * sum;
}
