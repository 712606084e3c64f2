#version 450
// A fence before the barrier and none after it.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    data[l] = l;
    memoryBarrierBuffer();
    barrier();
    result[l] = data[7 - l];
}
