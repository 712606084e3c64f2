#version 450
// Tiles that hand a turn round by a flag in the buffer, three times.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Turn { uint turn; uint log_[7]; };

void main() {
    uint me = gl_WorkGroupID.x;
    for (uint round = 0; round < 3; round++) {
        bool mine = false;
        while (!mine) {
            mine = atomicCompSwap(turn, 3 * round + me, 100) == 3 * round + me;
        }
        atomicAdd(log_[me], round);
        atomicExchange(turn, 3 * round + me + 1);
    }
}
