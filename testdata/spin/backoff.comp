#version 450
// A lock that its holder keeps. Those that wait for it count to a thousand
// between two tries.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Lock { uint lock; uint count; };

void main() {
    if (gl_LocalInvocationID.x == 0) {
        while (atomicCompSwap(lock, 0, 1) != 0) {
            uint spent = 0;
            for (uint i = 0; i < 1000; i++) {
                spent += i;
            }
        }
    }
    atomicAdd(count, 1);
}
