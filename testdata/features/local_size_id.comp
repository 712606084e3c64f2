#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.3
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer Out { uint count; uint x; uint y; uint z; };

void main() {
    atomicAdd(count, 1);
    if (gl_LocalInvocationIndex == 0) {
        x = gl_WorkGroupSize.x;
        y = gl_WorkGroupSize.y;
        z = gl_WorkGroupSize.z;
    }
}
