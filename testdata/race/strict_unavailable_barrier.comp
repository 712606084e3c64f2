#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
// A barrier orders the write before the read, but neither makes it available nor
// visible.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) nonprivate buffer Result { uint result[]; };
layout(set = 0, binding = 1) nonprivate buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    data[l] = l;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    result[l] = data[7 - l];
}
