#version 450
// Compile: glslangValidator -V --target-env vulkan1.1

// Copies the samples of a multisampled image to a buffer, or (fill) from one:
// Vulkan has no command for it. The image is seen as one of unsigned integers
// as large as its texels, so that bits stay as they are; its format stands
// for any such in samples.spvasm. The buffer holds texels in the order of a
// launch image's Data: layers, rows, columns, samples. Each thread has one
// word of it, or one texel if that is larger.
layout(local_size_x = 64) in;

layout(constant_id = 0) const bool fill = false;
layout(constant_id = 1) const uint texelsPerWord = 1;
layout(constant_id = 2) const uint wordsPerTexel = 1;

layout(set = 0, binding = 0, rgba32ui) uniform uimage2DMSArray image;
layout(set = 0, binding = 1) buffer Words { uint words[]; };
layout(push_constant) uniform Push { uint width, height, samples, texels; };

void main() {
    uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 64 + gl_LocalInvocationIndex;
    uint bits = 32 / texelsPerWord;
    uint mask = texelsPerWord == 1 ? 0xffffffffu : (1u << (bits & 31)) - 1;
    uint word = 0;
    for (uint k = 0; k < texelsPerWord; k++) {
        uint texel = i * texelsPerWord + k;
        if (texel >= texels)
            break;
        int n = int(texel % samples);
        uint at = texel / samples;
        ivec3 place = ivec3(at % width, at / width % height, at / (width * height));
        if (fill) {
            uvec4 v = uvec4(words[i * wordsPerTexel] >> k * bits & mask, 0, 0, 0);
            for (uint c = 1; c < wordsPerTexel; c++)
                v[c] = words[i * wordsPerTexel + c];
            imageStore(image, place, n, v);
        } else {
            uvec4 v = imageLoad(image, place, n);
            word |= (v.x & mask) << k * bits;
            for (uint c = 1; c < wordsPerTexel; c++)
                words[i * wordsPerTexel + c] = v[c];
        }
    }
    if (!fill && i * texelsPerWord < texels)
        words[i * wordsPerTexel] = word;
}
