#version 450
// Compile: glslangValidator -V --target-env vulkan1.2
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(set = 0, binding = 1, r32f) uniform image2D to;
void main() {
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	imageStore(to, p, imageLoad(to, p) + texelFetch(from, p, 0) * 2);
}
