#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Mem32 { float f[2]; };
layout(set = 0, binding = 1) buffer Mem64 { double d[2]; };

void main() {
    float x = float(gl_LocalInvocationID.x) - 3.5;
    atomicMin(f[0], x);
    atomicMax(f[1], x);
    atomicMin(d[0], double(x) * 2.0LF);
    atomicMax(d[1], double(x) * 2.0LF);
}
