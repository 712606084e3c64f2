#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 4) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint value; uint pad; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint w; };
layout(set = 0, binding = 0) readonly buffer Roots { Node first; uint64_t words; };
layout(set = 0, binding = 1) buffer Out { uint o[8]; };

void main() {
    uint i = gl_LocalInvocationID.x;
    Node n = first;
    for (uint k = 0; k < i; k++) {
        n = n.next;
    }
    o[i] = n.value;
    Word w = Word(words + uint64_t(4 * i));
    o[4 + i] = w.w + uint(uint64_t(w) - words) + w[1].w * 100;
    atomicAdd(w[6].w, 1000);
}
