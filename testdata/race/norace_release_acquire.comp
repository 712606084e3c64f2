#version 450
#extension GL_KHR_memory_scope_semantics : require
// A flag hands data from one tile to the other: release store, acquire load.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Mail { uint flag; uint mail; };

void main() {
    if (gl_WorkGroupID.x == 0) {
        mail = 42;
        atomicStore(flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    } else {
        while (atomicLoad(flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 0) {
        }
        result[0] = mail;
    }
}
