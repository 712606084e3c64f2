#version 450
// All lanes of one warp store to the same word in one instruction.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint last;

void main() {
    uint l = gl_LocalInvocationID.x;
    last = l;
    barrier();
    result[l] = last;
}
