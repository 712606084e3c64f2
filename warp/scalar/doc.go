// Package scalar is the arithmetic of one component: what a SPIR-V or
// GLSL.std.450 instruction does to raw bits.
//
// A value is a uint64 that holds the bits of an 8, 16, 32 or 64 bit integer, of
// an IEEE binary16, binary32 or binary64 number, or of a bool (0 or 1),
// zero-extended whatever its signedness. This is the canonical form: every
// function expects it and gives it back.
//
// The package hands out functions: a lowering pass asks once, by opcode and
// operand kinds, and the interpreter calls what it got. No returned function
// allocates, blocks or keeps state, or panics on any bits (slices must be as long as
// promised); all may be called concurrently.
//
// # Choices where the specification leaves room
//
//   - Rounding: + − × ÷ sqrt, fma, remainders, conversions, ldexp and the
//     rounding functions are correctly rounded, to nearest even, or toward zero
//     with Mode.RTZ (then finite results that overflow become the largest finite
//     number). Longer formulas (mix, smoothstep, dot, cross, length, reflect, ...)
//     round after each operation in the width of the operands, left to right, and
//     never contract. Determinant and inverse are computed in binary64 and
//     rounded once.
//   - Fma is fused: one rounding.
//   - Denormals are kept. Mode.FlushDenorms replaces denormal inputs and results
//     of every floating-point instruction by a zero of the same sign; bit casts and
//     selects keep bits.
//   - NaN: a NaN that an instruction computes is NaN16, NaN32 or NaN64, whatever
//     NaN went in, so that results do not depend on the host. FNegate and FAbs
//     only change the sign bit.
//   - FMin, FMax, NMin and NMax give the other operand when one is NaN, and order
//     −0 before +0, so they are commutative. Clamp is min(max(x, low), high) of
//     these.
//   - FSign of ±0 and NaN is +0.
//   - Round is RoundEven: halves go to the even neighbour.
//   - Fract is x − floor(x) correctly rounded, which is 1 for tiny negative x and
//     NaN for infinities.
//   - FRem and FMod are the exact remainder (correctly rounded when it needs
//     rounding); a zero has the sign of the first operand for FRem, of the
//     second for FMod.
//   - Frexp of ±0, infinities and NaN gives the operand and exponent 0. Modf of
//     an infinity gives it and a zero; both parts have the sign of the operand.
//   - Float to integer conversions saturate; NaN becomes 0.
//   - Integer division and remainder by zero, shifts by the width or more and
//     bit-fields outside the base give 0; the smallest integer divided by −1
//     wraps. Undefined1, Undefined2, Undefined3 and UndefinedGLSL tell a checker
//     that such a result is undefined, and why.
//   - Transcendental functions are computed in binary64 and rounded once, so a 16
//     or 32 bit result is within 1 ULP, nearly always the nearest number. Package
//     math may differ between architectures in the last bits of binary64.
//   - QuantizeToF16 rounds to nearest even in every mode.
package scalar
