// o = a convolved with the 5x5 numbers of b, and a bias; 48x48.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) buffer Out { float o[]; };
const int N = 48;
shared float s[12][12];

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), first = ivec2(gl_WorkGroupID.xy) * 8 - 2;
    for (uint i = gl_LocalInvocationIndex; i < 144; i += 64) {
        ivec2 p = first + ivec2(i % 12, i / 12);
        bool inside = p.x >= 0 && p.y >= 0 && p.x < N && p.y < N;
        s[i / 12][i % 12] = inside ? a[p.y * N + p.x] : 0.0;
    }
    barrier();
    float sum = 0.125 * c[0];
    for (uint y = 0; y < 5; y++)
        for (uint x = 0; x < 5; x++)
            sum += s[gl_LocalInvocationID.y + y][gl_LocalInvocationID.x + x] * b[y * 5 + x];
    o[at.y * N + at.x] = sum;
}
