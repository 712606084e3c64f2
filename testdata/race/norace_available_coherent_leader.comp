#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
// Each store makes itself available to the device, and each load what it reads
// visible from there. The barriers only have to order them with the hand-off of
// the two leaders, and it does not matter that they do so within their tile.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) nonprivate buffer Result { uint result[]; };
layout(set = 0, binding = 1) devicecoherent buffer Data { uint flag; uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    if (gl_WorkGroupID.x == 0) {
        data[l] = l;
        controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
        if (l == 0) atomicStore(flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    } else {
        if (l == 0) while (atomicLoad(flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire) == 0u) {}
        controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
        result[l] = data[7 - l];
    }
}
