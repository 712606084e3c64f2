#version 450
// Texel coordinates outside of the image.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, r32ui) coherent uniform uimage2D im;
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    imageStore(im, ivec2(l, 0), uvec4(1));
}
