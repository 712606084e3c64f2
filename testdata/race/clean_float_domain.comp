#version 450
// Functions at the ends of their domains; roots of negative numbers that a select leaves aside.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    float x = data[l];
    float root = sqrt(1.0 - x * x);
    root = mix(root, 0.0, x > 1.0);
    result[l] = root + sqrt(0.0) + asin(0.0) + pow(0.0, 1.0) + atan(0.0, 1.0) + acosh(1.0) + mod(x, 1.0) * 0.0;
}
