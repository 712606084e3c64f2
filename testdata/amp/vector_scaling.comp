#version 450
// Scales a vector in place. The extent is padded up to whole tiles, so threads
// past the end are guarded off.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(push_constant) uniform Args { float factor; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < data.length()) {
        data[i] *= factor;
    }
}
