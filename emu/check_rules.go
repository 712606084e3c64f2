package emu

import "ampdbg/spirv"

// rules are the checks of instructions other than atomic and subgroup ones.
var rules map[spirv.Opcode]func(*checker)

func init() {
	rules = map[spirv.Opcode]func(*checker){
		spirv.OpIAdd: twoInts, spirv.OpISub: twoInts, spirv.OpIMul: twoInts, spirv.OpUDiv: (*checker).unsignedDivision, spirv.OpSDiv: twoInts,
		spirv.OpUMod: (*checker).unsignedDivision, spirv.OpSRem: twoInts, spirv.OpSMod: twoInts,
		spirv.OpBitwiseAnd: twoInts, spirv.OpBitwiseOr: twoInts, spirv.OpBitwiseXor: twoInts,
		spirv.OpNot: oneInt, spirv.OpSNegate: oneInt, spirv.OpBitReverse: func(c *checker) { oneInt(c); c.is(0, c.typ) },
		spirv.OpBitCount:         conversion(spirv.Int, spirv.Int),
		spirv.OpShiftLeftLogical: (*checker).shift, spirv.OpShiftRightLogical: (*checker).shift, spirv.OpShiftRightArithmetic: (*checker).shift,
		spirv.OpBitFieldInsert: (*checker).bitField, spirv.OpBitFieldSExtract: (*checker).bitField, spirv.OpBitFieldUExtract: (*checker).bitField,

		spirv.OpFAdd: twoFloats, spirv.OpFSub: twoFloats, spirv.OpFMul: twoFloats, spirv.OpFDiv: twoFloats, spirv.OpFRem: twoFloats,
		spirv.OpFMod: twoFloats, spirv.OpFNegate: oneFloat, spirv.OpQuantizeToF16: oneFloat,
		spirv.OpLogicalAnd: twoBools, spirv.OpLogicalOr: twoBools, spirv.OpLogicalEqual: twoBools, spirv.OpLogicalNotEqual: twoBools,
		spirv.OpLogicalNot: componentwise(1, spirv.Bool),

		spirv.OpIEqual: intComparison, spirv.OpINotEqual: intComparison,
		spirv.OpULessThan: intComparison, spirv.OpULessThanEqual: intComparison, spirv.OpUGreaterThan: intComparison, spirv.OpUGreaterThanEqual: intComparison,
		spirv.OpSLessThan: intComparison, spirv.OpSLessThanEqual: intComparison, spirv.OpSGreaterThan: intComparison, spirv.OpSGreaterThanEqual: intComparison,
		spirv.OpFOrdEqual: floatComparison, spirv.OpFUnordEqual: floatComparison, spirv.OpFOrdNotEqual: floatComparison, spirv.OpFUnordNotEqual: floatComparison,
		spirv.OpFOrdLessThan: floatComparison, spirv.OpFUnordLessThan: floatComparison, spirv.OpFOrdLessThanEqual: floatComparison,
		spirv.OpFUnordLessThanEqual: floatComparison, spirv.OpFOrdGreaterThan: floatComparison, spirv.OpFUnordGreaterThan: floatComparison,
		spirv.OpFOrdGreaterThanEqual: floatComparison, spirv.OpFUnordGreaterThanEqual: floatComparison,
		spirv.OpOrdered: floatComparison, spirv.OpUnordered: floatComparison, spirv.OpLessOrGreater: floatComparison,
		spirv.OpIsNan: floatTest, spirv.OpIsInf: floatTest, spirv.OpIsFinite: floatTest, spirv.OpIsNormal: floatTest, spirv.OpSignBitSet: floatTest,

		spirv.OpConvertFToU: toUnsigned(spirv.Float), spirv.OpConvertFToS: conversion(spirv.Int, spirv.Float),
		spirv.OpConvertSToF: conversion(spirv.Float, spirv.Int), spirv.OpConvertUToF: conversion(spirv.Float, spirv.Int),
		spirv.OpUConvert: widthChange(toUnsigned(spirv.Int)), spirv.OpSConvert: widthChange(conversion(spirv.Int, spirv.Int)),
		spirv.OpFConvert: widthChange(conversion(spirv.Float, spirv.Float)), spirv.OpSatConvertSToU: conversion(spirv.Int, spirv.Int),
		spirv.OpSatConvertUToS: conversion(spirv.Int, spirv.Int),

		spirv.OpAny: (*checker).anyAll, spirv.OpAll: (*checker).anyAll,
		spirv.OpIAddCarry: (*checker).pair, spirv.OpISubBorrow: (*checker).pair, spirv.OpUMulExtended: (*checker).pair, spirv.OpSMulExtended: (*checker).pair,
		spirv.OpDot: (*checker).linear, spirv.OpVectorTimesScalar: (*checker).linear, spirv.OpMatrixTimesScalar: (*checker).linear,
		spirv.OpVectorTimesMatrix: (*checker).linear, spirv.OpMatrixTimesVector: (*checker).linear, spirv.OpMatrixTimesMatrix: (*checker).linear,
		spirv.OpOuterProduct: (*checker).linear, spirv.OpTranspose: (*checker).linear,
		spirv.OpSDot: (*checker).integerDot, spirv.OpUDot: (*checker).integerDot, spirv.OpSUDot: (*checker).integerDot,
		spirv.OpSDotAccSat: (*checker).integerDot, spirv.OpUDotAccSat: (*checker).integerDot, spirv.OpSUDotAccSat: (*checker).integerDot,

		spirv.OpSelect: (*checker).selection, spirv.OpBitcast: (*checker).bitcast,
		spirv.OpCopyObject: (*checker).copies, spirv.OpExpectKHR: (*checker).copies, spirv.OpCopyLogical: (*checker).copies,
		spirv.OpCompositeConstruct: (*checker).construct, spirv.OpCompositeExtract: (*checker).extract, spirv.OpCompositeInsert: (*checker).insert,
		spirv.OpVectorShuffle: (*checker).shuffle, spirv.OpVectorExtractDynamic: (*checker).dynamic, spirv.OpVectorInsertDynamic: (*checker).dynamic,

		spirv.OpVariable: (*checker).variable, spirv.OpLoad: (*checker).load, spirv.OpStore: (*checker).store, spirv.OpCopyMemory: (*checker).copyMemory,
		spirv.OpAccessChain: (*checker).chain, spirv.OpInBoundsAccessChain: (*checker).chain,
		spirv.OpPtrAccessChain: (*checker).chain, spirv.OpInBoundsPtrAccessChain: (*checker).chain,
		spirv.OpArrayLength: (*checker).arrayLength, spirv.OpPtrEqual: (*checker).pointers, spirv.OpPtrNotEqual: (*checker).pointers, spirv.OpPtrDiff: (*checker).pointers,
		spirv.OpConvertPtrToU: (*checker).convertPointer, spirv.OpConvertUToPtr: (*checker).convertPointer,
		spirv.OpReadClockKHR: (*checker).clock, spirv.OpSwitch: func(c *checker) { c.integer(0) },
		spirv.OpExtInst: (*checker).extended,

		spirv.OpSampledImage: (*checker).sampledImage, spirv.OpImage: (*checker).imageOf, spirv.OpImageTexelPointer: (*checker).texelPointer,
		spirv.OpImageSampleImplicitLod: (*checker).sample, spirv.OpImageSampleExplicitLod: (*checker).sample,
		spirv.OpImageSampleDrefImplicitLod: (*checker).sample, spirv.OpImageSampleDrefExplicitLod: (*checker).sample,
		spirv.OpImageSampleProjImplicitLod: (*checker).sample, spirv.OpImageSampleProjExplicitLod: (*checker).sample,
		spirv.OpImageSampleProjDrefImplicitLod: (*checker).sample, spirv.OpImageSampleProjDrefExplicitLod: (*checker).sample,
		spirv.OpImageGather: (*checker).sample, spirv.OpImageDrefGather: (*checker).sample,
		spirv.OpImageFetch: (*checker).texel, spirv.OpImageRead: (*checker).texel, spirv.OpImageWrite: (*checker).texel,
		spirv.OpImageQuerySize: (*checker).query, spirv.OpImageQuerySizeLod: (*checker).query, spirv.OpImageQueryLevels: (*checker).query,
		spirv.OpImageQuerySamples: (*checker).query, spirv.OpImageQueryLod: (*checker).query,
	}
}

func (c *checker) unsignedDivision() {
	twoInts(c)
	c.unsigned()
	c.is(0, c.typ)
	c.is(1, c.typ)
}

// unsigned fails unless the result is of unsigned integers.
func (c *checker) unsigned() {
	c.want(!c.typ.Component().Signed, "result is %s, expected unsigned integers", c.typ)
}

// toUnsigned is the rule of conversions to unsigned integers.
func toUnsigned(from spirv.TypeKind) func(*checker) {
	convert := conversion(spirv.Int, from)
	return func(c *checker) {
		convert(c)
		c.unsigned()
	}
}

// widthChange is the rule of conversions to another width.
func widthChange(convert func(*checker)) func(*checker) {
	return func(c *checker) {
		convert(c)
		c.want(c.typ.Component().Width != c.arg[0].Component().Width, "result and operand are both %s", c.typ)
	}
}

func (c *checker) shift() {
	c.count(2)
	s := c.result(spirv.Int)
	c.shaped(0, s)
	c.want(c.numbers(1, spirv.Int).n == s.n, "operand 2 is %s, result %s", c.arg[1], c.typ)
}

func (c *checker) bitField() {
	n := 3
	if c.in.Op == spirv.OpBitFieldInsert {
		n = 4
	}
	c.count(n)
	c.result(spirv.Int)
	for k := range n - 2 {
		c.is(k, c.typ)
	}
	c.integer(n - 2)
	c.integer(n - 1)
}

func (c *checker) anyAll() {
	c.count(1)
	c.numbers(0, spirv.Bool)
	c.want(c.result(spirv.Bool).n == 1, "result is %s, expected bool", c.typ)
}

func (c *checker) pair() {
	c.count(2)
	s := c.numbers(0, spirv.Int)
	c.shaped(1, s)
	ok := c.typ != nil && c.typ.Kind == spirv.Struct && len(c.typ.Members) == 2
	for k := 0; ok && k < 2; k++ {
		part, is := shapeOf(c.typ.Members[k].Type)
		ok = is && part == s
	}
	c.want(ok, "result is %s, expected a struct of two %s", c.typ, s)
}

// matrix is the columns, rows and component of a type, a vector being one
// column and a scalar one row of it.
func matrix(t *spirv.Type) (cols, rows int, comp shape) {
	cols = 1
	if t != nil && t.Kind == spirv.Matrix {
		cols, t = t.Len, t.Elem
	}
	s, ok := shapeOf(t)
	if !ok || s.kind != spirv.Float {
		return 0, 0, shape{}
	}
	return cols, s.n, shape{s.kind, s.width, 1}
}

func (c *checker) linear() {
	n := 2
	if c.in.Op == spirv.OpTranspose {
		n = 1
	}
	c.count(n)
	cols, rows, comp := matrix(c.typ)
	ac, ar, acomp := matrix(c.value(0))
	bc, br, bcomp := 0, 0, acomp
	if n == 2 {
		bc, br, bcomp = matrix(c.value(1))
	}
	c.want(cols > 0 && comp == acomp && comp == bcomp, "operands and result are not of one kind of float")
	vector := func(cols int) bool { return cols == 1 }
	var ok bool
	switch c.in.Op {
	case spirv.OpDot:
		ok = vector(ac) && vector(bc) && ar == br && cols == 1 && rows == 1
	case spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar:
		ok = bc == 1 && br == 1 && cols == ac && rows == ar
	case spirv.OpVectorTimesMatrix: // (row) * matrix
		ok = vector(ac) && ar == br && cols == 1 && rows == bc && c.arg[1].Kind == spirv.Matrix
	case spirv.OpMatrixTimesVector:
		ok = vector(bc) && ac == br && cols == 1 && rows == ar && c.arg[0].Kind == spirv.Matrix
	case spirv.OpMatrixTimesMatrix:
		ok = ac == br && cols == bc && rows == ar && c.arg[0].Kind == spirv.Matrix && c.arg[1].Kind == spirv.Matrix
	case spirv.OpOuterProduct:
		ok = vector(ac) && vector(bc) && cols == br && rows == ar && c.typ.Kind == spirv.Matrix
	case spirv.OpTranspose:
		ok = cols == ar && rows == ac && c.typ.Kind == spirv.Matrix && c.arg[0].Kind == spirv.Matrix
	}
	c.want(ok, "sizes of operands and result do not fit")
}

func (c *checker) integerDot() {
	s := c.numbers(0, spirv.Int)
	c.shaped(1, s)
	r := c.result(spirv.Int)
	c.want(r.n == 1 && (s.n > 1 || s.width == 32), "operands are %s, result %s", c.arg[0], c.typ)
	switch c.in.Op {
	case spirv.OpSDotAccSat, spirv.OpUDotAccSat, spirv.OpSUDotAccSat:
		c.shaped(2, r)
	}
}

func (c *checker) selection() {
	c.count(3)
	c.is(1, c.typ)
	c.is(2, c.typ)
	n := c.numbers(0, spirv.Bool).n
	c.want(n == 1 || c.typ.Kind == spirv.Vector && c.typ.Len == n, "condition is %s, result %s", c.arg[0], c.typ)
}

// bitSize is the size of a value that OpBitcast takes.
func bitSize(t *spirv.Type) int {
	if t != nil && t.Kind == spirv.Pointer {
		return 64
	}
	if s, ok := shapeOf(t); ok && s.kind != spirv.Bool {
		return s.width * s.n
	}
	return 0
}

func (c *checker) bitcast() {
	c.count(1)
	n := bitSize(c.value(0))
	c.want(n > 0 && n == bitSize(c.typ), "operand is %s, result %s", c.arg[0], c.typ)
}

func (c *checker) copies() {
	c.is(0, c.typ)
	c.want(c.in.Op == spirv.OpCopyLogical || c.arg[0] == c.typ, "operand is %s, result %s", c.arg[0], c.typ)
}

func (c *checker) construct() {
	c.want(c.typ != nil && c.typ.IsComposite() && c.typ.Kind != spirv.RuntimeArray, "result is %s", c.typ)
	if c.typ.Kind == spirv.Vector {
		n := 0
		for k := range c.in.Args {
			t := c.value(k)
			if t.Kind == spirv.Vector {
				n += t.Len
				t = t.Elem
			} else {
				n++
			}
			c.want(t == c.typ.Elem || t.Same(c.typ.Elem), "operand %d is %s, result %s", k+1, c.arg[k], c.typ)
		}
		c.want(n == c.typ.Len, "%d components for %s", n, c.typ)
		return
	}
	n := c.typ.Len
	if c.typ.Kind == spirv.Struct {
		n = len(c.typ.Members)
	}
	c.count(n)
	for k := range n {
		c.is(k, c.typ.Child(k))
	}
}

// part is the type of a part of a composite, by literal indexes.
func (c *checker) part(t *spirv.Type, path []uint32) *spirv.Type {
	for _, k := range path {
		child := (*spirv.Type)(nil)
		if t.IsComposite() && t.Kind != spirv.RuntimeArray {
			child = t.Child(int(k))
		}
		c.want(child != nil, "part %d of %s", k, t)
		t = child
	}
	return t
}

func (c *checker) extract() {
	c.want(len(c.in.Args) > 1, "no index")
	c.isResult(c.part(c.value(0), c.in.Args[1:]))
}

func (c *checker) insert() {
	c.want(len(c.in.Args) > 2, "no index")
	c.value(1)
	c.is(1, c.typ)
	c.is(0, c.part(c.arg[1], c.in.Args[2:]))
}

func (c *checker) shuffle() {
	c.value(1)
	for k := range 2 {
		c.want(c.value(k).Kind == spirv.Vector && c.typ != nil && c.typ.Kind == spirv.Vector && c.arg[k].Elem.Same(c.typ.Elem),
			"operand %d is %s, result %s", k+1, c.arg[k], c.typ)
	}
	c.count(2 + c.typ.Len)
}

func (c *checker) dynamic() {
	v := c.value(0)
	c.want(v.Kind == spirv.Vector, "operand 1 is %s, expected a vector", v)
	if c.in.Op == spirv.OpVectorExtractDynamic {
		c.count(2)
		c.integer(1)
		c.isResult(v.Elem)
		return
	}
	c.count(3)
	c.is(1, v.Elem)
	c.integer(2)
	c.isResult(v)
}
