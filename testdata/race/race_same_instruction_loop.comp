#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.1
// In its second turn, the first and the third thread of a warp store to the word
// that the third stored to in the turn before.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    for (uint i = 0; i < 2; i++)
        result[l == 2 || i == 1 && l == 0 ? 7 : l] = 8 * i + l;
}
