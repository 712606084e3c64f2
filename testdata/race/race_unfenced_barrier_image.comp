#version 450
// A barrier for shared memory between accesses of texels.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, r32ui) coherent uniform uimage2D im;
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    imageStore(im, ivec2(l % 4, l / 4), uvec4(l));
    barrier();
    result[l] = imageLoad(im, ivec2(3 - l % 4, 1 - l / 4)).x;
}
