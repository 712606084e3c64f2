#version 450
#extension GL_KHR_memory_scope_semantics : require
// The scope of the atomics is the tile; two tiles use one counter.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    atomicAdd(result[0], 1u, gl_ScopeWorkgroup, 0, 0);
}
