#version 450
// The maximum of a number and a NaN.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = max(data[l] / data[l], 0.5);
}
