#version 450
layout(local_size_x = 4) in;
struct Node { vec3 p; float w; mat3 m; int next[2]; };
layout(std140, set = 0, binding = 0) uniform Params { layout(row_major) mat4x3 world; vec4 k[3]; uint steps; } params;
layout(std430, set = 1, binding = 3) coherent restrict buffer Nodes { uint used; Node nodes[]; };

float walk(inout Node n, const in int depth, out bool done) {
	float acc = 0.0;
	done = false;
	int i = depth;
	do {
		if (i == 3) continue;
		if (n.w < 0.0) { done = true; break; }
		acc += dot(n.m * n.p, params.world * params.k[i % 3]);
		for (int j = 0; j < 2; ++j) {
			if (n.next[j] > i) break;
			while (acc > 100.0) acc *= 0.5;
		}
		n.w -= 1.0;
	} while (++i < int(params.steps));
	return done ? acc : -acc;
}

void main() {
	uint slot = atomicAdd(used, 1u);
	Node n = nodes[slot];
	bool done;
	float r = walk(n, int(slot), done);
	if (!done && slot > 7u) return;
	memoryBarrierBuffer();
	n.p = normalize(vec3(sin(r), cos(r), inversesqrt(abs(r))));
	n.m = transpose(inverse(n.m)) * outerProduct(n.p, n.p);
	nodes[slot] = n;
}
