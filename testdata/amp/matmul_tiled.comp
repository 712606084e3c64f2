#version 450
// Tiled matrix multiplication: each tile stages 16x16 blocks of A and B in
// tile_static memory. All extents are multiples of 16.
const int TS = 16;
layout(local_size_x = TS, local_size_y = TS) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Args { int inner; int cols; };

shared float locA[TS][TS];
shared float locB[TS][TS];

void main() {
    int row = int(gl_LocalInvocationID.y);
    int col = int(gl_LocalInvocationID.x);
    int globalRow = int(gl_GlobalInvocationID.y);
    int globalCol = int(gl_GlobalInvocationID.x);
    float sum = 0.0;
    for (int i = 0; i < inner; i += TS) {
        locA[row][col] = a[globalRow * inner + i + col];
        locB[row][col] = b[(i + row) * cols + globalCol];
        barrier();
        for (int k = 0; k < TS; k++) {
            sum += locA[row][k] * locB[k][col];
        }
        barrier();
    }
    c[globalRow * cols + globalCol] = sum;
}
