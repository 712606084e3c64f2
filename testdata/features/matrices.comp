#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { mat2x3 a; mat3x2 b; vec2 x; vec3 y; };
layout(set = 0, binding = 1) buffer Out { float o[]; };

void main() {
    int n = 0;
    mat2 p = b * a;
    for (int c = 0; c < 2; c++)
        for (int r = 0; r < 2; r++)
            o[n++] = p[c][r];
    vec3 ax = a * x;
    vec2 ya = y * a;
    o[n++] = ax.x; o[n++] = ax.y; o[n++] = ax.z;
    o[n++] = ya.x; o[n++] = ya.y;
    mat3x2 t = transpose(a);
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 2; r++)
            o[n++] = t[c][r];
    mat2x3 s = a * 2.0 + a - matrixCompMult(a, a);
    for (int c = 0; c < 2; c++)
        for (int r = 0; r < 3; r++)
            o[n++] = s[c][r];
    mat2x3 q = outerProduct(y, x);
    for (int c = 0; c < 2; c++)
        for (int r = 0; r < 3; r++)
            o[n++] = q[c][r];
    mat3 m = mat3(2.0, 0.0, 0.0, 1.0, 4.0, 0.0, 0.0, 3.0, x.x);
    o[n++] = determinant(m);
    mat3 k = inverse(mat3(0.0, 4.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, x.x));
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            o[n++] = k[c][r];
    mat4 h = mat4(2.0);
    h[3] = vec4(1.0, 2.0, 3.0, x.x);
    o[n++] = determinant(h);
    o[n++] = determinant(mat2(x.x, 2.0, 3.0, 4.0));
    mat2 j = inverse(mat2(0.0, 2.0, x.x, 0.0));
    o[n++] = j[0][1];
    o[n++] = j[1][0];
}
