#version 450
#extension GL_KHR_memory_scope_semantics : require
// One tile releases, and the other reads the flag without acquiring.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Data { uint data; };
layout(set = 0, binding = 2) buffer Flag { uint flag; };

void main() {
    if (gl_WorkGroupID.x == 0) {
        data = 7;
        atomicStore(flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    } else {
        if (atomicLoad(flag, gl_ScopeDevice, 0, 0) == 1)
            result[0] = data;
    }
}
