#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, r32f) uniform writeonly image2D level0;
layout(set = 0, binding = 1, r32f) uniform writeonly image2D level1;
layout(set = 0, binding = 2) uniform sampler2D all;
layout(set = 0, binding = 3) buffer Out { float o[]; };
layout(push_constant) uniform Args { uint phase; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    if (phase == 0) {
        imageStore(level0, ivec2(i, 0), vec4(i + 1));
        if (i < 2) {
            imageStore(level1, ivec2(i, 0), vec4(10 * (i + 1)));
        }
    } else {
        float u = (float(i) + 0.5) / 4.0;
        o[i] = textureLod(all, vec2(u, 0.5), 0.0).x;
        o[4 + i] = textureLod(all, vec2(u, 0.5), 1.0).x;
        o[8 + i] = textureLod(all, vec2(u, 0.5), 7.0).x;
        o[12 + i] = texelFetch(all, ivec2(i & 1, 0), 1).x;
        o[16 + i] = float(textureSize(all, 1).x * 10 + textureQueryLevels(all));
        o[20 + i] = textureGrad(all, vec2(u, 0.5), vec2(0.5, 0.0), vec2(0.0)).x;
    }
}
