#version 450
// A loop that counts for ever: its state changes, so only a budget ends it.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Count { uint count; };

void main() {
    while (true) {
        atomicAdd(count, 1);
    }
}
