#version 450
// One tile copies a struct whole; the other writes a word of its padding, through
// another binding with another layout.
layout(local_size_x = 1) in;
struct Part { float a; vec3 p; };
layout(set = 0, binding = 0) buffer Parts { Part part[]; };
layout(set = 0, binding = 1) buffer Words { float word[]; };

void main() {
    if (gl_WorkGroupID.x == 0) {
        part[1] = part[0];
    } else {
        word[10] = 5.0;
    }
}
