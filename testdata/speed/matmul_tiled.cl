// The kernel of matmul_tiled.comp in OpenCL C.
#define TS 16

kernel void matmul_tiled(global const float *a, global const float *b, global float *c, int n) {
    local float locA[TS][TS];
    local float locB[TS][TS];
    int row = get_local_id(1);
    int col = get_local_id(0);
    int globalRow = get_global_id(1);
    int globalCol = get_global_id(0);
    float sum = 0.0f;
    for (int i = 0; i < n; i += TS) {
        locA[row][col] = a[globalRow * n + i + col];
        locB[row][col] = b[(i + row) * n + globalCol];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TS; k++) {
            sum += locA[row][k] * locB[k][col];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[globalRow * n + globalCol] = sum;
}
