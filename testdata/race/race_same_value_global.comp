#version 450
// All tiles raise one flag in a buffer.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    result[0] = 1;
}
