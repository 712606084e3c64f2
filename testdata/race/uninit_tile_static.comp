#version 450
// The last word of the tile is read, and no one wrote it.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint s[9];

void main() {
    uint l = gl_LocalInvocationID.x;
    s[l] = l;
    barrier();
    result[l] = s[l + 1];
}
