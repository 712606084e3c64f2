#version 450
// A fence after the barrier and none before it.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    data[l] = l;
    barrier();
    memoryBarrierBuffer();
    result[l] = data[7 - l];
}
