#version 450
#extension GL_EXT_debug_printf : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer Copied { uint copied[]; };
layout(set = 0, binding = 1) buffer Sums { uint total; uint rounds; };
layout(set = 0, binding = 2) buffer Step { uint step; };

// Sums up all values, and makes the next round add one more to each.
void main() {
    uint g = gl_GlobalInvocationID.x;
    atomicAdd(total, copied[g]);
    if (g == 0) {
        debugPrintfEXT("the first is %u", copied[0]);
        step += 1;
        rounds += 1;
    }
}
