#version 450
// An index outside the inner array of a local array of arrays.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uint a[2][4] = uint[2][4](uint[4](1, 2, 3, 4), uint[4](5, 6, 7, 8));
    result[l] = a[0][l];
}
