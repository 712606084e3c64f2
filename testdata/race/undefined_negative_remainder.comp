#version 450
// The remainder of a negative number.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) coherent buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = uint((int(l) - 6) % int(data[l]));
}
