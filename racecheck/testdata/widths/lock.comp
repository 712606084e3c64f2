#version 450
// Every thread takes a lock in turn, and then counts without one.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Lock { uint lock; uint count; };

void main() {
    while (atomicCompSwap(lock, 0, 1) != 0) {
    }
    count++;
    atomicExchange(lock, 0);
}
