#version 450
// Edges in order, and a clamp to a single value.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = smoothstep(0.0, 1.0, data[l]) + clamp(data[l], 2.0, 2.0) + float(clamp(int(l), 3, 3));
}
