#version 450
// The maximum of numbers; one of a NaN is left aside.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    float top = max(data[l] / data[l], 0.5);
    result[l] = mix(top, 0.0, data[l] == 0.0);
}
