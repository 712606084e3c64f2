#version 450
layout(local_size_x = 2, local_size_y = 3, local_size_z = 4) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };

void main() {
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
    uvec3 g = gl_GlobalInvocationID;
    uint at = (g.z * size.y + g.y) * size.x + g.x;
    uvec3 w = gl_WorkGroupID;
    o[at] = ((w.x * 10 + w.y) * 10 + w.z) * 100 + gl_LocalInvocationIndex;
    if (g != w * gl_WorkGroupSize + gl_LocalInvocationID) {
        o[at] = 99999;
    }
}
