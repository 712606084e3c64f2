#version 450
// Threads append their numbers to a list.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Count { uint count; };
layout(set = 0, binding = 1) buffer List { uint list[32]; };

void main() {
    list[atomicAdd(count, 1)] = gl_GlobalInvocationID.x;
}
