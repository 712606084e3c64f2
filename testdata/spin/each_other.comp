#version 450
// Two threads, each of which waits for the other before it gives its sign.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Signs { uint sign_[2]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    if (l == 0) {
        while (atomicOr(sign_[1], 0) == 0) {
        }
        atomicExchange(sign_[0], 1);
    }
    if (l == 7) {
        while (atomicOr(sign_[0], 0) == 0) {
        }
        atomicExchange(sign_[1], 1);
    }
}
