#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform sampler2D repeated;
layout(set = 0, binding = 1) uniform sampler2D mirrored;
layout(set = 0, binding = 2) uniform sampler2D edge;
layout(set = 0, binding = 3) uniform sampler2D border;
layout(set = 0, binding = 4) uniform sampler2D mirrorEdge;
layout(set = 0, binding = 5) buffer Out { float o[]; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    vec2 at = vec2((float(i) - 4.5) / 4.0, 0.25);
    o[i] = textureLod(repeated, at, 0.0).x;
    o[16 + i] = textureLod(mirrored, at, 0.0).x;
    o[32 + i] = textureLod(edge, at, 0.0).x;
    o[48 + i] = textureLod(border, at, 0.0).x;
    o[64 + i] = textureLod(mirrorEdge, at, 0.0).x;
}
