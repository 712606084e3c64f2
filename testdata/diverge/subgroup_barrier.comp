#version 450
#extension GL_KHR_shader_subgroup_basic : require
// A subgroup barrier waits for the active threads of the warp only, so
// divergent flow is no fault.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Choice { uint choice[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };

void main() {
    uint g = gl_GlobalInvocationID.x;
    uint r = 1;
    if (choice[g] == 1) {
        subgroupBarrier();
        r = 2;
    }
    result[g] = r;
}
