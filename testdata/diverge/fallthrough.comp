#version 450
// Threads that choose 1 fall through to the barrier that those who choose 2
// reach directly.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Choice { uint choice[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };

shared uint seen[8];

void main() {
    uint g = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    uint r = 0;
    seen[l] = g;
    switch (choice[g]) {
    case 1:
        r = 100;
        // falls through
    case 2:
        barrier();
        r += seen[7 - l];
        break;
    default:
        r = 1000;
    }
    result[g] = r;
}
