#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform sampler2D repeated;
layout(set = 0, binding = 1) uniform sampler2D mirrored;
layout(set = 0, binding = 2) uniform sampler2D edge;
layout(set = 0, binding = 3) uniform sampler2D border;
layout(set = 0, binding = 4) buffer Out { float o[]; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    float u = (float(i) - 2.0) / 16.0;
    o[i] = textureLod(repeated, vec2(u, 0.25), 0.0).x;
    o[16 + i] = textureLod(mirrored, vec2(u, 0.25), 0.0).x;
    o[32 + i] = textureLod(edge, vec2(u, 0.25), 0.0).x;
    o[48 + i] = textureLod(border, vec2(u, 0.25), 0.0).x;
    o[64 + i] = textureLod(edge, vec2(u, 0.5), 0.0).x;
}
