#version 450
#extension GL_KHR_memory_scope_semantics : require
// Each 2x2 tile replaces its elements by their average. The barrier fences
// both address spaces, as C++ AMP's tile_barrier::wait does.
layout(local_size_x = 2, local_size_y = 2) in;
layout(set = 0, binding = 0) readonly buffer Sample { int samples[]; };
layout(set = 0, binding = 1) writeonly buffer Average { int averages[]; };

shared int nums[2][2];

void main() {
    uint cols = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    uint at = gl_GlobalInvocationID.y * cols + gl_GlobalInvocationID.x;
    nums[gl_LocalInvocationID.y][gl_LocalInvocationID.x] = samples[at];
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup,
                   gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                   gl_SemanticsAcquireRelease);
    int sum = nums[0][0] + nums[0][1] + nums[1][0] + nums[1][1];
    averages[at] = sum / 4;
}
