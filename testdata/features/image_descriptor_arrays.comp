#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D images[2];
layout(set = 0, binding = 1) uniform sampler2D textures[2];
layout(set = 0, binding = 2) buffer Out { float o[]; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    o[i] = float(imageLoad(images[nonuniformEXT(i & 1)], ivec2(i >> 1, 0)).x);
    o[4 + i] = textureLod(textures[nonuniformEXT(1 - (i & 1))], vec2(0.25 + 0.5 * float(i >> 1), 0.5), 0.0).x;
}
