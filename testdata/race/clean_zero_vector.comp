#version 450
// Directions of vectors that are not zero.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { float result[]; };
layout(set = 0, binding = 1) buffer Data { float data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    vec3 direction = normalize(vec3(data[l], 0.0, 0.0));
    result[l] = mix(direction.x, 0.0, data[l] == 0.0);
}
