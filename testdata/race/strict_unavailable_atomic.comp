#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
// The atomic that releases does not make the write available.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) nonprivate buffer Result { uint result[]; };
layout(set = 0, binding = 1) nonprivate buffer Data { uint data; };
layout(set = 0, binding = 2) nonprivate buffer Flag { uint flag; };

void main() {
    if (gl_WorkGroupID.x == 0) {
        data = 7;
        atomicStore(flag, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    } else {
        if (atomicLoad(flag, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire | gl_SemanticsMakeVisible) == 1)
            result[0] = data == 7 ? 0 : 1;
    }
}
