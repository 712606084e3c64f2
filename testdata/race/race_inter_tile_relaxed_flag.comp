#version 450
#extension GL_KHR_memory_scope_semantics : require
// The flag is relaxed: seeing it says nothing about the data.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Mail { uint flag; uint mail; };

void main() {
    if (gl_WorkGroupID.x == 0) {
        mail = 42;
        atomicStore(flag, 1u, gl_ScopeDevice, 0, 0);
    } else {
        while (atomicLoad(flag, gl_ScopeDevice, 0, 0) == 0) {
        }
        result[0] = mail;
    }
}
