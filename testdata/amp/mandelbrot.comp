#version 450
// Escape times of the Mandelbrot set. The arithmetic is 'precise' (no
// contraction), so that the counts are the same everywhere.
layout(local_size_x = 16, local_size_y = 4) in;
layout(set = 0, binding = 0) writeonly buffer Image { uint count[]; };
layout(push_constant) uniform Args { float x0; float y0; float scale; uint width; uint limit; };

void main() {
    uvec2 p = gl_GlobalInvocationID.xy;
    precise float cx = x0 + float(p.x) * scale;
    precise float cy = y0 + float(p.y) * scale;
    precise float x = 0.0, y = 0.0;
    uint n = 0;
    while (n < limit) {
        precise float xx = x * x;
        precise float yy = y * y;
        precise float size = xx + yy;
        if (size > 4.0) {
            break;
        }
        precise float xy = x * y;
        precise float twice = xy + xy;
        precise float difference = xx - yy;
        x = difference + cx;
        y = twice + cy;
        n++;
    }
    count[p.y * width + p.x] = n;
}
