#version 450
// Threads of one warp read what those of the other wrote; no barrier.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint s[8];

void main() {
    uint l = gl_LocalInvocationID.x;
    s[l] = l;
    result[l] = s[7 - l];
}
