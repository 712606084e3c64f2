#version 450
// The end of a reduction as it was written for warps of 32: no barriers.
layout(local_size_x = 32) in;
shared uint s[64];
layout(set = 0, binding = 0) buffer Data { uint data[64]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    s[l] = data[l];
    s[l + 32] = data[l + 32];
    s[l] += s[l + 16];
    s[l] += s[l + 8];
    s[l] += s[l + 4];
    s[l] += s[l + 2];
    s[l] += s[l + 1];
    if (l == 0) {
        data[0] = s[0];
    }
}
