#version 450
// A float beyond the range of the integer.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = uint(float(l) * 1.0e9 * float(data[l]));
}
