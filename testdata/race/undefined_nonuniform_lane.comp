#version 450
// A broadcast whose lane is not the same for all.
// Compile: glslangValidator -V -g --target-env spirv1.5
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Data { uint data[]; };

void main() {
    uint l = gl_LocalInvocationID.x;
    result[l] = subgroupBroadcast(data[l], gl_SubgroupInvocationID / 2u);
}
