#version 450
// Adds the sum of all tiles before to every element of a tile of 64.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint scanned[]; };
layout(set = 0, binding = 1) readonly buffer Totals { uint totals[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (gl_WorkGroupID.x > 0 && i < scanned.length()) {
        scanned[i] += totals[gl_WorkGroupID.x - 1];
    }
}
