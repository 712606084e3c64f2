#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform texture2D image;
layout(set = 0, binding = 1) uniform sampler point;
layout(set = 0, binding = 2) uniform utexture2D words;
layout(set = 0, binding = 3) buffer Out { float o[]; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    vec2 at = vec2((float(i) + 0.5) / 4.0, 0.25);
    o[i] = texelFetch(sampler2D(image, point), ivec2(i, 1), 0).x;
    o[4 + i] = float(texelFetch(usampler2D(words, point), ivec2(3 - i, 0), 0).x);
    o[8 + i] = textureGrad(sampler2D(image, point), at, vec2(0.0), vec2(0.0)).x;
    o[12 + i] = textureLodOffset(sampler2D(image, point), at, 0.0, ivec2(1, 1)).x;
    o[16 + i] = texelFetchOffset(sampler2D(image, point), ivec2(i, 0), 0, ivec2(0, 1)).x;
    o[20 + i] = textureProjLod(sampler2D(image, point), vec3(at * 2.0, 2.0), 0.0).x;
    vec4 g = textureGather(sampler2D(image, point), vec2(0.5, 0.5));
    o[24 + i] = g[i];
    ivec2 s = textureSize(sampler2D(image, point), 0);
    o[28 + i] = float(s.x * 100 + s.y * 10) + float(textureQueryLevels(sampler2D(image, point)));
}
