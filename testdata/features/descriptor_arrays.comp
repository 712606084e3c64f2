#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer In { uint x[4]; } b[4];
layout(set = 0, binding = 1) buffer Out { uint o[]; };
layout(set = 1, binding = 0) buffer Rest { uint y[]; } r[];
layout(push_constant) uniform Args { uint which; };

void main() {
    uint i = gl_LocalInvocationID.x;
    o[i] = b[2].x[i] + b[which].x[i];
    o[4 + i] = b[nonuniformEXT(3 - i)].x[i];
    o[8 + i] = r[nonuniformEXT(i & 1)].y[i] + uint(r[nonuniformEXT(i & 1)].y.length());
}
