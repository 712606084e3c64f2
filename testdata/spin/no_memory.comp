#version 450
// A loop that reads nothing and changes nothing, behind a condition.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { uint data[8]; };

void main() {
    uint x = data[gl_LocalInvocationID.x];
    while (x == 0) {
    }
}
