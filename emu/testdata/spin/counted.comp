#version 450
// Tiles that wait for the next one, or the one before, and count how long.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Flags { uint flag[4]; uint seen[4]; };

void main() {
    uint me = gl_WorkGroupID.x;
    uint other = me < 2 ? me + 2 : me; // 0 and 1 wait for 2 and 3
    if (me >= 2) {
        atomicExchange(flag[me], 1);
        uint rounds = 0;
        while (me == 3 && atomicOr(flag[0], 0) == 0) {
            rounds++;
        }
        seen[me] = rounds >= 0u ? 1 : 0;
        return;
    }
    atomicExchange(flag[me], 1);
    uint rounds = 0;
    while (atomicOr(flag[other], 0) == 0) {
        rounds += 3;
    }
    seen[me] = rounds >= 0u ? 1 : 0;
}
