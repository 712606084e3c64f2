#version 450
// The last thread writes behind the buffer.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    result[gl_GlobalInvocationID.x + 9] = 1;
}
