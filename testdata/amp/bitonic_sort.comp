#version 450
// One step of a bitonic sorting network: compares the elements i and i^j of
// every bitonic sequence of length k.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Keys { uint keys[]; };
layout(set = 0, binding = 1) readonly buffer Step { uint k; uint j; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint partner = i ^ j;
    if (partner > i) {
        uint a = keys[i];
        uint b = keys[partner];
        bool ascending = (i & k) == 0;
        if ((a > b) == ascending) {
            keys[i] = b;
            keys[partner] = a;
        }
    }
}
