#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform samplerBuffer colours;
layout(set = 0, binding = 1) uniform usamplerBuffer words;
layout(set = 0, binding = 2, r32ui) uniform uimageBuffer target;
layout(set = 0, binding = 3) buffer Out { float o[]; };

void main() {
    int i = int(gl_LocalInvocationID.x);
    vec4 c = texelFetch(colours, i & 1) * 255.0;
    o[i] = c.x + c.y * 2.0 + c.z * 3.0 + c.w * 4.0;
    o[4 + i] = float(texelFetch(words, 3 - i).x);
    o[8 + i] = float(textureSize(colours) * 100 + textureSize(words) * 10 + imageSize(target));
    uint was = imageLoad(target, i).x;
    imageStore(target, i, uvec4(was * 2));
    imageAtomicAdd(target, 4, uint(i));
}
