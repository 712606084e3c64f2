#version 450
// Threads that choose 1 return before the tile barrier.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Choice { uint choice[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };

shared uint seen[8];

void main() {
    uint g = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    seen[l] = g;
    if (choice[g] == 1) {
        return;
    }
    barrier();
    result[g] = seen[7 - l];
}
