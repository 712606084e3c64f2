#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) buffer Data { int64_t wide[]; };
layout(std430, set = 0, binding = 1) buffer Out { int small[]; };

int classify(int64_t v) {
	if (v == 0x7fffffffffffffffL) return 3;
	switch (int(v & 7L)) {
	case -2147483648: return 5;
	case 0: return 1;
	case 1:
	case 2: return 2;
	case 5: break;
	default: return int(v % 3L);
	}
	return -1;
}

void main() {
	uint i = gl_GlobalInvocationID.x;
	small[i] = classify(wide[i]) + int(int8_t(-5)) + int(uint16_t(65535us));
}
