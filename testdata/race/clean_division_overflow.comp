#version 450
// Division by -1, and of the lowest integer by others.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { int result[]; };
layout(set = 0, binding = 1) buffer Data { int data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = data[l] / (l == 5u ? 2 : -1);
}
