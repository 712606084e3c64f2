#version 450
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };

bool before(uvec2 a, uvec2 b) {
    return a.y < b.y || a.y == b.y && a.x <= b.x;
}

void main() {
    uint i = gl_LocalInvocationID.x;
    uvec2 s0 = clock2x32ARB();
    uvec2 d0 = clockRealtime2x32EXT();
    o[4 + i] = i;
    uvec2 s1 = clock2x32ARB();
    uvec2 d1 = clockRealtime2x32EXT();
    o[i] = uint(before(s0, s1)) + 2 * uint(before(d0, d1));
}
