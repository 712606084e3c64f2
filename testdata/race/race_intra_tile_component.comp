#version 450
// One thread stores a component, one of the other warp loads the vector.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

shared vec4 v;

void main() {
    uint l = gl_LocalInvocationID.x;
    if (l == 0) {
        v = vec4(0);
    }
    barrier();
    if (l == 0) {
        v.y = 1.0;
    }
    if (l == 4) {
        result[0] = uint(dot(v, vec4(1)));
    }
}
