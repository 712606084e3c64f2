#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
// A 64-bit atomic of one tile and a 32-bit atomic of the other overlap.
layout(local_size_x = 1) in;
layout(buffer_reference, buffer_reference_align = 8) buffer Long { uint64_t v; };
layout(buffer_reference, buffer_reference_align = 8) buffer Short { uint v; };
layout(set = 0, binding = 0) readonly buffer Where { uint64_t at; };

void main() {
    if (gl_WorkGroupID.x == 0) {
        atomicAdd(Long(at).v, 1ul);
    } else {
        atomicAdd(Short(at).v, 1u);
    }
}
