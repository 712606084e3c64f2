package scalar

import (
	"math"

	"ampdbg/spirv"
)

// transcendental1 gives a function of one binary64 number, nil if inst is none.
func transcendental1(inst uint32) func(float64) float64 {
	switch inst {
	case spirv.GLSLSin:
		return math.Sin
	case spirv.GLSLCos:
		return math.Cos
	case spirv.GLSLTan:
		return math.Tan
	case spirv.GLSLAsin:
		return asin
	case spirv.GLSLAcos:
		return acos
	case spirv.GLSLAtan:
		return math.Atan
	case spirv.GLSLSinh:
		return math.Sinh
	case spirv.GLSLCosh:
		return math.Cosh
	case spirv.GLSLTanh:
		return math.Tanh
	case spirv.GLSLAsinh:
		return math.Asinh
	case spirv.GLSLAcosh:
		return math.Acosh
	case spirv.GLSLAtanh:
		return math.Atanh
	case spirv.GLSLExp:
		return math.Exp
	case spirv.GLSLExp2:
		return math.Exp2
	case spirv.GLSLLog:
		return math.Log
	case spirv.GLSLLog2:
		return log2
	case spirv.GLSLInverseSqrt:
		return inverseSqrt
	}
	return nil
}

// transcendental2 gives a function of two binary64 numbers, nil if inst is none.
func transcendental2(inst uint32) func(x, y float64) float64 {
	switch inst {
	case spirv.GLSLAtan2:
		return math.Atan2
	case spirv.GLSLPow:
		return math.Pow
	}
	return nil
}

// log2 is exact for powers of two, like math.Log2, and keeps its relative
// precision near 1, where math.Log2 cancels.
func log2(x float64) float64 {
	if x > 0.75 && x < 1.5 {
		return math.Log(x) * math.Log2E
	}
	return math.Log2(x)
}

// asin and acos keep their relative precision near ±1, where those of package
// math cancel; the Vulkan specification gives these formulas, too.
func asin(x float64) float64 { return math.Atan2(x, math.Sqrt((1-x)*(1+x))) }
func acos(x float64) float64 { return math.Atan2(math.Sqrt((1-x)*(1+x)), x) }

func inverseSqrt(x float64) float64 { return 1 / math.Sqrt(x) }
