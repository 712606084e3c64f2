#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform readonly image2D src;
layout(set = 0, binding = 1, r32ui) uniform coherent uimage2D dst;
layout(set = 0, binding = 2) uniform sampler2DArray tex[4];
layout(set = 0, binding = 3) uniform samplerBuffer texels;
layout(set = 0, binding = 4) uniform texture3D volume;
layout(set = 0, binding = 5) uniform sampler samp;

void main() {
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	vec4 c = imageLoad(src, p) + textureLod(tex[1], vec3(p, 0), 2.0);
	c += textureGrad(tex[p.x & 3], vec3(p, 1), vec2(0.5), vec2(0.25));
	c += texelFetch(texels, p.x) + textureLodOffset(sampler3D(volume, samp), vec3(0.5), 0.0, ivec3(1, -1, 2));
	c += textureGather(tex[0], vec3(p, 0), 1);
	imageAtomicAdd(dst, p, packUnorm4x8(c) + uint(imageSize(src).x + textureSize(tex[2], 0).z));
}
