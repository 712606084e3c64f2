#version 450
// A local variable without a value is an index.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    uint at;
    if (l > 20) {
        at = l;
    }
    result[l] = data[at];
}
