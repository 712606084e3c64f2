#version 450
// Compile: glslangValidator -V --target-env vulkan1.2
// out = out * FACTOR + in + k
layout(local_size_x = 64) in;
layout(constant_id = 7) const uint FACTOR = 1;
layout(set = 0, binding = 0) readonly buffer In { uint from[]; };
layout(set = 0, binding = 1) buffer Out { uint to[]; };
layout(push_constant) uniform Push { uint n, k; };
void main() {
	uint i = gl_GlobalInvocationID.x;
	if (i < n)
		to[i] = to[i] * FACTOR + from[i] + k;
}
