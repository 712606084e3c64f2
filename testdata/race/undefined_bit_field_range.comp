#version 450
// A bit field that reaches past its base.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = bitfieldExtract(0xabcd1234u, 24, int(data[l]));
}
