#version 450
// Reads what the dispatch before left.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer From { uint from[4]; };
layout(set = 0, binding = 1) buffer To { uint to[4]; };

void main() {
    to[gl_LocalInvocationID.x] = from[gl_LocalInvocationID.x];
}
