#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, set = 0, binding = 0) readonly buffer A { float a[]; };
layout(std430, set = 0, binding = 1) readonly buffer B { float b[]; };
layout(std430, set = 0, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Size { uint n; };
shared float ta[16][16], tb[16][16];

void main() {
	uvec2 g = gl_GlobalInvocationID.xy, l = gl_LocalInvocationID.xy;
	float sum = 0.0;
	for (uint t = 0; t < n; t += 16) {
		ta[l.y][l.x] = a[g.y * n + t + l.x];
		tb[l.y][l.x] = b[(t + l.y) * n + g.x];
		barrier();
		for (uint k = 0; k < 16; k++)
			sum = fma(ta[l.y][k], tb[k][l.x], sum);
		barrier();
	}
	c[g.y * n + g.x] = sum;
}
