#version 450
// The third tile reads what two tiles wrote with atomics, one over the other.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Data { uint data; };

void main() {
    uint tile = gl_WorkGroupID.x;
    if (tile == 0) {
        barrier();
        atomicExchange(data, 5);
    } else if (tile == 1) {
        atomicExchange(data, 6);
    } else {
        result[0] = data;
    }
}
