#version 450
// One step of an all-pairs N-body simulation; positions are staged tile by
// tile. w holds the mass. The number of bodies is a multiple of the tile's.
const uint TS = 32;
layout(local_size_x = TS) in;
layout(set = 0, binding = 0) readonly buffer OldPos { vec4 oldPos[]; };
layout(set = 0, binding = 1) writeonly buffer NewPos { vec4 newPos[]; };
layout(set = 0, binding = 2) buffer Vel { vec4 velocity[]; };
layout(push_constant) uniform Args { float dt; float softening; };

shared vec4 staged[TS];

vec3 attraction(vec4 other, vec3 position) {
    vec3 r = other.xyz - position;
    float inv = inversesqrt(dot(r, r) + softening);
    return r * (other.w * inv * inv * inv);
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint local = gl_LocalInvocationID.x;
    vec4 position = oldPos[i];
    vec3 acceleration = vec3(0.0);
    for (uint tile = 0; tile < gl_NumWorkGroups.x; tile++) {
        staged[local] = oldPos[tile * TS + local];
        barrier();
        for (uint k = 0; k < TS; k++) {
            acceleration += attraction(staged[k], position.xyz);
        }
        barrier();
    }
    vec3 v = velocity[i].xyz + acceleration * dt;
    velocity[i] = vec4(v, 0.0);
    newPos[i] = vec4(position.xyz + v * dt, position.w);
}
