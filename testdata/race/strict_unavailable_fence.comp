#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
// The fence that releases does not make the write available.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) nonprivate buffer Result { uint result[]; };
layout(set = 0, binding = 1) nonprivate buffer Data { uint data; };
layout(set = 0, binding = 2) nonprivate buffer Flag { uint flag; };

void main() {
    if (gl_WorkGroupID.x == 0) {
        data = 7;
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
        atomicStore(flag, 1u, gl_ScopeDevice, 0, 0);
    } else {
        bool set = atomicLoad(flag, gl_ScopeDevice, 0, 0) == 1;
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
        if (set)
            result[0] = data == 7 ? 0 : 1;
    }
}
