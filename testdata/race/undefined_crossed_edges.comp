#version 450
// A smoothstep whose edges are in the wrong order.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = smoothstep(1.0, data[1], data[l]);
}
