#version 450
#extension GL_KHR_shader_subgroup_basic : require
// The same with a subgroup barrier between the accesses of the warp.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint s[4];

void main() {
    uint l = gl_LocalInvocationID.x;
    s[l] = l;
    subgroupBarrier();
    result[l] = s[3 - l];
}
