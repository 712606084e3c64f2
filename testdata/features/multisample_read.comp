#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.1
layout(local_size_x = 3, local_size_y = 2) in;
layout(set = 0, binding = 0) uniform usampler2DMS counts;
layout(set = 0, binding = 1) uniform sampler2DMS colours;
layout(set = 0, binding = 2) uniform sampler2DMS halves;
layout(set = 0, binding = 3) uniform usampler2DMS bytes;
layout(set = 0, binding = 4) uniform isampler2DMS pairs;
layout(set = 0, binding = 5) uniform sampler2DMS floats;
layout(set = 0, binding = 6) uniform sampler2DMS depth;
layout(set = 0, binding = 7) buffer Out { int o[25]; };

void main() {
    ivec2 p = ivec2(gl_LocalInvocationID.xy);
    for (int s = 0; s < textureSamples(counts); s++) {
        // The samples of a texel the other way round.
        int r = textureSamples(counts) - 1 - s;
        ivec4 colour = ivec4(round(texelFetch(colours, p, r) * 255));
        vec2 half2 = texelFetch(halves, p, r).xy;
        vec4 f = texelFetch(floats, p, r);
        int sum = int(texelFetch(counts, p, r).x) + 1000 * int(texelFetch(bytes, p, r).x);
        bool same = colour == ivec4(p, r, 255) && half2 == vec2(p.x + 0.25 * r, -p.y) && f == vec4(p, r, texelFetch(bytes, p, r).x - 100u) &&
            texelFetch(pairs, p, r).xy == ivec2(-p.x, int(f.w)) && texelFetch(depth, p, r).x == 0.5;
        o[(p.y * 3 + p.x) * 4 + s] = same ? sum : -1;
    }
    if (p == ivec2(0))
        o[24] = textureSize(floats).x * 10 + textureSize(floats).y;
}
