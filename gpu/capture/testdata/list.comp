#version 450
// Compile: glslangValidator -V --target-env vulkan1.2
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Goes down a list of buffers and adds 1 to the number in each.
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { Node next; uint number; };
layout(push_constant) uniform Push { Node first; uint n; };
void main() {
	Node at = first;
	for (uint i = 0; i < n; i++) {
		at.number += 1;
		at = at.next;
	}
}
