#version 450
// A tile reads what its neighbour writes.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    uint g = gl_GlobalInvocationID.x;
    data[g] = g;
    result[g] = data[(g + 8) % 16];
}
