#version 450
// An integer is divided by a number that is zero in one thread.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = 100u / (l + data[l] - 6u);
}
