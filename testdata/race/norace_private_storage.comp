#version 450
// Arrays in function and private storage belong to their thread.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

uint p[4];

void main() {
    uint l = gl_LocalInvocationID.x;
    uint f[4];
    for (uint i = 0; i < 4; i++) {
        p[i] = l;
        f[i] = i;
    }
    result[l] = p[l & 3u] + f[l & 3u];
}
