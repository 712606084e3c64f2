#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// A list is followed one node beyond its end.
layout(local_size_x = 1) in;
layout(buffer_reference, buffer_reference_align = 8) buffer Node { uint value; };
layout(set = 0, binding = 0) readonly buffer Where { uint64_t at[2]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main() {
    result[0] = Node(at[0]).value + Node(at[1]).value;
}
