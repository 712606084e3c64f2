#version 450
// 256-bin histogram of bytes packed four to a word: each tile counts in
// tile_static memory with atomics, then adds its counts to the buffer.
const uint TS = 64;
const uint BINS = 256;
layout(local_size_x = TS) in;
layout(set = 0, binding = 0) readonly buffer In { uint words[]; };
layout(set = 0, binding = 1) buffer Out { uint bins[BINS]; };

shared uint counts[BINS];

void main() {
    uint local = gl_LocalInvocationID.x;
    for (uint b = local; b < BINS; b += TS) {
        counts[b] = 0;
    }
    barrier();
    uint word = words[gl_GlobalInvocationID.x];
    for (uint k = 0; k < 4; k++) {
        atomicAdd(counts[bitfieldExtract(word, int(8 * k), 8)], 1);
    }
    barrier();
    for (uint b = local; b < BINS; b += TS) {
        if (counts[b] != 0) {
            atomicAdd(bins[b], counts[b]);
        }
    }
}
