#version 450
// Atomic and plain writes of one word from one warp.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint count;

void main() {
    uint l = gl_LocalInvocationID.x;
    if (l == 0) {
        count = 5;
    } else {
        atomicAdd(count, 1u);
    }
    barrier();
    result[l] = count;
}
