#version 450
layout(local_size_x = 1) in;
layout(constant_id = 1) const int N = 3;
layout(constant_id = 2) const uint U = 10;
layout(constant_id = 3) const float F = 1.5;
layout(constant_id = 4) const bool B = false;
layout(constant_id = 5) const double D = 0.25LF;
const int twice = N * 2 + (B ? 100 : 0);
const uint mixed = (U << 2) ^ (U >> 1) | 1u;
const ivec3 v = ivec3(N, twice, N - 7);
layout(set = 0, binding = 0) buffer Out { float o[]; };

void main() {
    int table[N];
    for (int i = 0; i < N; i++) {
        table[i] = i * i;
    }
    o[0] = float(N);
    o[1] = float(U);
    o[2] = F * 2.0;
    o[3] = B ? 1.0 : 0.0;
    o[4] = float(D);
    o[5] = float(twice);
    o[6] = float(mixed);
    o[7] = float(v.y * 100 + v.z);
    o[8] = float(table[N - 1]);
    o[9] = float(-N % 4 + int(U) / N);
}
