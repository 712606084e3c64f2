#version 450
// One Jacobi sweep of the five-point stencil: an inner element becomes the
// average of its four neighbours, the border stays. A tile stages its 16x16
// elements and the halo around them.
const int TS = 16;
layout(local_size_x = TS, local_size_y = TS) in;
layout(set = 0, binding = 0) readonly buffer From { float source[]; };
layout(set = 0, binding = 1) writeonly buffer To { float target[]; };
layout(push_constant) uniform Args { int side; };

shared float block[TS + 2][TS + 2];

float at(ivec2 p) {
    p = clamp(p, ivec2(0), ivec2(side - 1));
    return source[p.y * side + p.x];
}

void main() {
    ivec2 g = ivec2(gl_GlobalInvocationID.xy);
    ivec2 l = ivec2(gl_LocalInvocationID.xy) + 1;
    block[l.y][l.x] = at(g);
    if (l.x == 1) block[l.y][0] = at(g - ivec2(1, 0));
    if (l.x == TS) block[l.y][TS + 1] = at(g + ivec2(1, 0));
    if (l.y == 1) block[0][l.x] = at(g - ivec2(0, 1));
    if (l.y == TS) block[TS + 1][l.x] = at(g + ivec2(0, 1));
    barrier();
    bool border = any(equal(g, ivec2(0))) || any(equal(g, ivec2(side - 1)));
    float v = block[l.y][l.x];
    if (!border) {
        v = 0.25 * (block[l.y - 1][l.x] + block[l.y + 1][l.x] + block[l.y][l.x - 1] + block[l.y][l.x + 1]);
    }
    target[g.y * side + g.x] = v;
}
