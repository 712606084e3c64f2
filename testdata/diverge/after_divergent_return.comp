#version 450
// Threads that choose 1 return from a callee before its barrier.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Choice { uint choice[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };

shared uint seen[8];

uint exchange(uint c, uint l) {
    if (c == 1) {
        return 100;
    }
    barrier();
    return seen[7 - l];
}

void main() {
    uint g = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    seen[l] = g;
    result[g] = exchange(choice[g], l);
}
