#version 450
// A lane reads what its neighbour in the warp wrote one instruction before.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint s[4];

void main() {
    uint l = gl_LocalInvocationID.x;
    s[l] = l;
    result[l] = s[3 - l];
}
