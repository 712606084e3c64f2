#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) uniform sampler1D line;
layout(set = 0, binding = 1) uniform sampler3D solid;
layout(set = 0, binding = 2) uniform sampler2D plane;
layout(set = 0, binding = 3) buffer Out { float o[]; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    ivec3 p = ivec3(i & 1, i >> 1 & 1, i >> 2);
    o[i] = textureLod(line, (float(7 - i) + 0.5) / 8.0, 0.0).x;
    o[8 + i] = textureLod(solid, (vec3(p) + 0.5) / 2.0, 0.0).x + texelFetch(solid, 1 - p, 0).x * 100.0;
    o[16 + i] = textureGatherOffset(plane, vec2(0.5, 0.5), ivec2(i & 1, 0))[i >> 1];
    ivec3 s = textureSize(solid, 0);
    o[24 + i] = float(textureSize(line, 0) * 1000 + s.x * 100 + s.y * 10 + s.z);
}
