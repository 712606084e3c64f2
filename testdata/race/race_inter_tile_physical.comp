#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Two tiles write through device addresses to one word.
layout(local_size_x = 1) in;
layout(buffer_reference, buffer_reference_align = 8) buffer Word { uint v; };
layout(set = 0, binding = 0) readonly buffer Where { uint64_t at; };

void main() {
    Word(at).v = gl_WorkGroupID.x;
}
