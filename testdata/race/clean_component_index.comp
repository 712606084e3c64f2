#version 450
// The first and the last component of a vector.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = (vec4(1.0, 2.0, 3.0, 4.0) * data[1])[uint(data[l])];
}
