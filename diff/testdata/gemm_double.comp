// o = a b in double precision, a of 16x64, b of 64x16.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 3) buffer Out { double o[]; };

void main() {
    uint col = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    double sum = 0, third = 1.0LF / 3.0LF;
    for (uint k = 0; k < 64; k++)
        sum += double(a[row * 64 + k]) * third * double(b[k * 16 + col]);
    o[row * 16 + col] = sum;
}
