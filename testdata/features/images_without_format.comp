#version 450
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform readonly image2D source;
layout(set = 0, binding = 1) uniform writeonly uimage2D target;

void main() {
    ivec2 p = ivec2(gl_LocalInvocationID.x, 0);
    vec4 v = imageLoad(source, p) * 255.0 + 0.5;
    imageStore(target, p, uvec4(v) + uvec4(1, 0, 0, 1));
}
