#version 450
// Some threads count atomically, one reads the counter plainly.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint count;

void main() {
    uint l = gl_LocalInvocationID.x;
    if (l == 0) {
        count = 0;
    }
    barrier();
    if (l < 4) {
        atomicAdd(count, 1u);
    }
    if (l == 7) {
        result[0] = count;
    }
}
