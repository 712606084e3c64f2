#version 450
// Two tiles write the same texel.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, r32ui) coherent uniform uimage2D im;
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main() {
    imageStore(im, ivec2(gl_LocalInvocationID.x % 4, 0), uvec4(gl_WorkGroupID.x + 1));
}
