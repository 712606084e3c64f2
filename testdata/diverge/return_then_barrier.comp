#version 450
// A divergent return inside a callee is harmless to a barrier after the
// call: the threads rejoin when the call returns.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer Choice { uint choice[]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };

shared uint seen[8];

uint early(uint c) {
    if (c == 1) {
        return 100;
    }
    return 200;
}

void main() {
    uint g = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationID.x;
    seen[l] = early(choice[g]);
    barrier();
    result[g] = seen[7 - l];
}
