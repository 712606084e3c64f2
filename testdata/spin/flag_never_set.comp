#version 450
// One tile waits for a flag that no one raises.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Flag { uint flag; uint done; };

void main() {
    if (gl_WorkGroupID.x == 1) {
        while (atomicOr(flag, 0) == 0) {
        }
    }
    atomicAdd(done, 1);
}
