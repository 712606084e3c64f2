#version 450
#extension GL_KHR_memory_scope_semantics : require
// Tile 0 reads the mail if the flag is up; tile 1 writes it and raises the flag,
// at too narrow a scope. In the usual order tile 0 never sees the flag.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) coherent buffer Mail { uint flag; uint mail; uint got; };

void main() {
    if (gl_WorkGroupID.x == 1) {
        mail = 7;
        atomicStore(flag, 1u, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    } else if (atomicLoad(flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 1) {
        got = mail;
    }
}
