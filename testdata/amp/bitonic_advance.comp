#version 450
// Moves the sorting network on to its next step.
layout(local_size_x = 1) in;
layout(set = 0, binding = 1) buffer Step { uint k; uint j; };

void main() {
    if (j > 1) {
        j /= 2;
    } else {
        j = k;
        k *= 2;
    }
}
