#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { double a; double b; };
layout(set = 0, binding = 1) buffer Out { double o[]; };
layout(set = 0, binding = 2) buffer OutBits { uvec2 u[]; };

void main() {
    o[0] = a + b;
    o[1] = a - b;
    o[2] = a * b;
    o[3] = floor(b) + ceil(b) * 10.0LF + fract(a);
    o[4] = min(a, b) + abs(b) * 2.0LF + sign(b);
    o[5] = double(float(a)) + double(int(b)) + double(7u);
    o[6] = dot(dvec2(a, b), dvec2(2.0, 4.0));
    o[7] = fma(a, b, 1.0LF);
    o[8] = mix(a, b, 0.5LF);
    o[9] = mod(b, a);
    int e;
    o[10] = frexp(b, e);
    o[11] = double(e);
    o[12] = ldexp(a, 40);
    o[13] = double(float(a + 1.0LF / 1099511627776.0LF));
    dmat2 m = dmat2(a, 1.0, 2.0, b);
    o[14] = determinant(m);
    u[0] = unpackDouble2x32(a / 3.0LF);
    u[1] = unpackDouble2x32(sqrt(2.0LF * a));
    o[15] = packDouble2x32(uvec2(0, 0x40080000));
}
