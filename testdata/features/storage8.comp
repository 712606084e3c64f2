#version 450
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer In { int8_t a[]; };
layout(set = 0, binding = 1) uniform Uni { uint8_t b; uint8_t c; int8_t d; int8_t e; };
layout(set = 0, binding = 2) buffer Out { int o[]; };
layout(push_constant) uniform Push { uint8_t f; int8_t g; };

void main() {
    uint i = gl_LocalInvocationID.x;
    o[i] = int(a[i]) + int(b) + 10 * int(c) + 100 * int(d) + 1000 * int(e) + 10000 * int(f) + 100000 * int(g);
    a[i + 4] = int8_t(i * 100);
}
