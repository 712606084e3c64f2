#version 450
// An ldexp by the highest exponent.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(set = 0, binding = 1) buffer Data { int data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = ldexp(0.5, int(data[l]));
}
