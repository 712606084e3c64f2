#version 450
// Atomics of all tiles on one counter.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    atomicAdd(result[0], gl_LocalInvocationID.x);
}
