package emu

import (
	"ampdbg/diag"
	"ampdbg/spirv"
)

// glslRules are the checks of the instructions of GLSL.std.450 (SPIR-V
// Extended Instructions for GLSL, section 2), with the operands from c.arg[2]
// on. Those that are not here are not run.
var glslRules = func() map[uint32]func(*checker) {
	t := map[uint32]func(*checker){}
	add := func(rule func(*checker), insts ...uint32) {
		for _, i := range insts {
			t[i] = rule
		}
	}
	add(glslLike(1, spirv.Float), spirv.GLSLRound, spirv.GLSLRoundEven, spirv.GLSLTrunc, spirv.GLSLFAbs, spirv.GLSLFSign,
		spirv.GLSLFloor, spirv.GLSLCeil, spirv.GLSLFract, spirv.GLSLSqrt, spirv.GLSLInverseSqrt, spirv.GLSLNormalize)
	add(glslLike(2, spirv.Float), spirv.GLSLFMin, spirv.GLSLFMax, spirv.GLSLNMin, spirv.GLSLNMax, spirv.GLSLStep, spirv.GLSLReflect)
	add(glslLike(3, spirv.Float), spirv.GLSLFClamp, spirv.GLSLNClamp, spirv.GLSLFMix, spirv.GLSLSmoothStep, spirv.GLSLFma, spirv.GLSLFaceForward)
	add(glslLike(1, spirv.Int), spirv.GLSLSAbs, spirv.GLSLSSign, spirv.GLSLFindILsb)
	add(glslLike(2, spirv.Int), spirv.GLSLUMin, spirv.GLSLSMin, spirv.GLSLUMax, spirv.GLSLSMax)
	add(glslLike(3, spirv.Int), spirv.GLSLUClamp, spirv.GLSLSClamp)
	add(glslNarrow(1), spirv.GLSLRadians, spirv.GLSLDegrees, spirv.GLSLSin, spirv.GLSLCos, spirv.GLSLTan, spirv.GLSLAsin, spirv.GLSLAcos,
		spirv.GLSLAtan, spirv.GLSLSinh, spirv.GLSLCosh, spirv.GLSLTanh, spirv.GLSLAsinh, spirv.GLSLAcosh, spirv.GLSLAtanh,
		spirv.GLSLExp, spirv.GLSLLog, spirv.GLSLExp2, spirv.GLSLLog2)
	add(glslNarrow(2), spirv.GLSLAtan2, spirv.GLSLPow)

	float := func(width, n int) shape { return shape{spirv.Float, width, n} }
	int32s := func(n int) shape { return shape{spirv.Int, 32, n} }
	add(glslCast(int32s(1), float(32, 4)), spirv.GLSLPackSnorm4x8, spirv.GLSLPackUnorm4x8)
	add(glslCast(int32s(1), float(32, 2)), spirv.GLSLPackSnorm2x16, spirv.GLSLPackUnorm2x16, spirv.GLSLPackHalf2x16)
	add(glslCast(float(64, 1), int32s(2)), spirv.GLSLPackDouble2x32)
	add(glslCast(float(32, 4), int32s(1)), spirv.GLSLUnpackSnorm4x8, spirv.GLSLUnpackUnorm4x8)
	add(glslCast(float(32, 2), int32s(1)), spirv.GLSLUnpackSnorm2x16, spirv.GLSLUnpackUnorm2x16, spirv.GLSLUnpackHalf2x16)
	add(glslCast(int32s(2), float(64, 1)), spirv.GLSLUnpackDouble2x32)

	add(func(c *checker) {
		s := c.result(spirv.Int)
		c.shaped(2, s)
		c.want(s.width == 32, "result is %s, expected components of 32 bits", c.typ)
	}, spirv.GLSLFindSMsb, spirv.GLSLFindUMsb)
	add(func(c *checker) { // of a vector: a scalar of its component
		s := c.result(spirv.Float)
		c.want(s.n == 1, "result is %s, expected a scalar", c.typ)
		s.n = c.numbers(2, spirv.Float).n
		for k := 2; k < len(c.arg); k++ {
			c.shaped(k, s)
		}
	}, spirv.GLSLLength, spirv.GLSLDistance)
	add(func(c *checker) {
		s := c.result(spirv.Float)
		c.want(s.n == 3, "result is %s, expected three components", c.typ)
		c.shaped(2, s)
		c.shaped(3, s)
	}, spirv.GLSLCross)
	add(func(c *checker) {
		s := c.result(spirv.Float)
		c.shaped(2, s)
		c.shaped(3, s)
		c.want(c.numbers(4, spirv.Float).n == 1, "operand 5 is %s, expected a scalar", c.arg[4])
	}, spirv.GLSLRefract)
	add(func(c *checker) {
		m := c.square(c.value(2), "operand 3")
		c.want(c.typ.Same(m.Elem.Elem), "result is %s, expected %s", c.typ, m.Elem.Elem)
	}, spirv.GLSLDeterminant)
	add(func(c *checker) { c.is(2, c.square(c.typ, "result")) }, spirv.GLSLMatrixInverse)

	add(func(c *checker) {
		c.shaped(2, c.result(spirv.Float))
		p := c.pointee(3)
		c.want(p.Same(c.typ), "operand 4 points to %s, expected %s", p, c.typ)
	}, spirv.GLSLModf)
	add(func(c *checker) {
		s := c.result(spirv.Float)
		c.shaped(2, s)
		c.exponents(s, c.pointee(3))
	}, spirv.GLSLFrexp)
	add(func(c *checker) {
		s := c.result(spirv.Float)
		c.shaped(2, s)
		c.exponents(s, c.value(3))
	}, spirv.GLSLLdexp)
	add(func(c *checker) {
		first, second := c.twoMembers()
		c.is(2, first)
		c.numbers(2, spirv.Float)
		c.want(second.Same(first), "result has members %s and %s, expected the same twice", first, second)
	}, spirv.GLSLModfStruct)
	add(func(c *checker) {
		first, second := c.twoMembers()
		c.is(2, first)
		c.exponents(c.numbers(2, spirv.Float), second)
	}, spirv.GLSLFrexpStruct)
	return t
}()

// glslLike is the rule of instructions whose result and n operands have one
// shape.
func glslLike(n int, kind spirv.TypeKind) func(*checker) {
	return func(c *checker) {
		s := c.result(kind)
		for k := range n {
			c.shaped(2+k, s)
		}
	}
}

// glslNarrow is the rule of those that take floats of 16 and 32 bits only.
func glslNarrow(n int) func(*checker) {
	like := glslLike(n, spirv.Float)
	return func(c *checker) {
		like(c)
		c.want(c.result(spirv.Float).width < 64, "result is %s, expected floats of 16 or 32 bits", c.typ)
	}
}

// glslCast is the rule of instructions between two fixed types.
func glslCast(to, from shape) func(*checker) {
	return func(c *checker) {
		c.want(c.result(to.kind) == to, "result is %s, expected %s", c.typ, to)
		c.shaped(2, from)
	}
}

// square is t, which must be a square matrix.
func (c *checker) square(t *spirv.Type, what string) *spirv.Type {
	c.want(t != nil && t.Kind == spirv.Matrix && t.Len == t.Elem.Len, "%s is %s, expected a square matrix", what, t)
	return t
}

// exponents checks that t holds an integer for each component of s.
func (c *checker) exponents(s shape, t *spirv.Type) {
	e, ok := shapeOf(t)
	c.want(ok && e.kind == spirv.Int && e.n == s.n, "exponents are %s, expected %d integers", t, s.n)
}

// twoMembers are those of the result, a struct.
func (c *checker) twoMembers() (first, second *spirv.Type) {
	c.want(c.typ != nil && c.typ.Kind == spirv.Struct && len(c.typ.Members) == 2, "result is %s, expected a struct of two members", c.typ)
	return c.typ.Members[0].Type, c.typ.Members[1].Type
}

// extended checks an OpExtInst of GLSL.std.450. How many operands there are
// has been read from the grammar.
func (c *checker) extended() {
	if c.u.ExtSet(spirv.ID(c.in.Args[0])) != "GLSL.std.450" {
		return
	}
	if rule := glslRules[c.in.Args[1]]; rule != nil {
		rule(c)
		return
	}
	panic(stop{c.errorf(diag.Unsupported, "unsupported: GLSL.std.450 instruction %s", spirv.ExtInstName("GLSL.std.450", c.in.Args[1]))})
}
