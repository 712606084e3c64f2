#version 450
layout(local_size_x=4) in;
layout(set=0,binding=0) buffer B { int d[]; } b;
shared int total;
const float table[3] = float[](1,2,3);
struct P { int a; float q; };
int twice(int x) { int y = x*2; { int z = y+1; y = z-1; } return y; }
void main() {
  uint i = gl_GlobalInvocationID.x;
  P p; p.a = int(i); p.q = table[i%3];
  for (int k=0;k<4;k++) { p.a += twice(k); if (p.a > 10) break; }
  total = p.a;
  b.d[i] = p.a + int(p.q);
}
