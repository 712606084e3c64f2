#version 450
// Compile: glslangValidator -V --target-env vulkan1.2
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform usamplerBuffer from;
layout(set = 0, binding = 1, r32ui) uniform uimageBuffer to;
layout(set = 0, binding = 2) uniform Block { uvec4 k; };
void main() {
	int i = int(gl_GlobalInvocationID.x);
	imageStore(to, i, imageLoad(to, i) + texelFetch(from, i) + k.z);
}
