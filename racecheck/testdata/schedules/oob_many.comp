#version 450
// One thread writes past the end of an array, from element 8 to 11.
layout(local_size_x = 4) in;
shared uint s[8];
layout(set = 0, binding = 0) buffer Out { uint result[4]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    if (l == 0) {
        for (uint i = 0; i < 12; i++) {
            s[i] = i;
        }
    }
    barrier();
    result[l] = s[l];
}
