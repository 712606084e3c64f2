#version 450
// A tile_static array that no instruction writes is read.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
shared uint sums[64];

void main() {
    if (gl_LocalInvocationID.x == 0) result[0] = sums[0];
}
