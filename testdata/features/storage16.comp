#version 450
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 2) in;
layout(set = 0, binding = 0) buffer In { int16_t a[2]; float16_t h[2]; };
layout(set = 0, binding = 1) uniform Uni { uint16_t b; float16_t c; };
layout(set = 0, binding = 2) buffer Out { float o[]; };
layout(push_constant) uniform Push { int16_t f; float16_t g; };

void main() {
    uint i = gl_LocalInvocationID.x;
    o[i] = float(int(a[i])) + float(h[i]) + float(uint(b)) + float(c) + float(int(f)) + float(g);
    h[i] = float16_t(float(i) + 0.1);
    a[i] = int16_t(i + 65535);
}
