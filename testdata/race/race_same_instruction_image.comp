#version 450
// All lanes of one warp store to the same texel in one instruction.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D im;

void main() {
    imageStore(im, ivec2(1, 0), uvec4(gl_LocalInvocationID.x + 1));
}
