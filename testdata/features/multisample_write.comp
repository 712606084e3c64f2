#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.1
layout(local_size_x = 3, local_size_y = 2) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2DMS counts;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2DMS colours;
layout(set = 0, binding = 2, rg16f) uniform writeonly image2DMS halves;
layout(set = 0, binding = 3, r8ui) uniform writeonly uimage2DMS bytes;
layout(set = 0, binding = 4, rg32i) uniform writeonly iimage2DMS pairs;
layout(set = 0, binding = 5, rgba32f) uniform writeonly image2DMS floats;

void main() {
    ivec2 p = ivec2(gl_LocalInvocationID.xy);
    for (int s = 0; s < imageSamples(counts); s++) {
        uint n = imageLoad(counts, p, s).x;
        imageStore(counts, p, s, uvec4(10 * n + s, 0, 0, 0));
        imageStore(colours, p, s, vec4(p.x, p.y, s, 255) / 255);
        imageStore(halves, p, s, vec4(p.x + 0.25 * s, -p.y, 0, 0));
        imageStore(bytes, p, s, uvec4(n + 100, 0, 0, 0));
        imageStore(pairs, p, s, ivec4(-p.x, n, 0, 0));
        imageStore(floats, p, s, vec4(p, s, n));
    }
}
