#version 450
// A plain load of a coherent flag that no one raises.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) coherent buffer Flag { uint flag; uint done; };

void main() {
    if (gl_LocalInvocationID.x >= 4) {
        while (flag == 0) {
        }
    }
    atomicAdd(done, 1);
}
