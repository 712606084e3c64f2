#version 450
// A ticket lock, with a back-off loop between two looks at it. Held by one
// thread of each tile.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Lock { uint next; uint serving; uint count; };

void main() {
    uint ticket = atomicAdd(next, 1);
    while (atomicAdd(serving, 0) != ticket) {
        for (uint i = 0; i < 20 * ticket; i++) {
        }
    }
    atomicExchange(count, atomicOr(count, 0) + 1);
    atomicAdd(serving, 1);
}
