#version 450
// Tile sums of a vector of any length: one partial sum per tile of 128.
const uint TS = 128;
layout(local_size_x = TS) in;
layout(set = 0, binding = 0) readonly buffer In { int values[]; };
layout(set = 0, binding = 1) writeonly buffer Out { int partial[]; };

shared int scratch[TS];

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint local = gl_LocalInvocationID.x;
    scratch[local] = i < values.length() ? values[i] : 0;
    barrier();
    for (uint s = TS / 2; s > 0; s /= 2) {
        if (local < s) {
            scratch[local] += scratch[local + s];
        }
        barrier();
    }
    if (local == 0) {
        partial[gl_WorkGroupID.x] = scratch[0];
    }
}
