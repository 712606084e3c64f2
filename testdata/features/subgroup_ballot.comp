#version 450
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };

void main() {
    uint i = gl_LocalInvocationID.x;
    uint n = i;
    uvec4 odd = subgroupBallot((i & 1) == 1);
    o[n] = odd.x + 1000 * (odd.y + odd.z + odd.w); n += 8;
    o[n] = subgroupBroadcast(i * 10, 2); n += 8;
    o[n] = subgroupBroadcastFirst(i + 5); n += 8;
    o[n] = uint(subgroupInverseBallot(uvec4(5, 0, 0, 0))); n += 8;
    o[n] = uint(subgroupBallotBitExtract(odd, i % 4)); n += 8;
    o[n] = subgroupBallotBitCount(odd) * 100 + subgroupBallotInclusiveBitCount(odd) * 10 + subgroupBallotExclusiveBitCount(odd); n += 8;
    o[n] = subgroupBallotFindLSB(odd) * 10 + subgroupBallotFindMSB(odd); n += 8;
    o[n] = gl_SubgroupEqMask.x; n += 8;
    o[n] = gl_SubgroupGeMask.x * 1000 + gl_SubgroupGtMask.x; n += 8;
    o[n] = gl_SubgroupLeMask.x * 1000 + gl_SubgroupLtMask.x; n += 8;
    if ((i & 1) == 1) {
        o[n] = subgroupBallot(true).x * 100 + subgroupBroadcastFirst(i);
    }
}
