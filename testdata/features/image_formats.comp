#version 450
layout(local_size_x = 2) in;
layout(set = 0, binding = 0, rgba8) uniform image2D unorm8;
layout(set = 0, binding = 1, rgba8_snorm) uniform image2D snorm8;
layout(set = 0, binding = 2, rgba16f) uniform image2D half16;
layout(set = 0, binding = 3, rgba8ui) uniform uimage2D uint8;
layout(set = 0, binding = 4, rgba16i) uniform iimage2D int16;
layout(set = 0, binding = 5) buffer Out { vec4 o[]; };
layout(push_constant) uniform Args { uint phase; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    ivec2 p = ivec2(i, 0);
    if (phase == 0) {
        imageStore(unorm8, p, vec4(float(i), 0.4, -3.0, 7.0));
        imageStore(snorm8, p, vec4(float(-i), 2.0, -3.0, 0.0));
        imageStore(half16, p, vec4(float(i) + 0.5, -2.0, 2049.0, 65504.0));
        imageStore(uint8, p, uvec4(i + 1, 200, 0, 255));
        imageStore(int16, p, ivec4(-i, 32767, -32768, 5));
    } else {
        o[i] = imageLoad(unorm8, p) * 255.0;
        o[2 + i] = imageLoad(snorm8, p) * 127.0;
        o[4 + i] = imageLoad(half16, p);
        o[6 + i] = vec4(imageLoad(uint8, p));
        o[8 + i] = vec4(imageLoad(int16, p));
    }
}
