package diff

import (
	"fmt"
	"math"

	"ampdbg/spirv"
)

// precision is how far a device's result may be from the exact one: ULP units in
// the last place of the result's type, or an absolute distance, whichever
// allows more.
type precision struct {
	ULP float64
	Abs float64
	// Why says where the numbers come from, in the words of the table in
	// Vulkan's "Precision and Operation of SPIR-V Instructions".
	Why string
}

func (b precision) String() string {
	switch {
	case b.Abs == 0:
		return fmt.Sprintf("%.4g ULP", b.ULP)
	case b.ULP == 0:
		return "absolute error " + power(b.Abs)
	}
	return fmt.Sprintf("%.4g ULP or absolute error %s", b.ULP, power(b.Abs))
}

// power prints a power of two as one.
func power(x float64) string {
	if f, e := math.Frexp(x); f == 0.5 {
		return fmt.Sprintf("2^%d", e-1)
	}
	return fmt.Sprintf("%.4g", x)
}

// The bounds of 32-bit and 64-bit instructions of GLSL.std.450. Where the
// specification's bound depends on the operands it is the largest for results
// that do not overflow; a formula ("inherited from") is worked out for
// operands that do not cancel.
var glslBounds = map[uint32]precision{
	spirv.GLSLSin:           {Abs: 0x1p-11, Why: "absolute error 2^-11 on [-pi, pi]"},
	spirv.GLSLCos:           {Abs: 0x1p-11, Why: "absolute error 2^-11 on [-pi, pi]"},
	spirv.GLSLTan:           {ULP: 2.5, Abs: 0x1p-9, Why: "as sin(x)/cos(x)"},
	spirv.GLSLAsin:          {ULP: 4096, Abs: 0x1p-11, Why: "as atan2(x, sqrt(1-x*x))"},
	spirv.GLSLAcos:          {ULP: 4096, Abs: 0x1p-11, Why: "as atan2(sqrt(1-x*x), x)"},
	spirv.GLSLAtan:          {ULP: 4096, Why: "4096 ULP"},
	spirv.GLSLAtan2:         {ULP: 4096, Why: "4096 ULP"},
	spirv.GLSLSinh:          {ULP: 184, Abs: 0x1p-20, Why: "as (exp(x)-exp(-x))/2"},
	spirv.GLSLCosh:          {ULP: 184, Why: "as (exp(x)+exp(-x))/2"},
	spirv.GLSLTanh:          {ULP: 371, Abs: 0x1p-19, Why: "as sinh(x)/cosh(x)"},
	spirv.GLSLAsinh:         {ULP: 16, Abs: 0x1p-19, Why: "as log(x+sqrt(x*x+1))"},
	spirv.GLSLAcosh:         {ULP: 16, Abs: 0x1p-11, Why: "as log(x+sqrt(x*x-1))"},
	spirv.GLSLAtanh:         {ULP: 16, Abs: 0x1p-20, Why: "as log((1+x)/(1-x))/2"},
	spirv.GLSLExp:           {ULP: 181, Why: "3+2*|x| ULP, |x| up to 89"},
	spirv.GLSLExp2:          {ULP: 259, Why: "3+2*|x| ULP, |x| up to 128"},
	spirv.GLSLLog:           {ULP: 3, Abs: 0x1p-21, Why: "3 ULP, absolute error 2^-21 on [0.5, 2]"},
	spirv.GLSLLog2:          {ULP: 3, Abs: 0x1p-21, Why: "3 ULP, absolute error 2^-21 on [0.5, 2]"},
	spirv.GLSLPow:           {ULP: 1024, Why: "as exp2(y*log2(x))"},
	spirv.GLSLSqrt:          {ULP: 4.5, Why: "as 1/inversesqrt(x)"},
	spirv.GLSLInverseSqrt:   {ULP: 2, Why: "2 ULP"},
	spirv.GLSLFma:           {ULP: 1, Why: "as FMul then FAdd: one rounding more or less"},
	spirv.GLSLFMix:          {ULP: 3, Why: "as x*(1-a)+y*a"},
	spirv.GLSLSmoothStep:    {ULP: 12, Why: "as t*t*(3-2*t) with a division"},
	spirv.GLSLLength:        {ULP: 9, Why: "as sqrt(dot(x, x))"},
	spirv.GLSLDistance:      {ULP: 9, Why: "as length(x-y)"},
	spirv.GLSLNormalize:     {ULP: 8, Why: "as x*inversesqrt(dot(x, x))"},
	spirv.GLSLCross:         {ULP: 3, Why: "as x[1]*y[2]-y[1]*x[2]"},
	spirv.GLSLReflect:       {ULP: 8, Why: "as I-2*dot(N, I)*N"},
	spirv.GLSLRefract:       {ULP: 24, Why: "as its formula with dot and sqrt"},
	spirv.GLSLFaceForward:   {ULP: 4, Why: "the sign of a dot product"},
	spirv.GLSLDeterminant:   {ULP: 24, Why: "a sum of products, in any association"},
	spirv.GLSLMatrixInverse: {ULP: 48, Why: "sums of products and a division"},
	spirv.GLSLRadians:       {ULP: 1, Why: "as x*pi/180"},
	spirv.GLSLDegrees:       {ULP: 1, Why: "as x*180/pi"},
}

// The bounds of 16-bit instructions that differ from those of 32 bits.
var glslBounds16 = map[uint32]precision{
	spirv.GLSLSin:   {Abs: 0x1p-7, Why: "absolute error 2^-7 on [-pi, pi]"},
	spirv.GLSLCos:   {Abs: 0x1p-7, Why: "absolute error 2^-7 on [-pi, pi]"},
	spirv.GLSLTan:   {ULP: 2.5, Abs: 0x1p-5, Why: "as sin(x)/cos(x)"},
	spirv.GLSLAsin:  {ULP: 5, Abs: 0x1p-7, Why: "as atan2(x, sqrt(1-x*x))"},
	spirv.GLSLAcos:  {ULP: 5, Abs: 0x1p-7, Why: "as atan2(sqrt(1-x*x), x)"},
	spirv.GLSLAtan:  {ULP: 5, Why: "5 ULP"},
	spirv.GLSLAtan2: {ULP: 5, Why: "5 ULP"},
	spirv.GLSLSinh:  {ULP: 25, Abs: 0x1p-8, Why: "as (exp(x)-exp(-x))/2"},
	spirv.GLSLCosh:  {ULP: 25, Why: "as (exp(x)+exp(-x))/2"},
	spirv.GLSLTanh:  {ULP: 53, Abs: 0x1p-7, Why: "as sinh(x)/cosh(x)"},
	spirv.GLSLAsinh: {ULP: 16, Abs: 0x1p-6, Why: "as log(x+sqrt(x*x+1))"},
	spirv.GLSLAcosh: {ULP: 16, Abs: 0x1p-4, Why: "as log(x+sqrt(x*x-1))"},
	spirv.GLSLAtanh: {ULP: 16, Abs: 0x1p-7, Why: "as log((1+x)/(1-x))/2"},
	spirv.GLSLExp:   {ULP: 24, Why: "1+2*|x| ULP, |x| up to 11"},
	spirv.GLSLExp2:  {ULP: 33, Why: "1+2*|x| ULP, |x| up to 16"},
	spirv.GLSLLog:   {ULP: 3, Abs: 0x1p-7, Why: "3 ULP, absolute error 2^-7 on [0.5, 2]"},
	spirv.GLSLLog2:  {ULP: 3, Abs: 0x1p-7, Why: "3 ULP, absolute error 2^-7 on [0.5, 2]"},
	spirv.GLSLPow:   {ULP: 128, Why: "as exp2(y*log2(x))"},
}

var divisionBound = precision{ULP: 2.5, Why: "2.5 ULP"}

// remainderBound holds for quotients of moderate size; see docs/limits.md.
var remainderBound = precision{ULP: 64, Why: "as x-y*trunc(x/y) or x-y*floor(x/y)"}

var (
	contractionBound = precision{ULP: 1, Why: "no NoContraction, so a multiplication and an addition may be contracted: one rounding more or less"}
	reorderBound     = precision{ULP: 1, Why: "no NoContraction, so additions and multiplications may be reassociated"}
	orderBound       = precision{ULP: 4, Why: "a sum in any order of its parts"}
	filterBound      = precision{ULP: 4, Abs: 0x1p-7, Why: "weights of linear filtering have few bits"}
	texelBound       = precision{ULP: 2, Why: "texels that hold fractions as integers are converted"}
	relaxedBound     = precision{ULP: 0x1p14, Why: "RelaxedPrecision: 16 bits suffice"}
)

// sumBound is that of a sum of n products in any association.
func sumBound(n int) precision {
	return precision{ULP: float64(n), Why: fmt.Sprintf("a sum of %d products, in any association", n)}
}

// glslBound is the bound of an instruction of GLSL.std.450 on floats of some
// width; ok is false for those that must be exact.
func glslBound(inst uint32, width int) (b precision, ok bool) {
	if width == 16 {
		if b, ok = glslBounds16[inst]; ok {
			return b, true
		}
	}
	b, ok = glslBounds[inst]
	return b, ok
}
