#version 450
// The barrier after the reads is missing: the next round overwrites what others
// still read (WAR).
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint s[8];

void main() {
    uint l = gl_LocalInvocationID.x;
    uint sum = 0;
    for (uint i = 0; i < 2; i++) {
        s[l] = l + i;
        barrier();
        sum += s[7 - l];
    }
    result[l] = sum;
}
