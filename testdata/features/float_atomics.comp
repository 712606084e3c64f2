#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_shader_atomic_float : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Mem32 { float f[4]; };
layout(set = 0, binding = 1) buffer Mem64 { double d[4]; };

shared float total;

void main() {
    uint i = gl_LocalInvocationID.x;
    if (i == 0) {
        total = 0.0;
    }
    barrier();
    atomicAdd(total, float(i) * 0.25);
    atomicAdd(f[0], float(i) + 0.5);
    atomicAdd(d[0], double(i) - 0.125LF);
    if (i == 2) {
        f[1] = atomicExchange(f[2], 5.0);
        atomicStore(f[3], 8.5, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
        d[1] = atomicExchange(d[2], 7.0LF);
    }
    barrier();
    if (i == 0) {
        d[3] = double(atomicLoad(total, gl_ScopeWorkgroup, 0, gl_SemanticsRelaxed));
    }
}
