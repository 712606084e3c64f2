#version 450
// Compile: glslangValidator -V -g --target-env vulkan1.2
layout(local_size_x = 1) in;
struct Inner { vec3 v; float w; };
struct Item { Inner in0; float a[3]; mat2 m; };
layout(set = 0, binding = 0, std430) buffer In { Item source; };
layout(set = 0, binding = 1, std430) buffer Out { Item target; };
layout(set = 0, binding = 2, std140) uniform Uni { Item uni; };
layout(set = 0, binding = 3, std430) buffer Sum { Item sum; };

Item add(Item x, Item y) {
    x.in0.v += y.in0.v;
    x.in0.w += y.in0.w;
    for (int i = 0; i < 3; i++) {
        x.a[i] += y.a[i];
    }
    x.m += y.m;
    return x;
}

void main() {
    Item local = source;
    target = local;
    sum = add(local, uni);
}
