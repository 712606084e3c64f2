#version 450
// A spin lock taken by every thread. The thread that gets the lock waits where
// the loop ends for the other lanes of its warp, which wait for the lock.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Lock { uint lock; uint count; };

void main() {
    while (atomicCompSwap(lock, 0, 1) != 0) {
    }
    count++;
    atomicExchange(lock, 0);
}
