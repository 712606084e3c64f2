#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) queuefamilycoherent buffer Mem { uint mail[8]; uint flag; uint o[8]; };

shared uint staged[8];

void main() {
    uint i = gl_LocalInvocationID.x;
    staged[i] = i * i;
    mail[i] = 100 + i;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
    uint n = atomicAdd(flag, 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    o[i] = staged[7 - i] + mail[(i + 1) % 8] + (n < 8u ? 0u : 1000u);
}
