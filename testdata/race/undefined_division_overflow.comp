#version 450
// The lowest integer is divided by -1 in one thread.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { int result[]; };
layout(set = 0, binding = 1) buffer Data { int data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = data[l] / -1 + int(l);
}
