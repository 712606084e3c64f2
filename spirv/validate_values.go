package spirv

import (
	"math"
	"slices"
)

// operandRules are the rules of the operands and results of instructions in
// function bodies, control flow left out.
var operandRules = map[Opcode]func(*typing){
	OpIAdd: twoInts, OpISub: twoInts, OpIMul: twoInts, OpUDiv: (*typing).unsignedDivision, OpSDiv: twoInts,
	OpUMod: (*typing).unsignedDivision, OpSRem: twoInts, OpSMod: twoInts,
	OpBitwiseAnd: twoInts, OpBitwiseOr: twoInts, OpBitwiseXor: twoInts,
	OpNot: oneInt, OpSNegate: oneInt, OpBitReverse: func(c *typing) { oneInt(c); c.is(0, c.typ) },
	OpBitCount:         conversion(Int, Int),
	OpShiftLeftLogical: (*typing).shift, OpShiftRightLogical: (*typing).shift, OpShiftRightArithmetic: (*typing).shift,
	OpBitFieldInsert: (*typing).bitField, OpBitFieldSExtract: (*typing).bitField, OpBitFieldUExtract: (*typing).bitField,

	OpFAdd: twoFloats, OpFSub: twoFloats, OpFMul: twoFloats, OpFDiv: twoFloats, OpFRem: twoFloats,
	OpFMod: twoFloats, OpFNegate: oneFloat, OpQuantizeToF16: oneFloat,
	OpLogicalAnd: twoBools, OpLogicalOr: twoBools, OpLogicalEqual: twoBools, OpLogicalNotEqual: twoBools,
	OpLogicalNot: componentwise(1, Bool),

	OpIEqual: intComparison, OpINotEqual: intComparison,
	OpULessThan: intComparison, OpULessThanEqual: intComparison, OpUGreaterThan: intComparison, OpUGreaterThanEqual: intComparison,
	OpSLessThan: intComparison, OpSLessThanEqual: intComparison, OpSGreaterThan: intComparison, OpSGreaterThanEqual: intComparison,
	OpFOrdEqual: floatComparison, OpFUnordEqual: floatComparison, OpFOrdNotEqual: floatComparison, OpFUnordNotEqual: floatComparison,
	OpFOrdLessThan: floatComparison, OpFUnordLessThan: floatComparison, OpFOrdLessThanEqual: floatComparison,
	OpFUnordLessThanEqual: floatComparison, OpFOrdGreaterThan: floatComparison, OpFUnordGreaterThan: floatComparison,
	OpFOrdGreaterThanEqual: floatComparison, OpFUnordGreaterThanEqual: floatComparison,
	OpOrdered: floatComparison, OpUnordered: floatComparison, OpLessOrGreater: floatComparison,
	OpIsNan: floatTest, OpIsInf: floatTest, OpIsFinite: floatTest, OpIsNormal: floatTest, OpSignBitSet: floatTest,

	OpConvertFToU: toUnsigned(Float), OpConvertFToS: conversion(Int, Float),
	OpConvertSToF: conversion(Float, Int), OpConvertUToF: conversion(Float, Int),
	OpUConvert: widthChange(toUnsigned(Int)), OpSConvert: widthChange(conversion(Int, Int)),
	OpFConvert: widthChange(conversion(Float, Float)), OpSatConvertSToU: conversion(Int, Int),
	OpSatConvertUToS: conversion(Int, Int),

	OpAny: (*typing).anyAll, OpAll: (*typing).anyAll,
	OpIAddCarry: (*typing).pair, OpISubBorrow: (*typing).pair, OpUMulExtended: (*typing).pair, OpSMulExtended: (*typing).pair,
	OpDot: (*typing).linear, OpVectorTimesScalar: (*typing).linear, OpMatrixTimesScalar: (*typing).linear,
	OpVectorTimesMatrix: (*typing).linear, OpMatrixTimesVector: (*typing).linear, OpMatrixTimesMatrix: (*typing).linear,
	OpOuterProduct: (*typing).linear, OpTranspose: (*typing).linear,
	OpSDot: (*typing).integerDot, OpUDot: (*typing).integerDot, OpSUDot: (*typing).integerDot,
	OpSDotAccSat: (*typing).integerDot, OpUDotAccSat: (*typing).integerDot, OpSUDotAccSat: (*typing).integerDot,

	OpSelect: (*typing).selection, OpBitcast: (*typing).bitcast,
	OpCopyObject: (*typing).copies, OpExpectKHR: (*typing).copies, OpCopyLogical: (*typing).copies,
	OpCompositeConstruct: (*typing).construct, OpCompositeExtract: (*typing).extract, OpCompositeInsert: (*typing).insert,
	OpVectorShuffle: (*typing).shuffle, OpVectorExtractDynamic: (*typing).dynamic, OpVectorInsertDynamic: (*typing).dynamic,

	OpVariable: (*typing).variable, OpLoad: (*typing).load, OpStore: (*typing).store, OpCopyMemory: (*typing).copyMemory,
	OpAccessChain: (*typing).chain, OpInBoundsAccessChain: (*typing).chain,
	OpPtrAccessChain: (*typing).chain, OpInBoundsPtrAccessChain: (*typing).chain,
	OpArrayLength: (*typing).arrayLength, OpPtrEqual: (*typing).pointers, OpPtrNotEqual: (*typing).pointers, OpPtrDiff: (*typing).pointers,
	OpConvertPtrToU: (*typing).convertPointer, OpConvertUToPtr: (*typing).convertPointer,
	OpReadClockKHR: (*typing).clock, OpSwitch: func(c *typing) { c.integer(0) },
	OpExtInst: (*typing).extended,

	OpSampledImage: (*typing).sampledImage, OpImage: (*typing).imageOf, OpImageTexelPointer: (*typing).texelPointer,
	OpImageSampleImplicitLod: (*typing).sample, OpImageSampleExplicitLod: (*typing).sample,
	OpImageSampleDrefImplicitLod: (*typing).sample, OpImageSampleDrefExplicitLod: (*typing).sample,
	OpImageSampleProjImplicitLod: (*typing).sample, OpImageSampleProjExplicitLod: (*typing).sample,
	OpImageSampleProjDrefImplicitLod: (*typing).sample, OpImageSampleProjDrefExplicitLod: (*typing).sample,
	OpImageGather: (*typing).sample, OpImageDrefGather: (*typing).sample,
	OpImageFetch: (*typing).texel, OpImageRead: (*typing).texel, OpImageWrite: (*typing).texel,
	OpImageQuerySize: (*typing).query, OpImageQuerySizeLod: (*typing).query, OpImageQueryLevels: (*typing).query,
	OpImageQuerySamples: (*typing).query, OpImageQueryLod: (*typing).query,

	OpAtomicLoad: (*typing).atomic, OpAtomicStore: (*typing).atomic, OpAtomicExchange: (*typing).atomic,
	OpAtomicCompareExchange: (*typing).atomic, OpAtomicCompareExchangeWeak: (*typing).atomic,
	OpAtomicIIncrement: (*typing).atomic, OpAtomicIDecrement: (*typing).atomic, OpAtomicIAdd: (*typing).atomic, OpAtomicISub: (*typing).atomic,
	OpAtomicSMin: (*typing).atomic, OpAtomicUMin: (*typing).atomic, OpAtomicSMax: (*typing).atomic, OpAtomicUMax: (*typing).atomic,
	OpAtomicAnd: (*typing).atomic, OpAtomicOr: (*typing).atomic, OpAtomicXor: (*typing).atomic,
	OpAtomicFAddEXT: (*typing).atomic, OpAtomicFMinEXT: (*typing).atomic, OpAtomicFMaxEXT: (*typing).atomic,

	OpSubgroupBallotKHR: (*typing).group, OpSubgroupFirstInvocationKHR: (*typing).group, OpSubgroupAllKHR: (*typing).group,
	OpSubgroupAnyKHR: (*typing).group, OpSubgroupAllEqualKHR: (*typing).group, OpSubgroupReadInvocationKHR: (*typing).group,
	OpGroupNonUniformElect: (*typing).group, OpGroupNonUniformAll: (*typing).group, OpGroupNonUniformAny: (*typing).group,
	OpGroupNonUniformAllEqual: (*typing).group, OpGroupNonUniformBroadcast: (*typing).group, OpGroupNonUniformBroadcastFirst: (*typing).group,
	OpGroupNonUniformBallot: (*typing).group, OpGroupNonUniformInverseBallot: (*typing).group,
	OpGroupNonUniformBallotBitExtract: (*typing).group, OpGroupNonUniformBallotBitCount: (*typing).group,
	OpGroupNonUniformBallotFindLSB: (*typing).group, OpGroupNonUniformBallotFindMSB: (*typing).group,
	OpGroupNonUniformShuffle: (*typing).group, OpGroupNonUniformShuffleXor: (*typing).group,
	OpGroupNonUniformShuffleUp: (*typing).group, OpGroupNonUniformShuffleDown: (*typing).group,
	OpGroupNonUniformIAdd: (*typing).group, OpGroupNonUniformFAdd: (*typing).group, OpGroupNonUniformIMul: (*typing).group,
	OpGroupNonUniformFMul: (*typing).group, OpGroupNonUniformSMin: (*typing).group, OpGroupNonUniformUMin: (*typing).group,
	OpGroupNonUniformFMin: (*typing).group, OpGroupNonUniformSMax: (*typing).group, OpGroupNonUniformUMax: (*typing).group,
	OpGroupNonUniformFMax: (*typing).group, OpGroupNonUniformBitwiseAnd: (*typing).group, OpGroupNonUniformBitwiseOr: (*typing).group,
	OpGroupNonUniformBitwiseXor: (*typing).group, OpGroupNonUniformLogicalAnd: (*typing).group, OpGroupNonUniformLogicalOr: (*typing).group,
	OpGroupNonUniformLogicalXor: (*typing).group, OpGroupNonUniformQuadBroadcast: (*typing).group, OpGroupNonUniformQuadSwap: (*typing).group,
	OpGroupNonUniformRotateKHR: (*typing).group,
}

func (c *typing) unsignedDivision() {
	twoInts(c)
	c.unsigned()
	c.is(0, c.typ)
	c.is(1, c.typ)
}

// unsigned fails unless the result is of unsigned integers.
func (c *typing) unsigned() {
	c.want(!c.typ.Component().Signed, "result is %s, expected unsigned integers", c.typ)
}

// toUnsigned is the rule of conversions to unsigned integers.
func toUnsigned(from TypeKind) func(*typing) {
	convert := conversion(Int, from)
	return func(c *typing) {
		convert(c)
		c.unsigned()
	}
}

// widthChange is the rule of conversions to another width.
func widthChange(convert func(*typing)) func(*typing) {
	return func(c *typing) {
		convert(c)
		c.want(c.typ.Component().Width != c.arg[0].Component().Width, "result and operand are both %s", c.typ)
	}
}

func (c *typing) shift() {
	c.count(2)
	s := c.result(Int)
	c.shaped(0, s)
	c.want(c.numbers(1, Int).n == s.n, "operand 2 is %s, result %s", c.arg[1], c.typ)
}

func (c *typing) bitField() {
	n := 3
	if c.in.Op == OpBitFieldInsert {
		n = 4
	}
	c.count(n)
	c.result(Int)
	for k := range n - 2 {
		c.is(k, c.typ)
	}
	c.integer(n - 2)
	c.integer(n - 1)
}

func (c *typing) anyAll() {
	c.count(1)
	c.numbers(0, Bool)
	c.want(c.result(Bool).n == 1, "result is %s, expected bool", c.typ)
}

func (c *typing) pair() {
	c.count(2)
	s := c.numbers(0, Int)
	c.shaped(1, s)
	ok := c.typ != nil && c.typ.Kind == Struct && len(c.typ.Members) == 2
	for k := 0; ok && k < 2; k++ {
		part, is := shapeOf(c.typ.Members[k].Type)
		ok = is && part == s
	}
	c.want(ok, "result is %s, expected a struct of two %s", c.typ, s)
	c.is(0, c.typ.Members[0].Type)
	c.is(1, c.typ.Members[0].Type)
}

// matrix is the columns, rows and component of a type, a vector being one
// column and a scalar one row of it.
func matrix(t *Type) (cols, rows int, comp shape) {
	cols = 1
	if t != nil && t.Kind == Matrix {
		cols, t = t.Len, t.Elem
	}
	s, ok := shapeOf(t)
	if !ok || s.kind != Float {
		return 0, 0, shape{}
	}
	return cols, s.n, shape{s.kind, s.width, 1}
}

func (c *typing) linear() {
	n := 2
	if c.in.Op == OpTranspose {
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
	case OpDot:
		ok = c.arg[0].Kind == Vector && c.arg[1].Kind == Vector && ar == br && cols == 1 && rows == 1
	case OpVectorTimesScalar, OpMatrixTimesScalar:
		ok = bc == 1 && br == 1 && cols == ac && rows == ar
	case OpVectorTimesMatrix: // (row) * matrix
		ok = vector(ac) && ar == br && cols == 1 && rows == bc && c.arg[1].Kind == Matrix
	case OpMatrixTimesVector:
		ok = vector(bc) && ac == br && cols == 1 && rows == ar && c.arg[0].Kind == Matrix
	case OpMatrixTimesMatrix:
		ok = ac == br && cols == bc && rows == ar && c.arg[0].Kind == Matrix && c.arg[1].Kind == Matrix
	case OpOuterProduct:
		ok = vector(ac) && vector(bc) && cols == br && rows == ar && c.typ.Kind == Matrix
	case OpTranspose:
		ok = cols == ar && rows == ac && c.typ.Kind == Matrix && c.arg[0].Kind == Matrix
	}
	c.want(ok, "sizes of operands and result do not fit")
}

func (c *typing) integerDot() {
	s := c.numbers(0, Int)
	c.shaped(1, s)
	r := c.result(Int)
	c.want(r.n == 1 && (s.n > 1 || s.width == 32), "operands are %s, result %s", c.arg[0], c.typ)
	switch c.in.Op {
	case OpSDotAccSat, OpUDotAccSat, OpSUDotAccSat:
		c.shaped(2, r)
	}
}

func (c *typing) selection() {
	c.count(3)
	c.is(1, c.typ)
	c.is(2, c.typ)
	n := c.numbers(0, Bool).n
	c.want(n == 1 || c.typ.Kind == Vector && c.typ.Len == n, "condition is %s, result %s", c.arg[0], c.typ)
}

// bitSize is the size of a value that OpBitcast takes.
func bitSize(t *Type) int {
	if t != nil && t.Kind == Pointer {
		return 64
	}
	if s, ok := shapeOf(t); ok && s.kind != Bool {
		return s.width * s.n
	}
	return 0
}

func (c *typing) bitcast() {
	c.count(1)
	n := bitSize(c.value(0))
	c.want(n > 0 && n == bitSize(c.typ), "operand is %s, result %s", c.arg[0], c.typ)
	for _, pair := range [][2]*Type{{c.typ, c.arg[0]}, {c.arg[0], c.typ}} {
		if pair[0].Kind != Pointer || pair[1].Kind == Pointer {
			continue
		}
		s, _ := shapeOf(pair[1])
		words := c.v.Version >= MakeVersion(1, 5) || slices.Contains(c.v.Extensions, "SPV_KHR_physical_storage_buffer")
		c.want(s.kind == Int && (s.n == 1 || words && s.width == 32), "operand is %s, result %s", c.arg[0], c.typ)
	}
}

func (c *typing) copies() {
	c.is(0, c.typ)
	c.want(c.in.Op == OpCopyLogical || c.arg[0] == c.typ, "operand is %s, result %s", c.arg[0], c.typ)
}

func (c *typing) construct() {
	c.want(c.typ != nil && c.typ.IsComposite() && c.typ.Kind != RuntimeArray, "result is %s", c.typ)
	if c.typ.Kind == Vector {
		n := 0
		for k := range c.in.Args {
			t := c.value(k)
			if t.Kind == Vector {
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
	if c.typ.Kind == Struct {
		n = len(c.typ.Members)
	}
	c.count(n)
	for k := range n {
		c.is(k, c.typ.Child(k))
	}
}

// part is the type of a part of a composite, by literal indexes.
func (c *typing) part(t *Type, path []uint32) *Type {
	for _, k := range path {
		child := (*Type)(nil)
		if t.IsComposite() && t.Kind != RuntimeArray {
			child = t.Child(int(k))
		}
		c.want(child != nil, "part %d of %s", k, t)
		t = child
	}
	return t
}

func (c *typing) extract() {
	c.want(len(c.in.Args) > 1, "no index")
	c.isResult(c.part(c.value(0), c.in.Args[1:]))
}

func (c *typing) insert() {
	c.want(len(c.in.Args) > 2, "no index")
	c.value(1)
	c.is(1, c.typ)
	c.is(0, c.part(c.arg[1], c.in.Args[2:]))
}

func (c *typing) shuffle() {
	c.value(1)
	for k := range 2 {
		c.want(c.value(k).Kind == Vector && c.typ != nil && c.typ.Kind == Vector && c.arg[k].Elem.Same(c.typ.Elem),
			"operand %d is %s, result %s", k+1, c.arg[k], c.typ)
	}
	c.count(2 + c.typ.Len)
	n := uint32(c.arg[0].Len + c.arg[1].Len)
	for _, k := range c.in.Args[2:] {
		c.want(k < n || k == math.MaxUint32, "component %d of operands that have %d", k, n)
	}
}

func (c *typing) dynamic() {
	v := c.value(0)
	c.want(v.Kind == Vector, "operand 1 is %s, expected a vector", v)
	if c.in.Op == OpVectorExtractDynamic {
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
