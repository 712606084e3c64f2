#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) devicecoherent buffer Mem { uint part[8]; };
layout(set = 0, binding = 1) devicecoherent buffer Count { uint arrived; };
layout(set = 0, binding = 2) buffer Out { uint total; };

void main() {
    part[gl_WorkGroupID.x] = (gl_WorkGroupID.x + 1) * (gl_WorkGroupID.x + 1);
    uint n = atomicAdd(arrived, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
    if (n + 1 == gl_NumWorkGroups.x) {
        uint sum = 0;
        for (uint i = 0; i < 8; i++) {
            sum += part[i];
        }
        total = sum;
    }
}
