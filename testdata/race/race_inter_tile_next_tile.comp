#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.1
#extension GL_KHR_memory_scope_semantics : require
// Each tile writes one element beyond its own, which the next tile reads: a
// barrier of the tile orders nothing between the two.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Data { uint data[]; };

void main() {
    uint p = gl_GlobalInvocationID.x;
    data[p + 1] = p;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    result[p] = data[p];
}
