#version 450
// The square root of a negative number is stored.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = sqrt(1.0 - data[l] * data[l]);
}
