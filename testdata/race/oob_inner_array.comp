#version 450
// An index outside an array inside the struct, still inside the buffer.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };
layout(set = 0, binding = 1) readonly buffer Two { uint a[6]; uint b[6]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = a[l];
}
