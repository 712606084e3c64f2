#version 450
// Every tile leaves its number; the last one's stays.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Last { uint last[4]; };

void main() {
    atomicExchange(last[1], gl_WorkGroupID.x);
}
