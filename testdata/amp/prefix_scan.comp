#version 450
// Inclusive prefix sum within each tile of 64 (Hillis and Steele, two buffers),
// and every tile's total.
const uint TS = 64;
layout(local_size_x = TS) in;
layout(set = 0, binding = 0) readonly buffer In { uint values[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint scanned[]; };
layout(set = 0, binding = 2) writeonly buffer Totals { uint totals[]; };

shared uint ping[2][TS];

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint local = gl_LocalInvocationID.x;
    uint from = 0;
    ping[0][local] = i < values.length() ? values[i] : 0;
    barrier();
    for (uint d = 1; d < TS; d *= 2) {
        uint v = ping[from][local];
        if (local >= d) {
            v += ping[from][local - d];
        }
        from = 1 - from;
        ping[from][local] = v;
        barrier();
    }
    if (i < scanned.length()) {
        scanned[i] = ping[from][local];
    }
    if (local == TS - 1) {
        totals[gl_WorkGroupID.x] = ping[from][local];
    }
}
