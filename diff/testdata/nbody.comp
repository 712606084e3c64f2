// One step of 128 bodies: places in a, velocities in b, four numbers each.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 1) readonly buffer B { vec4 b[]; };
layout(set = 0, binding = 3) buffer Out { vec4 o[]; };
shared vec4 s[32];

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec3 at = a[i].xyz, force = vec3(0);
    for (uint t = 0; t < 128; t += 32) {
        s[gl_LocalInvocationID.x] = a[t + gl_LocalInvocationID.x];
        barrier();
        for (uint k = 0; k < 32; k++) {
            vec3 d = s[k].xyz - at;
            float r = inversesqrt(dot(d, d) + 0.01);
            force += d * (abs(s[k].w) * r * r * r);
        }
        barrier();
    }
    vec3 v = (b[i].xyz + force * 0.01) * 0.995;
    o[2 * i] = vec4(at + v * 0.01, a[i].w);
    o[2 * i + 1] = vec4(v, 0);
}
