#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 4) in;
shared Words { uint words[8]; };
shared Halves { layout(offset = 4) uint16_t halves[8]; };
shared Bytes { layout(offset = 8) uint8_t bytes[16]; };
layout(set = 0, binding = 0) buffer Out { uint o[]; };

void main() {
    uint i = gl_LocalInvocationID.x;
    words[i] = 0x11111111 * (i + 1);
    words[i + 4] = 0;
    barrier();
    halves[7 - i] = uint16_t(0xa0 + i);
    barrier();
    bytes[i + 12] = uint8_t(i + 0xc0);
    barrier();
    o[i] = words[i];
    o[i + 4] = words[i + 4];
    o[i + 8] = uint(bytes[i]);
}
