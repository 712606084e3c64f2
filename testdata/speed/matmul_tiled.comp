#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.1; spirv-opt -O
// Square matrix multiplication through 16x16 blocks in tile_static memory.
const int TS = 16;
layout(local_size_x = TS, local_size_y = TS) in;
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Args { int n; };

shared float locA[TS][TS];
shared float locB[TS][TS];

void main() {
    int row = int(gl_LocalInvocationID.y);
    int col = int(gl_LocalInvocationID.x);
    int globalRow = int(gl_GlobalInvocationID.y);
    int globalCol = int(gl_GlobalInvocationID.x);
    float sum = 0.0;
    for (int i = 0; i < n; i += TS) {
        locA[row][col] = a[globalRow * n + i + col];
        locB[row][col] = b[(i + row) * n + globalCol];
        barrier();
        for (int k = 0; k < TS; k++) {
            sum += locA[row][k] * locB[k][col];
        }
        barrier();
    }
    c[globalRow * n + globalCol] = sum;
}
