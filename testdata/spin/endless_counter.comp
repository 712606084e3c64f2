#version 450
// A spin loop that counts its rounds: its state never comes again, so only a
// budget ends it.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Flag { uint flag; uint rounds; };

void main() {
    uint n = 0;
    while (atomicOr(flag, 0) == 0) {
        n++;
    }
    atomicAdd(rounds, n);
}
