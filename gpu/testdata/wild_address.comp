#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

// Reads or writes a word at an address that is no buffer's.

layout(local_size_x = 4) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint value; };

layout(set = 0, binding = 0) buffer B {
    uvec2 address;
    uint writes;
    uint found;
} b;

void main() {
    Word w = Word(b.address);
    if (b.writes != 0)
        w.value = 7;
    else
        b.found = w.value;
}
