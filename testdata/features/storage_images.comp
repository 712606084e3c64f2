#version 450
layout(local_size_x = 4, local_size_y = 2) in;
layout(set = 0, binding = 0, r32f) uniform readonly image2D source;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D target;
layout(set = 0, binding = 2, rgba32i) uniform iimage3D cube;
layout(set = 0, binding = 3, r32ui) uniform readonly uimage1D line;
layout(set = 0, binding = 4) buffer Out { uint o[]; };

void main() {
    ivec2 p = ivec2(gl_LocalInvocationID.xy);
    int i = p.y * 4 + p.x;
    float v = imageLoad(source, ivec2(3 - p.x, p.y)).x;
    imageStore(target, p, uvec4(uint(v * 2.0)));
    ivec3 q = ivec3(i & 1, i >> 1 & 1, i >> 2);
    ivec4 c = imageLoad(cube, q);
    imageStore(cube, q, c.wzyx - i);
    o[i] = imageLoad(line, i).x + uint(imageSize(line)) * 100;
    if (i == 0) {
        ivec3 s = imageSize(cube);
        o[8] = uint(imageSize(source).x * 10 + imageSize(source).y);
        o[9] = uint(s.x * 100 + s.y * 10 + s.z);
    }
}
