#version 450
// Threads of two tiles read the same words.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    result[gl_GlobalInvocationID.x] = data[0] + data[1];
}
