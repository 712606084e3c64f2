#version 450
#extension GL_EXT_control_flow_attributes : enable
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) buffer In { uvec4 x[]; };
layout(std430, set = 0, binding = 1) buffer Out { uint histogram[256]; };
shared uint local[256];

void main() {
	uint t = gl_LocalInvocationIndex;
	local[t] = 0u;
	barrier();
	uvec4 v = x[gl_GlobalInvocationID.x];
	[[unroll]] for (int i = 0; i < 4; i++) {
		atomicAdd(local[v[i] & 255u], 1u);
		atomicMax(local[bitfieldExtract(v[i], 8, 8)], uint(findMSB(v[i])));
		atomicCompSwap(local[bitfieldReverse(v[i]) & 255u], 0u, 1u);
	}
	uint carry, low, high;
	umulExtended(v.x, v.y, high, low);
	local[0] += uaddCarry(v.x, v.y, carry) + carry + low + high;
	int e;
	float m = frexp(uintBitsToFloat(v.w), e);
	barrier();
	groupMemoryBarrier();
	atomicAdd(histogram[t], local[t] + uint(ldexp(m, e)) + uint(isnan(m)) + uint(isinf(m)));
}
