#version 450
// Only the threads that choose 0 come to the tile barrier; the others go on
// past it.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Choice { uint choice[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };

shared uint seen[8];

void main() {
    uint g = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    seen[l] = g;
    if (choice[g] == 0) {
        barrier();
    }
    result[g] = choice[g] == 0 ? seen[7 - l] : 100;
}
