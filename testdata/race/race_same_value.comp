#version 450
// All threads of the tile raise one flag.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared uint raised;

void main() {
    uint l = gl_LocalInvocationID.x;
    raised = 1;
    barrier();
    result[l] = raised;
}
