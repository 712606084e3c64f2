#version 450
// Every tile writes the same word, each another value.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    result[0] = gl_WorkGroupID.x;
}
