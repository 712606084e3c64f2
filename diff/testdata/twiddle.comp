// The factors of the transform: cos and sin of 2 pi k / 256.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer B { float b[]; };

void main() {
    uint k = gl_GlobalInvocationID.x;
    float t = 6.2831853 / 256 * float(k);
    b[2 * k] = cos(t);
    b[2 * k + 1] = -sin(t);
}
