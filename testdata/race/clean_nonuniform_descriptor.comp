#version 450
// Lanes of one warp choose different buffers, and say so.
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Table { uint data[]; } tables[2];

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = tables[nonuniformEXT(l % 2u)].data[l];
}
