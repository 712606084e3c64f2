#version 450
// The tree reduction of the debugging walkthrough: every tile of 32 threads
// adds up 32 elements that lie stride apart, and leaves the sum in the first.
const int TILE_SIZE = 32;
layout(local_size_x = TILE_SIZE) in;
layout(set = 0, binding = 0) buffer Array { int A[]; };
layout(push_constant) uniform Args { int stride; };

shared int localA[TILE_SIZE];

void main() {
    int globalIdx = int(gl_GlobalInvocationID.x) * stride;
    int localIdx = int(gl_LocalInvocationID.x);
    localA[localIdx] = A[globalIdx];
    barrier(); // barrier A

    for (int i = TILE_SIZE / 2; i > 0; i /= 2) {
        if (localIdx < i) {
            localA[localIdx] += localA[localIdx + i]; // line B
        }
        barrier(); // barrier C
    }

    if (localIdx == 0) {
        A[globalIdx] = localA[0];
    }
}
