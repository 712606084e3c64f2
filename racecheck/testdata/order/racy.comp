#version 450
// What differs does so by a race, which is told instead.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Last { uint last[4]; };

void main() {
    last[1] = gl_WorkGroupID.x;
}
