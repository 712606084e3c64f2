#version 450
// Compile: glslangValidator -V --target-env vulkan1.2
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) uniform samplerCube from;
layout(set = 0, binding = 1, r32f) uniform image2DArray to;
void main() {
	ivec3 p = ivec3(gl_GlobalInvocationID);
	float side = textureLod(from, vec3(p.z == 0 ? 1 : 0, p.z == 1 ? 1 : 0, p.z == 2 ? 1 : 0), 0).x;
	imageStore(to, p, imageLoad(to, p) + side);
}
