#version 450
#extension GL_KHR_memory_scope_semantics : require
// The second write of each tile follows a barrier; a barrier orders nothing
// between tiles.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l + 8 * gl_WorkGroupID.x] = l;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    if (l == 0) {
        result[16] = gl_WorkGroupID.x;
    }
}
