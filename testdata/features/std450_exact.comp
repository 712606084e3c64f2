#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { float x[8]; uint packed[5]; };
layout(set = 0, binding = 1) buffer Out { float o[]; };
layout(set = 0, binding = 2) buffer OutBits { uint u[]; };

void main() {
    for (int i = 0; i < 8; i++) {
        o[8 * i + 0] = floor(x[i]);
        o[8 * i + 1] = ceil(x[i]);
        o[8 * i + 2] = trunc(x[i]);
        o[8 * i + 3] = roundEven(x[i]);
        o[8 * i + 4] = fract(x[i]);
        o[8 * i + 5] = abs(x[i]);
        o[8 * i + 6] = sign(x[i]);
        float whole;
        float part = modf(x[i], whole);
        o[8 * i + 7] = whole * 16.0 + part;
    }
    o[64] = min(x[0], x[1]);
    o[65] = max(x[0], x[1]);
    o[66] = clamp(x[0], 0.5, 1.0);
    o[67] = mix(x[2], x[5], 0.25);
    o[68] = step(x[1], x[0]);
    o[69] = step(x[0], x[1]);
    o[70] = smoothstep(0.0, 8.0, x[5]);
    o[71] = fma(x[0], x[5], x[2]);
    int e;
    o[72] = frexp(x[3], e);
    o[73] = float(e);
    o[74] = ldexp(x[0], 5);
    o[75] = round(x[6]);
    vec3 n = faceforward(vec3(1.0, 2.0, 3.0), vec3(x[0]), vec3(1.0));
    o[76] = n.x; o[77] = n.y; o[78] = n.z;
    vec2 r = reflect(vec2(x[5], -x[5]), vec2(0.0, 1.0));
    o[79] = r.x; o[80] = r.y;

    u[0] = packSnorm4x8(vec4(x[0] - 0.5, x[0] - 2.5, x[4], x[2]));
    u[1] = packUnorm4x8(vec4(x[5], x[4], x[1], x[0] - 1.3));
    u[2] = packSnorm2x16(vec2(x[1], x[5]));
    u[3] = packUnorm2x16(vec2(x[0], x[4]));
    u[4] = packHalf2x16(vec2(x[0], -65504.0));
    vec4 a = unpackSnorm4x8(packed[0]) + unpackUnorm4x8(packed[1]);
    o[81] = a.x; o[82] = a.y; o[83] = a.z; o[84] = a.w;
    vec2 b = unpackSnorm2x16(packed[2]) + unpackUnorm2x16(packed[3]);
    o[85] = b.x; o[86] = b.y;
    vec2 h = unpackHalf2x16(packed[4]);
    o[87] = h.x; o[88] = h.y;
}
