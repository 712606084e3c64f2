#version 450
// Compile: glslangValidator -V --target-env vulkan1.2
// Counts for a long time.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint to[]; };
layout(push_constant) uniform Push { uint n; };
void main() {
	uint x = to[0];
	for (uint i = 0; i < n; i++)
		x = x * 1664525u + 1013904223u + to[i & 7];
	to[0] = x;
}
