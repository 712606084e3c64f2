#version 450
// A flag in a texel.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, r32ui) uniform coherent uimage2D flag;

void main() {
    while (imageAtomicOr(flag, ivec2(1, 0), 0) == 0) {
    }
}
