#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
// Two hand-overs for different classes of memory: the first makes the write
// available, and a fence after the second makes it visible.
layout(local_size_x = 9) in;
layout(set = 0, binding = 0) nonprivate buffer Result { uint result[]; };
layout(set = 0, binding = 1) nonprivate buffer Data { uint data; };
layout(set = 0, binding = 2) nonprivate buffer Flag { uint flag, second; };

void main() {
    uint l = gl_LocalInvocationID.x;
    if (l == 0) {
        data = 7;
        atomicStore(flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
    } else if (l == 4) {
        if (atomicLoad(flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 1)
            atomicStore(second, 1u, gl_ScopeDevice, gl_StorageSemanticsImage, gl_SemanticsRelease);
    } else if (l == 8) {
        if (atomicLoad(second, gl_ScopeDevice, gl_StorageSemanticsImage, gl_SemanticsAcquire) == 1) {
            memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible);
            result[0] = data == 7 ? 0 : 1;
        }
    }
    barrier();
    // What memory holds in the end does not depend on who came when.
    if (l == 0)
        atomicStore(second, 1u, gl_ScopeDevice, 0, 0);
}
