#version 450
// A local variable is set on one path only, and steers a branch.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uint limit;
    if (data[l] > 3) {
        limit = 2;
    }
    if (l < limit) {
        result[l] = 1;
    }
}
