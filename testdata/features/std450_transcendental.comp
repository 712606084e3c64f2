#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { float x; float y; float third; };
layout(set = 0, binding = 1) buffer Out { float o[]; };

void main() {
    o[0] = sin(x);
    o[1] = cos(x);
    o[2] = tan(x);
    o[3] = asin(third);
    o[4] = acos(third);
    o[5] = atan(x);
    o[6] = atan(y, x);
    o[7] = atan(y, -x);
    o[8] = sinh(x);
    o[9] = cosh(x);
    o[10] = tanh(x);
    o[11] = asinh(x);
    o[12] = acosh(y);
    o[13] = atanh(third);
    o[14] = exp(x);
    o[15] = log(y);
    o[16] = exp2(x);
    o[17] = log2(y);
    o[18] = pow(y, x);
    o[19] = sqrt(y);
    o[20] = inversesqrt(y);
    o[21] = radians(y);
    o[22] = degrees(x);
    o[23] = length(vec2(x, y));
    o[24] = distance(vec2(x, y), vec2(y, x));
    vec2 n = normalize(vec2(x, y));
    o[25] = n.x;
    o[26] = n.y;
    vec2 r = refract(normalize(vec2(1.0, -1.0)), vec2(0.0, 1.0), 0.5);
    o[27] = r.x;
    o[28] = r.y;
    o[29] = refract(normalize(vec2(1.0, -0.1)), vec2(0.0, 1.0), 1.5).x;
}
