#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer Out { uint count; uint x; uint y; uint z; uint last; };

void main() {
    atomicAdd(count, 1);
    if (gl_LocalInvocationIndex == 0 && gl_WorkGroupID.x == 0) {
        x = gl_WorkGroupSize.x;
        y = gl_WorkGroupSize.y;
        z = gl_WorkGroupSize.z;
    }
    atomicMax(last, gl_GlobalInvocationID.x * 100 + gl_GlobalInvocationID.y * 10 + gl_GlobalInvocationID.z);
}
