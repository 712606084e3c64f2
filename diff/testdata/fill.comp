// Numbers in [-1, 1) that are all exact: 24 bits of a hash of their place.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { float a[]; };
layout(set = 0, binding = 1) buffer B { float b[]; };
layout(set = 0, binding = 2) buffer C { float c[]; };

uint hash(uint x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

float number(uint x) { return float(int(hash(x) >> 8) - 0x800000) * (1.0 / 8388608.0); }

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < a.length()) a[i] = number(i);
    if (i < b.length()) b[i] = number(i + 0x10000000u);
    if (i < c.length()) c[i] = number(i + 0x20000000u);
}
