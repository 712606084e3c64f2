#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.3
#extension GL_EXT_null_initializer : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { uint o[]; };

struct Pair { uint a; float b; };
shared uint words[16] = {};
shared Pair pair = {};

void main() {
    uint i = gl_LocalInvocationID.x;
    o[gl_GlobalInvocationID.x] = words[i] + words[i + 8] + pair.a + uint(pair.b) + i;
    barrier();
    words[i] = 5;
    words[i + 8] = 6;
    if (i == 0) {
        pair.a = 7;
    }
}
