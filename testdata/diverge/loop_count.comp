#version 450
// Every thread waits as many times as it chooses, then once more.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Choice { uint choice[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };

shared uint seen[8];

void main() {
    uint g = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    seen[l] = g;
    for (uint i = 0; i < choice[g]; i++) {
        barrier();
    }
    barrier();
    result[g] = seen[7 - l];
}
