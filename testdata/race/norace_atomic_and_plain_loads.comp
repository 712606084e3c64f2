#version 450
#extension GL_KHR_memory_scope_semantics : require
// An atomic load and plain loads of one word.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    uint g = gl_GlobalInvocationID.x;
    uint a = atomicLoad(data[0], gl_ScopeDevice, 0, 0);
    result[g] = a + data[0];
    atomicAdd(data[1], 1u);
}
