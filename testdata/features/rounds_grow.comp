#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Params { uint add; };

shared uint seen[8];

// Each value becomes its right neighbour's of the tile, plus add.
void main() {
    uint l = gl_LocalInvocationID.x;
    uint g = gl_GlobalInvocationID.x;
    seen[l] = values[g];
    barrier();
    uint next = seen[(l + 1) % 8] + add;
    values[g] = next;
}
