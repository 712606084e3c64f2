#version 450
#extension GL_KHR_memory_scope_semantics : require
// Two bindings of one buffer, with a barrier that orders buffers.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer A { uint a[]; };
layout(set = 0, binding = 2) buffer B { uint b[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    a[l] = l;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    result[l] = b[7 - l];
}
