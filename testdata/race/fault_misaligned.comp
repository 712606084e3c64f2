#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// An address that is no multiple of the promised alignment.
layout(local_size_x = 1) in;
layout(buffer_reference, buffer_reference_align = 16) buffer Block { uvec4 v; };
layout(set = 0, binding = 0) readonly buffer Where { uint64_t at[2]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main() {
    uvec4 v = Block(at[0] + 4ul).v;
    result[0] = v.x + v.y;
}
