#version 450
// Every thread takes a token that no one puts there: an exchange of 0 for 0.
layout(local_size_x = 4) in;
shared uint token;
layout(set = 0, binding = 0) buffer Out { uint result[8]; };

void main() {
    if (gl_LocalInvocationID.x == 0) {
        atomicExchange(token, 0);
    }
    barrier();
    bool done = false;
    while (!done) {
        if (atomicExchange(token, 0) != 0) {
            done = true;
        }
    }
    atomicAdd(result[0], 1);
}
