#version 450
// Matrix transpose through tile_static memory; both extents are multiples of 16.
const uint TS = 16;
layout(local_size_x = TS, local_size_y = TS) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint target[]; };
layout(push_constant) uniform Args { uint rows; uint cols; };

shared uint block[TS][TS];

void main() {
    uint row = gl_LocalInvocationID.y;
    uint col = gl_LocalInvocationID.x;
    block[col][row] = source[gl_GlobalInvocationID.y * cols + gl_GlobalInvocationID.x];
    barrier();
    uint targetRow = gl_WorkGroupID.x * TS + row;
    uint targetCol = gl_WorkGroupID.y * TS + col;
    target[targetRow * rows + targetCol] = block[row][col];
}
