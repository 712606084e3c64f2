#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
// Threads write neighbouring bytes of one word.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Bytes { uint8_t bytes[]; };

void main() {
    uint g = gl_GlobalInvocationID.x;
    bytes[g] = uint8_t(g + 1);
}
