#version 450
// A second dispatch reads what the first wrote.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    uint g = gl_GlobalInvocationID.x;
    result[g] = result[g] + g;
}
