// o = a b, 4x4 results in the registers of each thread, a of 48x96, b of 96x48.
#version 450
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) buffer Out { float o[]; };
const uint N = 48, K = 96;
shared float ta[16][8], tb[8][16];

void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, i = gl_LocalInvocationIndex;
    uint col = gl_WorkGroupID.x * 16, row = gl_WorkGroupID.y * 16;
    float acc[4][4];
    for (uint r = 0; r < 4; r++)
        for (uint q = 0; q < 4; q++)
            acc[r][q] = 0;
    for (uint t = 0; t < K; t += 8) {
        for (uint j = i; j < 128; j += 16) {
            ta[j / 8][j % 8] = a[(row + j / 8) * K + t + j % 8];
            tb[j / 16][j % 16] = b[(t + j / 16) * N + col + j % 16];
        }
        barrier();
        for (uint k = 0; k < 8; k++) {
            float ra[4], rb[4];
            for (uint r = 0; r < 4; r++) {
                ra[r] = ta[y * 4 + r][k];
                rb[r] = tb[k][x * 4 + r];
            }
            for (uint r = 0; r < 4; r++)
                for (uint q = 0; q < 4; q++)
                    acc[r][q] += ra[r] * rb[q];
        }
        barrier();
    }
    for (uint r = 0; r < 4; r++)
        for (uint q = 0; q < 4; q++)
            o[(row + y * 4 + r) * N + col + x * 4 + q] = 0.75 * acc[r][q];
}
