#version 450
// Each thread stores a component of its own.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared vec4 v;

void main() {
    uint l = gl_LocalInvocationID.x;
    if ((l & 1u) == 0) {
        v[l / 2] = float(l);
    }
    barrier();
    result[l] = uint(dot(v, vec4(1)));
}
