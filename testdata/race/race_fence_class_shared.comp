#version 450
#extension GL_KHR_memory_scope_semantics : require
// Both fences are for shared memory; the data is in a buffer.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Mail { uint flag; uint mail; };

void main() {
    if (gl_WorkGroupID.x == 0) {
        mail = 42;
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsShared, gl_SemanticsRelease);
        atomicStore(flag, 1u, gl_ScopeDevice, 0, 0);
    } else {
        while (atomicLoad(flag, gl_ScopeDevice, 0, 0) == 0) {
        }
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsShared, gl_SemanticsAcquire);
        result[0] = mail;
    }
}
