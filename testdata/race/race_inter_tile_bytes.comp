#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
// Two tiles write the same byte; the other bytes of the word are theirs alone.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Bytes { uint8_t bytes[]; };

void main() {
    uint g = gl_GlobalInvocationID.x;
    bytes[g % 7] = uint8_t(g + 1);
}
