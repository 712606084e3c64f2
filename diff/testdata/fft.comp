// Transforms of 256 complex numbers of a, in tile_static memory; the factors are
// in b.
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer A { vec2 a[]; };
layout(set = 0, binding = 1) readonly buffer B { vec2 b[]; };
layout(set = 0, binding = 3) buffer Out { vec2 o[]; };
shared vec2 s[256];

void main() {
    uint i = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 256;
    s[bitfieldReverse(i) >> 24] = a[first + i];
    s[bitfieldReverse(i + 128) >> 24] = a[first + i + 128];
    barrier();
    for (uint h = 1; h < 256; h *= 2) {
        uint k = i % h, p = i / h * 2 * h + k;
        vec2 w = b[k * (128 / h)], x = s[p], y = s[p + h];
        vec2 t = vec2(w.x * y.x - w.y * y.y, w.x * y.y + w.y * y.x);
        s[p] = x + t;
        s[p + h] = x - t;
        barrier();
    }
    o[first + i] = s[i];
    o[first + i + 128] = s[i + 128];
}
