#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 2) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };

void main() {
    uint g = gl_GlobalInvocationID.x;
    debugPrintfEXT("thread %u of tile %u: %d %x %f %v3d\n", gl_LocalInvocationID.x, gl_WorkGroupID.x, -int(g), g + 10, float(g) * 0.5, ivec3(g, 1, 2));
    o[g] = g + 1;
}
