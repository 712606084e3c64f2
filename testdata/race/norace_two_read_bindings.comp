#version 450
// Two bindings of one buffer that no one writes.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer A { uint a[]; };
layout(set = 0, binding = 2) buffer B { uint b[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = a[l] + b[7 - l];
}
