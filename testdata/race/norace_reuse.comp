#version 450
// Double buffering: each round has a barrier after its writes, and writes where no
// one reads any more.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint s[2][8];

void main() {
    uint l = gl_LocalInvocationID.x;
    uint sum = 0;
    for (uint i = 0; i < 4; i++) {
        s[i & 1u][l] = l + i;
        barrier();
        sum += s[i & 1u][7 - l];
    }
    result[l] = sum;
}
