#version 450
// As last_writer, in a texel.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D picture;

void main() {
    imageAtomicExchange(picture, ivec2(1, 0), gl_WorkGroupID.x);
}
