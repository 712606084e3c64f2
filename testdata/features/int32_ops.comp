#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { int a; int b; uint u; uint v; };
layout(set = 0, binding = 1) buffer OutInt { int oi[]; };
layout(set = 0, binding = 2) buffer OutUint { uint ou[]; };

void main() {
    oi[0] = a + b;
    oi[1] = a - b;
    oi[2] = a * b;
    oi[3] = a / b;
    oi[4] = -a;
    oi[5] = ~a;
    oi[6] = a >> 2;
    oi[7] = a << 3;
    oi[8] = a & b;
    oi[9] = a | b;
    oi[10] = a ^ b;
    oi[11] = int(a < b) + 2 * int(a <= b) + 4 * int(a == b) + 8 * int(a != b) + 16 * int(a > b) + 32 * int(a >= b);
    oi[12] = abs(a);
    oi[13] = sign(a);
    oi[14] = min(a, b);
    oi[15] = max(a, b);
    oi[16] = clamp(a, -50, b);
    oi[17] = bitfieldExtract(a, 4, 6);
    oi[18] = bitfieldInsert(a, b, 8, 4);
    oi[19] = findMSB(a);
    oi[20] = findLSB(a);
    oi[21] = bitCount(a);
    int hi, lo;
    imulExtended(a, int(u), hi, lo);
    oi[22] = hi;
    oi[23] = lo;

    ou[0] = u + v;
    ou[1] = v - u;
    ou[2] = u * v;
    ou[3] = u / v;
    ou[4] = u % v;
    ou[5] = u >> 4;
    ou[6] = uint(u < v) + 2 * uint(u <= v) + 4 * uint(u > v) + 8 * uint(u >= v);
    ou[7] = min(u, v);
    ou[8] = max(u, v);
    ou[9] = clamp(v, 1000u, u);
    ou[10] = bitfieldExtract(u, 28, 4);
    ou[11] = bitfieldReverse(v);
    ou[12] = findMSB(u);
    ou[13] = bitCount(u);
    uint carry, borrow, uhi, ulo;
    ou[14] = uaddCarry(u, v + u, carry);
    ou[15] = carry;
    ou[16] = usubBorrow(v, u, borrow);
    ou[17] = borrow;
    umulExtended(u, v, uhi, ulo);
    ou[18] = uhi;
    ou[19] = ulo;
}
