#version 450
// Memory that no one wrote is loaded and not used for anything.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint s[16];

void main() {
    uint l = gl_LocalInvocationID.x;
    s[l] = l;
    barrier();
    uint next = s[l + 1];
    uint sum = 1;
    if (l < 7) {
        sum += next;
    }
    result[l] = sum;
}
