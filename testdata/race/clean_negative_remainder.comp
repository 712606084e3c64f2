#version 450
// Remainders of numbers that are not negative.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { int result[]; };
layout(set = 0, binding = 1) buffer Data { int data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = data[l] % (int(l) + 1);
}
