package scalar

import (
	"math"
	"math/bits"

	"ampdbg/program"
	"ampdbg/spirv"
)

// GLSL1 gives the GLSL.std.450 instruction inst on one operand of kind k. Of Modf
// and ModfStruct it gives the fraction (see ModfWhole), of Frexp and FrexpStruct
// the significand (see FrexpExponent). ok is false if inst is not an instruction
// on single components of this kind with one operand.
func GLSL1(inst uint32, k program.Kind, m program.Mode) (fn Func1, ok bool) {
	switch {
	case k.IsInt():
		fn = glslInt1(inst, k.Width)
	case k.IsFloat():
		f := formatOf(k, m)
		if fn = glslFloat1(inst, f); fn == nil {
			if g := transcendental1(inst); g != nil {
				fn = func(a uint64) uint64 { return f.round(g(f.load(a))) }
			}
		}
	}
	return fn, fn != nil
}

// GLSL2 gives the GLSL.std.450 instruction inst on two operands of kind k. The
// second operand of Ldexp is a 32-bit integer (see Ldexp). ok is false if inst is
// not an instruction on single components of this kind with two operands.
func GLSL2(inst uint32, k program.Kind, m program.Mode) (fn Func2, ok bool) {
	switch {
	case k.IsInt():
		fn = glslInt2(inst, k.Width)
	case k.IsFloat() && inst == spirv.GLSLLdexp:
		return Ldexp(k, program.Kind{Width: 32}, m)
	case k.IsFloat():
		f := formatOf(k, m)
		if fn = glslFloat2(inst, f); fn == nil {
			if g := transcendental2(inst); g != nil {
				fn = func(a, b uint64) uint64 { return f.round(g(f.load(a), f.load(b))) }
			}
		}
	}
	return fn, fn != nil
}

// GLSL3 gives the GLSL.std.450 instruction inst on three operands of kind k. ok is
// false if inst is not an instruction on single components of this kind with
// three operands.
func GLSL3(inst uint32, k program.Kind, m program.Mode) (fn Func3, ok bool) {
	switch {
	case k.IsInt():
		width := k.Width
		switch inst {
		case spirv.GLSLUClamp:
			fn = func(x, low, high uint64) uint64 { return min(max(x, low), high) }
		case spirv.GLSLSClamp:
			in := mask(width)
			fn = func(x, low, high uint64) uint64 {
				return uint64(min(max(signExtend(x, width), signExtend(low, width)), signExtend(high, width))) & in
			}
		}
	case k.IsFloat():
		f := formatOf(k, m)
		one, two, three := f.round(1), f.round(2), f.round(3)
		switch inst {
		case spirv.GLSLFClamp, spirv.GLSLNClamp:
			fn = f.clamp
		case spirv.GLSLFma:
			fn = f.fma
		case spirv.GLSLFMix:
			fn = func(x, y, a uint64) uint64 { return f.add(f.mul(x, f.sub(one, a)), f.mul(y, a)) }
		case spirv.GLSLSmoothStep:
			fn = func(edge0, edge1, x uint64) uint64 {
				t := f.clamp(f.div(f.sub(x, edge0), f.sub(edge1, edge0)), 0, one)
				return f.mul(f.mul(t, t), f.sub(three, f.mul(two, t)))
			}
		}
	}
	return fn, fn != nil
}

// Ldexp gives GLSL.std.450 Ldexp: the first operand, of kind k, times two to the
// power of the second, a signed integer of kind exponent.
func Ldexp(k, exponent program.Kind, m program.Mode) (fn Func2, ok bool) {
	f := formatOf(k, m)
	width := exponent.Width
	return func(a, e uint64) uint64 { return f.ldexp(a, signExtend(e, width)) }, k.IsFloat() && exponent.IsInt()
}

// modfWhole gives the whole part that Modf and ModfStruct compute beside the
// fraction.
func modfWhole(k program.Kind, m program.Mode) (fn Func1, ok bool) {
	f := formatOf(k, m)
	return f.trunc, k.IsFloat()
}

// frexpExponent gives the exponent, a signed 32-bit integer, that Frexp and
// FrexpStruct compute beside the significand.
func frexpExponent(k program.Kind, m program.Mode) (fn Func1, ok bool) {
	f := formatOf(k, m)
	return f.frexpExponent, k.IsFloat()
}

func (f format) trunc(a uint64) uint64 { return f.round(math.Trunc(f.load(a))) }

func (f format) modfFraction(a uint64) uint64 {
	x := f.load(a)
	if math.IsInf(x, 0) {
		return f.round(math.Copysign(0, x))
	}
	return f.round(math.Copysign(x-math.Trunc(x), x))
}

func (f format) significand(a uint64) uint64 {
	frac, _ := math.Frexp(f.load(a))
	return f.round(frac)
}

func (f format) frexpExponent(a uint64) uint64 {
	_, e := math.Frexp(f.load(a))
	return uint64(uint32(e))
}

func (f format) sign(a uint64) uint64 {
	switch x := f.load(a); {
	case x > 0:
		return f.round(1)
	case x < 0:
		return f.round(-1)
	}
	return 0
}

func glslInt1(inst uint32, width uint8) Func1 {
	in := mask(width)
	switch inst {
	case spirv.GLSLSAbs:
		return func(a uint64) uint64 {
			if n := signExtend(a, width); n < 0 {
				return uint64(-n) & in
			}
			return a
		}
	case spirv.GLSLSSign:
		return func(a uint64) uint64 {
			n := signExtend(a, width)
			return uint64(n>>63|int64(uint64(-n)>>63)) & in
		}
	case spirv.GLSLFindILsb:
		return func(a uint64) uint64 {
			if a == 0 {
				return in
			}
			return uint64(bits.TrailingZeros64(a))
		}
	case spirv.GLSLFindUMsb:
		return func(a uint64) uint64 { return uint64(bits.Len64(a)-1) & in }
	case spirv.GLSLFindSMsb:
		return func(a uint64) uint64 {
			n := signExtend(a, width)
			return uint64(bits.Len64(uint64(n^n>>63))-1) & in
		}
	}
	return nil
}

func glslInt2(inst uint32, width uint8) Func2 {
	s := 64 - width
	switch inst {
	case spirv.GLSLUMin:
		return func(a, b uint64) uint64 { return min(a, b) }
	case spirv.GLSLUMax:
		return func(a, b uint64) uint64 { return max(a, b) }
	case spirv.GLSLSMin:
		return func(a, b uint64) uint64 {
			if int64(b<<s) < int64(a<<s) {
				return b
			}
			return a
		}
	case spirv.GLSLSMax:
		return func(a, b uint64) uint64 {
			if int64(b<<s) > int64(a<<s) {
				return b
			}
			return a
		}
	}
	return nil
}

func glslFloat1(inst uint32, f format) Func1 {
	switch inst {
	case spirv.GLSLRound, spirv.GLSLRoundEven:
		return func(a uint64) uint64 { return f.round(math.RoundToEven(f.load(a))) }
	case spirv.GLSLTrunc:
		return f.trunc
	case spirv.GLSLFloor:
		return f.floor
	case spirv.GLSLCeil:
		return func(a uint64) uint64 { return f.round(math.Ceil(f.load(a))) }
	case spirv.GLSLFract:
		return f.fract
	case spirv.GLSLFAbs:
		return f.abs
	case spirv.GLSLFSign:
		return f.sign
	case spirv.GLSLSqrt:
		return f.sqrt
	case spirv.GLSLRadians:
		factor := f.round(math.Pi / 180)
		return func(a uint64) uint64 { return f.mul(a, factor) }
	case spirv.GLSLDegrees:
		factor := f.round(180 / math.Pi)
		return func(a uint64) uint64 { return f.mul(a, factor) }
	case spirv.GLSLModf, spirv.GLSLModfStruct:
		return f.modfFraction
	case spirv.GLSLFrexp, spirv.GLSLFrexpStruct:
		return f.significand
	}
	return nil
}

func glslFloat2(inst uint32, f format) Func2 {
	switch inst {
	case spirv.GLSLFMin, spirv.GLSLNMin:
		return f.min
	case spirv.GLSLFMax, spirv.GLSLNMax:
		return f.max
	case spirv.GLSLStep:
		one := f.round(1)
		return func(edge, x uint64) uint64 {
			if f.load(x) < f.load(edge) {
				return 0
			}
			return one
		}
	}
	return nil
}
