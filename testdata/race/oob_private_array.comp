#version 450
// An index outside of a local array.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uint a[6] = uint[6](1, 2, 3, 4, 5, 6);
    result[l] = a[l];
}
