#version 450
// An array element that was not set is stored to a buffer, after some arithmetic.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uint a[4];
    a[0] = 1; a[1] = 2; a[2] = 3;
    result[l] = 10 * a[l & 3u] + 1;
}
