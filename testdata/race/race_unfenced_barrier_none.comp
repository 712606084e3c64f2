#version 450
#extension GL_KHR_memory_scope_semantics : require
// A control barrier without memory semantics orders no memory.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    data[l] = l;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, 0, 0);
    result[l] = data[7 - l];
}
