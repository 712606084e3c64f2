#version 450
// Compile: glslangValidator -V -gVS --target-env vulkan1.2
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Out { int o[]; };

int collatz(int n) {
    int steps = 0;
    while (true) {
        if (n == 1) {
            return steps;
        }
        n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
        steps++;
    }
}

int classify(int i) {
    switch (i) {
    case 0:
        return 100;
    case 1:
    default:
        i += 10;
    case 2:
        i *= 2;
        break;
    case 3: {
        int r = 0;
        for (int k = 0; k < 10; k++) {
            if (k == 7) break;
            if (k % 2 == 0) continue;
            switch (k) {
            case 1: r += 1; break;
            case 3: continue;
            default: r += 10 * k;
            }
            r += 1000;
        }
        return r;
    }
    case 4:
        do {
            i += 3;
        } while (i < 12 && i != 10);
    }
    return i;
}

bool bump(inout int n) {
    n++;
    return n > 3;
}

void main() {
    int i = int(gl_LocalInvocationID.x);
    o[i] = collatz(i + 1);
    o[8 + i] = classify(i);
    int n = i;
    bool both = bump(n) && bump(n) || bump(n);
    o[16 + i] = n * 2 + int(both);
}
