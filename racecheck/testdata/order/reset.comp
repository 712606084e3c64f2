#version 450
// One thread sets the count back, in the middle of the others' counting.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Counts { uint total; uint count; };

void main() {
    if (gl_LocalInvocationID.x == 5) {
        atomicExchange(count, 0);
    } else {
        atomicAdd(count, 1);
    }
    atomicAdd(total, 1);
}
