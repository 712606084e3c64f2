#version 450
// Matrix transpose with an extent padded up to whole tiles: reads and writes
// outside the matrix are guarded.
const uint TS = 16;
layout(local_size_x = TS, local_size_y = TS) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint target[]; };
layout(push_constant) uniform Args { uint rows; uint cols; };

shared uint block[TS][TS];

uint guardedRead(uint row, uint col) {
    return row < rows && col < cols ? source[row * cols + col] : 0u;
}

void guardedWrite(uint row, uint col, uint value) {
    if (row < cols && col < rows) {
        target[row * rows + col] = value;
    }
}

void main() {
    uint row = gl_LocalInvocationID.y;
    uint col = gl_LocalInvocationID.x;
    block[col][row] = guardedRead(gl_GlobalInvocationID.y, gl_GlobalInvocationID.x);
    barrier();
    guardedWrite(gl_WorkGroupID.x * TS + row, gl_WorkGroupID.y * TS + col, block[row][col]);
}
