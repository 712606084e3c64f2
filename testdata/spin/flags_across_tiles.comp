#version 450
// Each of two tiles waits for the other's flag before it raises its own.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Flags { uint flags[2]; };

void main() {
    uint own = gl_WorkGroupID.x;
    while (atomicOr(flags[1 - own], 0) == 0) {
    }
    atomicExchange(flags[own], 1);
}
