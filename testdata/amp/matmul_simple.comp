#version 450
// One thread per element of the product: C (rows x cols) = A (rows x inner) * B.
layout(local_size_x = 3, local_size_y = 3) in;
layout(set = 0, binding = 0) readonly buffer A { int a[]; };
layout(set = 0, binding = 1) readonly buffer B { int b[]; };
layout(set = 0, binding = 2) writeonly buffer C { int c[]; };
layout(push_constant) uniform Args { int inner; int cols; };

void main() {
    int row = int(gl_GlobalInvocationID.y);
    int col = int(gl_GlobalInvocationID.x);
    int sum = 0;
    for (int k = 0; k < inner; k++) {
        sum += a[row * inner + k] * b[k * cols + col];
    }
    c[row * cols + col] = sum;
}
