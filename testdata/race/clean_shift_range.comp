#version 450
// A shift by the full width, whose result a select leaves aside.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uint n = data[l];
    uint shifted = 1u << n;
    result[l] = mix(shifted - 1u, ~0u, n >= 32u);
}
