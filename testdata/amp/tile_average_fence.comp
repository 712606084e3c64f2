#version 450
// The tile average with a barrier that fences tile_static memory only, as
// C++ AMP's wait_with_tile_static_memory_fence does: no data passes through
// the buffers, so nothing more is needed.
layout(local_size_x = 2, local_size_y = 2) in;
layout(set = 0, binding = 0) readonly buffer Sample { int samples[]; };
layout(set = 0, binding = 1) writeonly buffer Average { int averages[]; };

shared int nums[2][2];

void main() {
    uint cols = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    uint at = gl_GlobalInvocationID.y * cols + gl_GlobalInvocationID.x;
    nums[gl_LocalInvocationID.y][gl_LocalInvocationID.x] = samples[at];
    memoryBarrierShared();
    barrier();
    int sum = nums[0][0] + nums[0][1] + nums[1][0] + nums[1][1];
    averages[at] = sum / 4;
}
