#version 450
// Floats at the ends of the range of integers; a conversion whose result is left aside.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uint wide = uint(data[l]);
    result[l] = mix(wide, 9u, data[l] < 0.0);
}
