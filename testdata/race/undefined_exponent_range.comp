#version 450
// An ldexp by more than the exponents of the format.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(set = 0, binding = 1) buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = ldexp(1.0e-30, int(data[l]));
}
