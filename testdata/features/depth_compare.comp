#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform sampler2DShadow depth;
layout(set = 0, binding = 1) buffer Out { float o[]; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    float u = (float(i) + 0.5) / 4.0;
    o[i] = textureLod(depth, vec3(u, 0.5, 0.5), 0.0);
    o[4 + i] = textureLod(depth, vec3(u, 0.5, 0.125), 0.0);
}
