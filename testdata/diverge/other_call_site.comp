#version 450
// One barrier, reached through two call sites.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Choice { uint choice[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };

shared uint seen[8];

void meet() {
    barrier();
}

void main() {
    uint g = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    seen[l] = g;
    if (choice[g] == 1) {
        meet();
        result[g] = seen[7 - l] + 100;
    } else {
        meet();
        result[g] = seen[7 - l];
    }
}
