#version 450
#extension GL_KHR_memory_scope_semantics : require
// Atomics of tile scope on a counter for each tile.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    atomicAdd(result[gl_WorkGroupID.x], 1u, gl_ScopeWorkgroup, 0, 0);
}
