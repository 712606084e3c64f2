#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_16bit_storage : enable
layout(local_size_x_id = 7, local_size_y = 2) in;
layout(constant_id = 1) const float scale = 0.1;
layout(constant_id = 2) const int count = -3;
layout(constant_id = 3) const bool flag = true;
layout(constant_id = 4) const double big = 1e300;
const int total = count * 2 + 1;
layout(std430, set = 0, binding = 0) buffer H { f16vec4 h[]; };
layout(std430, set = 0, binding = 1) buffer D { dvec2 d[]; };

void main() {
	uint i = gl_GlobalInvocationID.x;
	h[i] = h[i] * float16_t(0.333) + f16vec4(1.0hf, 65504.0hf, 5.96e-8hf, -0.0hf);
	d[i] = d[i] * big + dvec2(1.0lf / 3.0lf, 4.9e-324lf);
	if (flag) h[i].x += float16_t(scale * float(total));
}
