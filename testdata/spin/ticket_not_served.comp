#version 450
// A ticket lock whose first holder does not serve the next.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Lock { uint next; uint serving; };

void main() {
    uint ticket = atomicAdd(next, 1);
    while (atomicAdd(serving, 0) != ticket) {
    }
    if (ticket > 0) {
        atomicAdd(serving, 1);
    }
}
