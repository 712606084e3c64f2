#version 450
// Only elements that were written are read.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uint a[8];
    for (uint i = 0; i <= l; i++) {
        a[i] = 2 * i;
    }
    result[l] = a[l];
}
