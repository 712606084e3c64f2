package debugger

import (
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ampdbg/debugger/expr"
)

// glslInputs declares the operands of glslExpressions in each of eight threads:
// plain numbers, random bits, and extreme ones.
const glslInputs = `#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { int data[]; };
struct S { float a; ivec2 b; };
uint hash(uint k) { k = (k ^ (gl_LocalInvocationIndex << 16)) * 0x9e3779b9u; k ^= k >> 15; k *= 0x85ebca6bu; k ^= k >> 13; k *= 0xc2b2ae35u; return k ^ (k >> 16); }
float real(uint k) {
    switch (gl_LocalInvocationIndex) {
    case 0: return float(k) * 0.37 - 2.0;
    case 1: return float(hash(k) & 255u) / 255.0;
    case 2: return float(k & 3u) - 1.0;
    case 3: { const uint b[8] = uint[](0u, 0x80000000u, 1u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f7fffffu, 0x807fffffu); return uintBitsToFloat(b[k & 7u]); }
    case 4: return uintBitsToFloat(hash(k));
    }
    return (float(hash(k)) - 2147483648.0) / 500000000.0;
}
int whole(uint k) {
    switch (gl_LocalInvocationIndex) {
    case 0: return int(k) - 3;
    case 1: return int(k * 7u);
    case 2: { const int b[4] = int[](0, -1, -2147483647 - 1, 2147483647); return b[k & 3u]; }
    }
    return int(hash(k + 99u));
}
void main() {
    float f = real(0u), g = real(1u), h = real(2u);
    vec2 f2 = vec2(real(3u), real(4u)), g2 = vec2(real(5u), real(6u));
    vec3 f3 = vec3(real(7u), real(8u), real(9u)), g3 = vec3(real(10u), real(11u), real(12u)), h3 = vec3(real(13u), real(14u), real(15u));
    vec4 f4 = vec4(real(16u), real(17u), real(18u), real(19u)), g4 = vec4(real(20u), real(21u), real(22u), real(23u));
    double d = double(real(0u)) / 3.0LF, e = double(real(1u)) * 1.1LF; dvec2 d2 = dvec2(d, e); dvec3 d3 = dvec3(e, d, 1.0LF / 3.0LF);
    float16_t hf = float16_t(real(2u)), hg = float16_t(real(3u)); f16vec3 hf3 = f16vec3(f3), hg3 = f16vec3(g3);
    int i = whole(0u), j = whole(1u), k = whole(2u); ivec2 i2 = ivec2(i, j); ivec3 i3 = ivec3(whole(3u), whole(4u), whole(5u)), j3 = ivec3(whole(6u), whole(7u), whole(8u));
    uint u = uint(whole(9u)), v = uint(whole(10u)); uvec2 u2 = uvec2(u, v); uvec3 u3 = uvec3(i3), v3 = uvec3(j3);
    int8_t c = int8_t(whole(0u)), cc = int8_t(whole(1u)); uint8_t uc = uint8_t(whole(2u)); i8vec4 c4 = i8vec4(c, cc, c, cc); u8vec4 uc4 = u8vec4(uc);
    int16_t s = int16_t(whole(0u)), ss = int16_t(whole(1u)); uint16_t us = uint16_t(whole(2u)); i16vec2 s2 = i16vec2(s, ss); u16vec4 us4 = u16vec4(us, us + us, us, us); f16vec2 hf2 = f16vec2(hf, hg);
    int64_t l = int64_t(whole(0u)) * int64_t(whole(1u)), ll = int64_t(whole(2u)); uint64_t ul = uint64_t(l) + uint64_t(u), um = uint64_t(v);
    bool p = i > j, q = f > g; bvec3 p3 = greaterThan(f3, g3), q3 = lessThan(i3, j3);
    mat2 m2 = mat2(f2, g2); mat3 m3 = mat3(f3, g3, h3); mat4 m4 = mat4(f4, g4, f4.wzyx, g4.yxwz); mat2x3 m23 = mat2x3(f3, g3); mat3x2 m32 = mat3x2(f2, g2, f2 + g2); mat4x3 m43 = mat4x3(f3, g3, h3, f3);
    dmat2 dm2 = dmat2(d2, d2.yx); f16mat2x2 hm2 = f16mat2x2(hf, hg, hg, hf);
    float a3[3] = float[3](f, g, h); S st = S(f, i2); float x; vec3 x3; int n; ivec3 n3; uint y, z; uvec3 y3, z3; int in1, in2;
`

// glslExpressions are computed by a kernel and by the debugger: "TYPE
// EXPRESSION", or with a statement before, "STATEMENT; TYPE RESULT = EXPRESSION"
// where the debugger has another expression than the kernel.
var glslExpressions = strings.Split(strings.TrimSpace(`
float f + g
float f - g
float f * g
float f / g
float -f
float +f
bool f < g
bool f <= g
bool f > g
bool f >= g
bool f == g
bool f != g
vec3 f3 + g3 * f - g3 / h
vec3 -f3
bool f3 == g3
bool f3 != f3
int i + j
int i - j
int i * j
int (i | 1) / (j | 1)
int i % (j | 1)
int -i
int ~i
int i & j
int i | j
int i ^ j
int i << (j & 31)
int i >> (j & 31)
uint u >> (v & 31u)
uint u / (v | 1u)
uint u % (v | 1u)
bool u < v
bool i < j
ivec3 i3 * j3 + 1
ivec3 i3 >> 3
ivec3 ~i3
uvec3 u3 & v3
uint u + i
float i * f
float u + f
double f * d
bool !p
bool p && q
bool p || q
bool p ^^ q
float p ? f : g
int8_t c + cc
int8_t c * cc
int8_t -c
int8_t c - cc
int c + i
uint8_t uc + uc
uint8_t uc * uc
int16_t s * ss
int16_t s + ss
int s + i
uint16_t us * us
int64_t l * ll
uint64_t ul + um
int64_t l + i
float16_t hf + hg
float16_t hf * hg
float16_t hf / hg
float hf + f
f16vec3 hf3 * hg3 + hf
double d / e
dvec3 d3 * d
bool c < cc
bool uc > uc
bool s <= ss
bool hf < hg
bool l > ll
mat2 m2 * m2
mat3 m3 + m3
mat3 m3 - m3
mat3 m3 / m3
mat3 m3 * f
mat3 f * m3
mat3 m3 / f
mat3 f / m3
mat3 m3 + f
mat3 -m3
vec3 m3 * f3
vec3 f3 * m3
vec3 m23 * f2
vec2 f3 * m23
mat2 m32 * m23
mat3 m23 * m32
mat3 m43 * transpose(m43)
bool m3 == m3
bool m2 != m2
dmat2 dm2 * dm2
bool a3 == a3
bool st == S(f, i2)
bool st != S(g, i2)
float m3[1][2]
vec3 m3[2]
vec3 f4.wzy
vec4 f3.xxyz
vec2 f4.rg
vec2 f4.st
vec2 f.xx
float f3.x
float st.a
int st.b.y
int a3.length()
int f4.length()
int m23.length()
float(1) f
bool bool(f)
bool bool(i)
int int(f)
int int(u)
int int(p)
uint uint(f)
uint uint(i)
uint uint(d)
float float(i)
float float(u)
float float(p)
float float(d)
float float(hf)
double double(f)
double double(l)
int8_t int8_t(i)
int8_t int8_t(f)
uint8_t uint8_t(i)
uint8_t uint8_t(c)
int16_t int16_t(c)
uint16_t uint16_t(c)
uint16_t uint16_t(l)
int int(c)
uint uint(c)
uint uint(uc)
int32_t int32_t(us)
int64_t int64_t(i)
int64_t int64_t(u)
int64_t int64_t(d)
uint64_t uint64_t(i)
uint64_t uint64_t(c)
uint64_t uint64_t(f)
float16_t float16_t(f)
float16_t float16_t(i)
float16_t float16_t(d)
float float(ul)
float float(l)
double double(ul)
int int(hf)
vec2 vec2(f)
vec3 vec3(f2, g)
vec4 vec4(f, f2, g)
vec4 vec4(m2)
vec3 vec3(f4)
vec2 vec2(i2)
ivec3 ivec3(f3)
uvec3 uvec3(i3)
bvec3 bvec3(i3)
dvec2 dvec2(f2)
f16vec3 f16vec3(f3)
f16vec3 f16vec3(i3)
i8vec3 i8vec3(i3)
u8vec3 u8vec3(f3)
i16vec3 i16vec3(i3)
u16vec3 u16vec3(u3)
i64vec3 i64vec3(i3)
u64vec3 u64vec3(f3)
i32vec3 i32vec3(u3)
u32vec3 u32vec3(f3)
f32vec3 f32vec3(d3)
f64vec3 f64vec3(f3)
mat2 mat2(f)
mat3 mat3(m2)
mat2 mat2(m4)
mat2x3 mat2x3(f3, g3)
mat3x2 mat3x2(m4)
mat4x2 mat4x2(f4, g4)
mat2x4 mat2x4(f, g, f2, g4)
mat3x4 mat3x4(m2)
mat4x3 mat4x3(f)
mat4 mat4(m23)
dmat2 dmat2(m2)
mat2 mat2(dm2)
f16mat2x2 f16mat2x2(m2)
f16mat2x2 hm2 * hm2
float float[3](f, g, h)[1]
float float[](f, g)[0]
float S(f, i2).a
float radians(f)
float degrees(f)
float sin(f)
vec3 cos(f3)
float tan(f)
float asin(f)
float acos(f)
float atan(f, g)
vec3 atan(f3)
float sinh(f)
float cosh(f)
float tanh(f)
float asinh(f)
float acosh(f)
float atanh(f)
float pow(f, g)
vec3 pow(f3, g3)
float exp(f)
float log(f)
float exp2(f)
float log2(f)
float sqrt(f)
double sqrt(d)
float inversesqrt(f)
float abs(f)
int abs(i)
double abs(d)
float sign(f)
int sign(i)
float floor(f)
double floor(d)
float trunc(f)
float round(f)
float roundEven(f)
float ceil(f)
vec3 fract(f3)
float mod(f, g)
vec3 mod(f3, g)
vec3 mod(f3, g3)
modf(f, x); float modf(f).fract = modf(f, x)
float rm = modf(f, x); float modf(f).whole = x
vec3 rm3 = modf(f3, x3); vec3 modf(f3).whole = x3
float modf(f, x)
float min(f, g)
int min(i, j)
uint min(u, v)
vec3 min(f3, g)
float max(f, g)
int max(i, j)
uint max(u, v)
ivec3 max(i3, j)
float clamp(f, g, h)
int clamp(i, j, k)
uint clamp(u, v, u)
vec3 clamp(f3, g, h)
float mix(f, g, h)
vec3 mix(f3, g3, h)
vec3 mix(f3, g3, h3)
vec3 mix(f3, g3, p3)
int mix(i, j, p)
uvec3 mix(u3, v3, q3)
bool mix(p, q, p)
float step(f, g)
vec3 step(f, g3)
float smoothstep(f, g, h)
vec3 smoothstep(f, g, h3)
bool isnan(f)
bvec3 isinf(f3)
int floatBitsToInt(f)
uint floatBitsToUint(f)
float intBitsToFloat(i)
vec3 uintBitsToFloat(u3)
float fma(f, g, h)
double fma(d, e, d)
vec3 fma(f3, g3, h3)
frexp(f, n); float frexp(f).significand = frexp(f, n)
float rf = frexp(f, n); int frexp(f).exponent = n
vec3 rf3 = frexp(f3, n3); ivec3 frexp(f3).exponent = n3
float ldexp(f, (i & 63) - 32)
uint packUnorm2x16(f2)
uint packSnorm2x16(f2)
uint packUnorm4x8(f4)
uint packSnorm4x8(f4)
vec2 unpackUnorm2x16(u)
vec2 unpackSnorm2x16(u)
vec4 unpackUnorm4x8(u)
vec4 unpackSnorm4x8(u)
uint packHalf2x16(f2)
vec2 unpackHalf2x16(u)
double packDouble2x32(u2)
uvec2 unpackDouble2x32(d)
float length(f3)
float length(f)
float distance(f3, g3)
float dot(f3, g3)
float dot(f, g)
double dot(d3, d3)
float16_t dot(hf3, hg3)
vec3 cross(f3, g3)
vec3 normalize(f3)
float normalize(f)
vec3 faceforward(f3, g3, h3)
vec3 reflect(f3, g3)
vec3 refract(f3, g3, h)
mat3 matrixCompMult(m3, m3)
mat2x3 outerProduct(f3, g2)
mat3x2 transpose(m23)
mat4 transpose(m4)
float determinant(m2)
float determinant(m3)
float determinant(m4)
mat2 inverse(m2)
mat3 inverse(m3)
mat4 inverse(m4)
bvec3 lessThan(f3, g3)
bvec3 lessThanEqual(i3, j3)
bvec3 greaterThan(u3, v3)
bvec3 greaterThanEqual(f3, g3)
bvec3 equal(f3, g3)
bvec3 notEqual(f3, f3)
bvec3 equal(p3, q3)
bool any(p3)
bool all(p3)
bvec3 not(p3)
y = 0u; uint uaddCarry(u, v).sum = uaddCarry(u, v, y)
uint ru = uaddCarry(u, v, y); uint uaddCarry(u, v).carry = y
uvec3 ru3 = usubBorrow(u3, v3, y3); uvec3 usubBorrow(u3, v3).borrow = y3
uvec3 usubBorrow(u3, v3, y3)
umulExtended(u, v, y, z); uint umulExtended(u, v).msb = y
umulExtended(u3, v3, y3, z3); uvec3 umulExtended(u3, v3).lsb = z3
imulExtended(i, j, in1, in2); int imulExtended(i, j).msb = in1
imulExtended(i, j, in1, in2); int imulExtended(i, j).lsb = in2
int bitfieldExtract(i, j & 15, k & 15)
uint bitfieldExtract(u, j & 15, k & 15)
int bitfieldInsert(i, j, k & 15, 7)
uvec3 bitfieldInsert(u3, v3, 3, 9)
int bitfieldReverse(i)
uvec3 bitfieldReverse(u3)
int bitCount(i)
ivec3 bitCount(u3)
int findLSB(i)
int findLSB(u)
int findMSB(i)
ivec3 findMSB(u3)
int64_t packInt2x32(i2)
uint64_t packUint2x32(u2)
ivec2 unpackInt2x32(l)
uvec2 unpackUint2x32(ul)
int packInt2x16(s2)
i16vec2 unpackInt2x16(i)
u16vec2 unpackUint2x16(u)
uint packUint2x16(us4.xy)
int64_t packInt4x16(s2.xyxy)
uint64_t packUint4x16(us4)
i16vec4 unpackInt4x16(l)
u16vec4 unpackUint4x16(ul)
uint packFloat2x16(hf2)
f16vec2 unpackFloat2x16(u)
int pack32(c4)
uint pack32(us4.xy)
uint64_t pack64(us4)
int64_t pack64(i2)
int16_t pack16(c4.xy)
i8vec4 unpack8(i)
u8vec2 unpack8(us)
i16vec2 unpack16(i)
u16vec4 unpack16(ul)
ivec2 unpack32(l)
int64_t doubleBitsToInt64(d)
uint64_t doubleBitsToUint64(d)
double int64BitsToDouble(l)
double uint64BitsToDouble(ul)
int16_t float16BitsToInt16(hf)
uint16_t float16BitsToUint16(hf)
float16_t int16BitsToFloat16(s)
float16_t uint16BitsToFloat16(us)
int16_t halfBitsToInt16(hf)
uint16_t halfBitsToUint16(hf)
float16_t int16BitsToHalf(s)
float16_t uint16BitsToHalf(us)
float16_t sqrt(hf)
float16_t sin(hf)
float16_t fma(hf, hg, hf)
float16_t mix(hf, hg, hf)
f16vec3 normalize(hf3)
`), "\n")

// TestGLSL computes expressions by a kernel that glslang compiles, and by the
// debugger at the end of it: bit for bit the same in each thread.
func TestGLSL(t *testing.T) {
	for _, mode := range []string{"", "flush"} {
		t.Run("mode "+mode, func(t *testing.T) { testGLSL(t, mode == "flush") })
	}
}

func testGLSL(t *testing.T, flush bool) {
	type check struct{ result, text string }
	var checks []check
	var b strings.Builder
	b.WriteString(glslInputs)
	for i, line := range glslExpressions {
		c := check{result: fmt.Sprintf("r%d", i)}
		before, rest, ok := strings.Cut(line, "; ")
		if !ok {
			before, rest = "", line
		} else {
			before += "; "
		}
		typ, rest, _ := strings.Cut(rest, " ")
		glsl := rest
		if text, kernel, ok := strings.Cut(rest, " = "); ok {
			rest, glsl = text, kernel
		}
		if typ == "float(1)" {
			typ = "float"
		}
		c.text = rest
		// A block of its own, so that statements before may declare variables.
		fmt.Fprintf(&b, "    %s %s; { %s%s = %s; }\n", typ, c.result, before, c.result, glsl)
		checks = append(checks, c)
	}
	b.WriteString("    data[0] = 1;\n}\n")
	kernel := b.String()
	file := compile(t, kernel, false, "-g")
	if flush {
		// glslang has no words for it.
		rewrite(t, file, "OpCapability Shader\n", "OpCapability Shader\nOpCapability DenormFlushToZero\n",
			"OpExecutionMode %main LocalSize", "OpExecutionMode %main DenormFlushToZero 32\nOpExecutionMode %main DenormFlushToZero 16\nOpExecutionMode %main LocalSize")
	}
	s := loaded(t, file)
	last := strings.Count(kernel, "\n") - 1
	if _, err := s.Break(fmt.Sprint(last)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		must(t)(s.Continue())
	}
	if got := s.t.arithmetic().Modes[32].FlushDenorms; got != flush {
		t.Fatalf("denormals are flushed: %v", got)
	}
	for lane := range 8 {
		th := s.thread(ThreadID{0, lane})
		ev := evaluator{t: s.t}
		for _, c := range checks {
			want, err := ev.eval(mustParse(t, c.result).root, th)
			if err != nil {
				t.Fatal(err)
			}
			wantBits, err := want.load(th)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ev.eval(mustParse(t, c.text).root, th)
			var bits []uint64
			if err == nil {
				bits, err = got.load(th)
			}
			if err != nil {
				if lane == 0 {
					t.Errorf("%s: %v", c.text, err)
				}
				continue
			}
			if !slices.Equal(bits, wantBits) {
				a, _ := s.t.text(got, th, 0)
				b, _ := s.t.text(want, th, 0)
				t.Errorf("thread %d: %s is %s (%x), the kernel has %s (%x)", lane, c.text, a, bits, b, wantBits)
			}
			if a, b := typeName(s.t.u, got.t), typeName(s.t.u, want.t); a != b && lane == 0 {
				t.Errorf("%s is a %s, in the kernel a %s", c.text, a, b)
			}
		}
	}
}

// rewrite replaces words of a module's disassembly.
func rewrite(t *testing.T, file string, words ...string) {
	t.Helper()
	text, err := exec.Command("spirv-dis", file).Output()
	if err != nil {
		t.Skip("spirv-dis is not installed")
	}
	as := exec.Command("spirv-as", "--preserve-numeric-ids", "--target-env", "vulkan1.2", "-", "-o", file)
	as.Stdin = strings.NewReader(strings.NewReplacer(words...).Replace(string(text)))
	if out, err := as.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestRemainder has the sign of its right operand, as in glslang's modules, but
// in those that come from HLSL.
func TestRemainder(t *testing.T) {
	file := compile(t, stepKernel, false, "-g")
	for _, want := range []string{"1", "-3"} {
		s := loaded(t, file)
		if got := evalText(t, s, "-11 % 4"); got != want {
			t.Errorf("-11 %% 4 is %s, expected %s", got, want)
		}
		rewrite(t, file, "OpSource GLSL 450", "OpSource HLSL 600")
	}
}

// glslNames are the functions of chapter 8 of the GLSL specification, version
// 4.60, in its order.
const glslNames = `radians degrees sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
pow exp log exp2 log2 sqrt inversesqrt
abs sign floor trunc round roundEven ceil fract mod modf min max clamp mix step smoothstep isnan isinf
floatBitsToInt floatBitsToUint intBitsToFloat uintBitsToFloat fma frexp ldexp
packUnorm2x16 packSnorm2x16 packUnorm4x8 packSnorm4x8 unpackUnorm2x16 unpackSnorm2x16 unpackUnorm4x8 unpackSnorm4x8
packHalf2x16 unpackHalf2x16 packDouble2x32 unpackDouble2x32
length distance dot cross normalize ftransform faceforward reflect refract
matrixCompMult outerProduct transpose determinant inverse
lessThan lessThanEqual greaterThan greaterThanEqual equal notEqual any all not
uaddCarry usubBorrow umulExtended imulExtended bitfieldExtract bitfieldInsert bitfieldReverse bitCount findLSB findMSB
textureSize textureQueryLod textureQueryLevels textureSamples
texture textureProj textureLod textureOffset texelFetch texelFetchOffset textureProjOffset textureLodOffset textureProjLod textureProjLodOffset
textureGrad textureGradOffset textureProjGrad textureProjGradOffset textureGather textureGatherOffset textureGatherOffsets
atomicCounterIncrement atomicCounterDecrement atomicCounter atomicCounterAdd atomicCounterSubtract atomicCounterMin atomicCounterMax atomicCounterAnd
atomicCounterOr atomicCounterXor atomicCounterExchange atomicCounterCompSwap
atomicAdd atomicMin atomicMax atomicAnd atomicOr atomicXor atomicExchange atomicCompSwap
imageSize imageSamples imageLoad imageStore imageAtomicAdd imageAtomicMin imageAtomicMax imageAtomicAnd imageAtomicOr imageAtomicXor imageAtomicExchange imageAtomicCompSwap
EmitStreamVertex EndStreamPrimitive EmitVertex EndPrimitive
dFdx dFdy dFdxFine dFdyFine dFdxCoarse dFdyCoarse fwidth fwidthFine fwidthCoarse interpolateAtCentroid interpolateAtSample interpolateAtOffset
noise1 noise2 noise3 noise4
barrier memoryBarrier memoryBarrierAtomicCounter memoryBarrierBuffer memoryBarrierShared memoryBarrierImage groupMemoryBarrier
subpassLoad anyInvocation allInvocations allInvocationsEqual`

// TestGLSLNames finds each of GLSL's functions among those of expressions, or
// among those left out with a reason; and each that expressions have in
// glslExpressions.
func TestGLSLNames(t *testing.T) {
	have := expr.Functions()
	tested := map[string]bool{}
	for _, line := range glslExpressions {
		for _, m := range regexp.MustCompile(`(\w+)\(`).FindAllStringSubmatch(line, -1) {
			tested[m[1]] = true
		}
	}
	for _, n := range strings.Fields(glslNames) {
		known := slices.Contains(have, n) || imageFunctions[n] > 0
		if known == (expr.Absent[n] != "") {
			t.Errorf("%s: among the functions: %v; left out because: %q", n, known, expr.Absent[n])
		}
	}
	for _, n := range have {
		if !tested[n] && n != "nan" {
			t.Errorf("%s is not compared with a kernel", n)
		}
	}
	for n, typ := range expr.Types {
		switch n {
		case "char", "uchar", "short", "ushort", "long", "ulong", "half": // C's
			continue
		}
		// Those that are not in the table are other names or sizes of those that are.
		if !tested[n] && !slices.ContainsFunc(slices.Collect(maps.Keys(tested)), func(o string) bool {
			x := expr.Types[o]
			return x != nil && (x == typ || x.Kind == typ.Kind && x.Component().Kind == typ.Component().Kind && x.Component().Width == typ.Component().Width)
		}) {
			t.Errorf("%s is not compared with a kernel", n)
		}
	}
}
