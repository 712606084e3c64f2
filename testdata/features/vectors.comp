#version 450
// Compile: glslangValidator -V -gVS --target-env vulkan1.2; spirv-opt -O
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { vec4 v; ivec4 w; };
layout(set = 0, binding = 1) buffer Out { vec4 o[]; };

void main() {
    uint i = gl_LocalInvocationID.x;
    vec4 t = v.wzyx;
    t[i] = 10.0;
    o[i] = t;
    o[4 + i] = vec4(v[i], v.yx, float(w[3 - i]));
    o[8 + i] = mix(v, vec4(w), bvec4(i == 0, i != 0, i > 1, i < 2));
    o[12 + i] = vec4(lessThan(v, vec4(2.5))) + vec4(any(greaterThan(w, ivec4(i * 10 + 5)))) + 10.0 * vec4(all(greaterThan(w, ivec4(i * 10 + 5))));
}
