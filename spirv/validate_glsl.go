package spirv

import "ampdbg/diag"

// glslRules are the checks of the instructions of GLSL.std.450 (SPIR-V
// Extended Instructions for GLSL, section 2), with the operands from c.arg[2]
// on. Those that are not here are of other stages, or reserved.
var glslRules = func() map[uint32]func(*typing) {
	t := map[uint32]func(*typing){}
	add := func(rule func(*typing), insts ...uint32) {
		for _, i := range insts {
			t[i] = rule
		}
	}
	add(glslLike(1, Float), GLSLRound, GLSLRoundEven, GLSLTrunc, GLSLFAbs, GLSLFSign,
		GLSLFloor, GLSLCeil, GLSLFract, GLSLSqrt, GLSLInverseSqrt, GLSLNormalize)
	add(glslLike(2, Float), GLSLFMin, GLSLFMax, GLSLNMin, GLSLNMax, GLSLStep, GLSLReflect)
	add(glslLike(3, Float), GLSLFClamp, GLSLNClamp, GLSLFMix, GLSLSmoothStep, GLSLFma, GLSLFaceForward)
	add(glslLike(1, Int), GLSLSAbs, GLSLSSign, GLSLFindILsb)
	add(glslLike(2, Int), GLSLUMin, GLSLSMin, GLSLUMax, GLSLSMax)
	add(glslLike(3, Int), GLSLUClamp, GLSLSClamp)
	add(glslNarrow(1), GLSLRadians, GLSLDegrees, GLSLSin, GLSLCos, GLSLTan, GLSLAsin, GLSLAcos,
		GLSLAtan, GLSLSinh, GLSLCosh, GLSLTanh, GLSLAsinh, GLSLAcosh, GLSLAtanh,
		GLSLExp, GLSLLog, GLSLExp2, GLSLLog2)
	add(glslNarrow(2), GLSLAtan2, GLSLPow)

	float := func(width, n int) shape { return shape{Float, width, n} }
	int32s := func(n int) shape { return shape{Int, 32, n} }
	add(glslCast(int32s(1), float(32, 4)), GLSLPackSnorm4x8, GLSLPackUnorm4x8)
	add(glslCast(int32s(1), float(32, 2)), GLSLPackSnorm2x16, GLSLPackUnorm2x16, GLSLPackHalf2x16)
	add(glslCast(float(64, 1), int32s(2)), GLSLPackDouble2x32)
	add(glslCast(float(32, 4), int32s(1)), GLSLUnpackSnorm4x8, GLSLUnpackUnorm4x8)
	add(glslCast(float(32, 2), int32s(1)), GLSLUnpackSnorm2x16, GLSLUnpackUnorm2x16, GLSLUnpackHalf2x16)
	add(glslCast(int32s(2), float(64, 1)), GLSLUnpackDouble2x32)

	add(func(c *typing) {
		s := c.result(Int)
		c.shaped(2, s)
		c.want(s.width == 32, "result is %s, expected components of 32 bits", c.typ)
	}, GLSLFindSMsb, GLSLFindUMsb)
	add(func(c *typing) { // of a vector: a scalar of its component
		s := c.result(Float)
		c.want(s.n == 1, "result is %s, expected a scalar", c.typ)
		s.n = c.numbers(2, Float).n
		for k := 2; k < len(c.arg); k++ {
			c.shaped(k, s)
		}
	}, GLSLLength, GLSLDistance)
	add(func(c *typing) {
		s := c.result(Float)
		c.want(s.n == 3, "result is %s, expected three components", c.typ)
		c.shaped(2, s)
		c.shaped(3, s)
	}, GLSLCross)
	add(func(c *typing) {
		s := c.result(Float)
		c.shaped(2, s)
		c.shaped(3, s)
		c.want(c.numbers(4, Float).n == 1, "operand 5 is %s, expected a scalar", c.arg[4])
	}, GLSLRefract)
	add(func(c *typing) {
		m := c.square(c.value(2), "operand 3")
		c.want(c.typ.Same(m.Elem.Elem), "result is %s, expected %s", c.typ, m.Elem.Elem)
	}, GLSLDeterminant)
	add(func(c *typing) { c.is(2, c.square(c.typ, "result")) }, GLSLMatrixInverse)

	add(func(c *typing) {
		c.shaped(2, c.result(Float))
		p := c.pointee(3)
		c.want(p.Same(c.typ), "operand 4 points to %s, expected %s", p, c.typ)
	}, GLSLModf)
	add(func(c *typing) {
		s := c.result(Float)
		c.shaped(2, s)
		c.exponents(s, c.pointee(3))
	}, GLSLFrexp)
	add(func(c *typing) {
		s := c.result(Float)
		c.shaped(2, s)
		c.exponents(s, c.value(3))
	}, GLSLLdexp)
	add(func(c *typing) {
		first, second := c.twoMembers()
		c.is(2, first)
		c.numbers(2, Float)
		c.want(second.Same(first), "result has members %s and %s, expected the same twice", first, second)
	}, GLSLModfStruct)
	add(func(c *typing) {
		first, second := c.twoMembers()
		c.is(2, first)
		c.exponents(c.numbers(2, Float), second)
	}, GLSLFrexpStruct)
	return t
}()

// glslLike is the rule of instructions whose result and n operands have one
// shape.
func glslLike(n int, kind TypeKind) func(*typing) {
	return func(c *typing) {
		s := c.result(kind)
		for k := range n {
			c.shaped(2+k, s)
		}
	}
}

// glslNarrow is the rule of those that take floats of 16 and 32 bits only.
func glslNarrow(n int) func(*typing) {
	like := glslLike(n, Float)
	return func(c *typing) {
		like(c)
		c.want(c.result(Float).width < 64, "result is %s, expected floats of 16 or 32 bits", c.typ)
	}
}

// glslCast is the rule of instructions between two fixed types.
func glslCast(to, from shape) func(*typing) {
	return func(c *typing) {
		c.want(c.result(to.kind) == to, "result is %s, expected %s", c.typ, to)
		c.shaped(2, from)
	}
}

// square is t, which must be a square matrix.
func (c *typing) square(t *Type, what string) *Type {
	c.want(t != nil && t.Kind == Matrix && t.Len == t.Elem.Len, "%s is %s, expected a square matrix", what, t)
	return t
}

// exponents checks that t holds an integer for each component of s.
func (c *typing) exponents(s shape, t *Type) {
	e, ok := shapeOf(t)
	c.want(ok && e.kind == Int && e.n == s.n, "exponents are %s, expected %d integers", t, s.n)
}

// twoMembers are those of the result, a struct.
func (c *typing) twoMembers() (first, second *Type) {
	c.want(c.typ != nil && c.typ.Kind == Struct && len(c.typ.Members) == 2, "result is %s, expected a struct of two members", c.typ)
	return c.typ.Members[0].Type, c.typ.Members[1].Type
}

// extended checks an OpExtInst of GLSL.std.450. How many operands there are
// has been read from the grammar.
func (c *typing) extended() {
	if c.v.ExtSet(ID(c.in.Args[0])) != "GLSL.std.450" {
		return
	}
	if rule := glslRules[c.in.Args[1]]; rule != nil {
		rule(c)
		return
	}
	e := c.v.errorAt(c.at, "unsupported: GLSL.std.450 instruction %s", ExtInstName("GLSL.std.450", c.in.Args[1]))
	e.Class = diag.Unsupported
	panic(bailout{e})
}
