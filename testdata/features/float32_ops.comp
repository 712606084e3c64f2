#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { float a; float b; float c; float big; };
layout(set = 0, binding = 1) buffer Out { float o[]; };
layout(set = 0, binding = 2) buffer OutBits { uint u[]; };

void main() {
    precise float third = a / 3.0;
    o[0] = a + b;
    o[1] = a - b;
    o[2] = a * b;
    o[3] = a / b;
    o[4] = -a;
    o[5] = mod(a, b);
    o[6] = mod(a, c);
    o[7] = float(int(c)) + float(uint(a));
    o[8] = float(0x7fffffff);
    o[9] = float(0xffffffffu);
    o[10] = intBitsToFloat(0x40490fdb) - 3.0;
    o[11] = dot(vec3(a, b, c), vec3(2.0, 4.0, 8.0));
    vec3 x = cross(vec3(1.0, 2.0, 3.0), vec3(a, b, c));
    o[12] = x.x;
    o[13] = x.y;
    o[14] = x.z;
    o[15] = (vec2(a, b) * 3.0).y;
    u[0] = floatBitsToUint(third);
    u[1] = floatBitsToUint(a / (b - 2.25));
    u[2] = floatBitsToUint(big * big);
    u[3] = uint(isinf(-big * big)) + 2 * uint(isnan(uintBitsToFloat(0x7fc00000u + uint(a)))) + 4 * uint(isnan(a)) + 8 * uint(isinf(a));
    u[4] = uint(a < b) + 2 * uint(a <= b) + 4 * uint(a == b) + 8 * uint(a != b) + 16 * uint(a > b) + 32 * uint(a >= b);
    u[5] = uint(a);
}
