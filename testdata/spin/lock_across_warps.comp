#version 450
// The first warp's thread 0 takes the lock and gives it back after the tile
// barrier; the second warp's thread 4 wants it before the barrier.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Lock { uint lock; uint count; };

void main() {
    uint l = gl_LocalInvocationID.x;
    if (l == 0) {
        atomicExchange(lock, 1);
    }
    barrier();
    if (l == 4) {
        while (atomicCompSwap(lock, 0, 1) != 0) {
        }
    }
    barrier();
    if (l == 0) {
        atomicExchange(lock, 0);
    }
}
