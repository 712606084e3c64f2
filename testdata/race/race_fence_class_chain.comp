#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
// Two hand-overs for different classes of memory, and the thread in between
// hands the data on for a class that it does not live in: nothing makes the write
// available or visible, so that does not join them.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) nonprivate buffer Result { uint result[]; };
layout(set = 0, binding = 1) nonprivate buffer Data { uint data; };
layout(set = 0, binding = 2) nonprivate buffer Flag { uint flag, second; };

void main() {
    if (gl_WorkGroupID.x == 0) {
        data = 7;
        atomicStore(flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    } else if (gl_WorkGroupID.x == 1) {
        if (atomicLoad(flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 1)
            atomicStore(second, 1u, gl_ScopeDevice, gl_StorageSemanticsImage, gl_SemanticsRelease);
    } else if (atomicLoad(second, gl_ScopeDevice, gl_StorageSemanticsImage, gl_SemanticsAcquire) == 1) {
        result[0] = data;
    }
}
