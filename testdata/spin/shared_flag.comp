#version 450
// A plain load of a tile_static flag, and a barrier that the others wait at.
layout(local_size_x = 8) in;
shared uint go;
layout(set = 0, binding = 0) buffer Out { uint result[8]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    if (l == 0) {
        go = 0;
    }
    barrier();
    if (l == 5) {
        while (go == 0) {
        }
    }
    barrier();
    result[l] = l;
}
