#version 450
layout(local_size_x = 1) in;
struct Inner { vec3 v; float w; };
layout(set = 0, binding = 0, std140) uniform Uni {
    float a[2];
    layout(row_major) mat2x3 r;
    mat2x3 c;
    vec3 v;
    float after;
    Inner inner[2];
};
struct Item { uint id; vec2 at; };
layout(set = 0, binding = 1, std430) buffer Items { uint head; Item items[]; };
layout(set = 0, binding = 2, std430) buffer Out { float o[]; };

void main() {
    o[0] = a[0] + a[1] * 10.0;
    o[1] = r[0].x + r[0].y * 10.0 + r[0].z * 100.0;
    o[2] = r[1].x + r[1].y * 10.0 + r[1].z * 100.0;
    o[3] = c[0].x + c[0].y * 10.0 + c[0].z * 100.0;
    o[4] = c[1].x + c[1].y * 10.0 + c[1].z * 100.0;
    o[5] = v.z * 10.0 + after;
    o[6] = inner[1].v.y * 10.0 + inner[1].w;
    o[7] = float(items.length()) * 100.0 + float(items[2].id) + items[2].at.y * 10.0;
    o[8] = float(head);
    int k = int(head) - 6;
    o[9] = r[k][k + 1] + c[k][k - 1] * 10.0 + inner[k].v[k] * 100.0;
    items[1].at = vec2(0.5, 0.25);
}
