#version 450
// An index outside the row of a tile, inside the tile.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint s[4][4];

void main() {
    uint l = gl_LocalInvocationID.x;
    s[l >> 2][l & 3u] = l;
    s[2 + (l >> 2)][l & 3u] = l;
    barrier();
    result[l] = s[0][l];
}
