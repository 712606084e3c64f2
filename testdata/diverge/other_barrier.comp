#version 450
// Both arms of the if wait, each at a barrier of its own.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Choice { uint choice[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };

shared uint seen[8];

void main() {
    uint g = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    seen[l] = g;
    if (choice[g] == 1) {
        barrier();
        result[g] = seen[7 - l] + 100;
    } else {
        barrier();
        result[g] = seen[7 - l];
    }
}
