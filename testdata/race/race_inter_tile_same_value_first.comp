#version 450
// The second tile writes the same value first and a different one later, in one
// interval: the first write must not hide the second.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
    result[0] = 1; if (gl_WorkGroupID.x == 1) { result[0] = 2; }
}
