#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer In { uint x[]; };
layout(set = 0, binding = 1) buffer Out { uint o[]; };

void main() {
    uint i = gl_LocalInvocationID.x;
    o[i] = x[i] + 1;
    x[i + 100] = 77;
}
