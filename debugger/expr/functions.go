package expr

import (
	"fmt"
	"maps"
	"slices"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp/scalar"
)

// function is one of GLSL's functions.
type function struct {
	args     int // most arguments
	optional int // of them, those that may be left out
	// out is how many more arguments GLSL's function has, which it writes to;
	// returns says that its value is the first of the results.
	out     int
	returns bool
	choose  func(text string, args []*spirv.Type, t Target) (operation, error)
}

func (f *function) least() int { return f.args - f.optional }

// Functions lists the names of the functions.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }

// Absent are functions of GLSL that expressions do not have, with the reason.
var Absent = map[string]string{}

func init() {
	for why, names := range map[string][]string{
		"it changes memory, and an expression only looks": {
			"atomicAdd", "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor", "atomicExchange", "atomicCompSwap",
			"atomicCounterIncrement", "atomicCounterDecrement", "atomicCounterAdd", "atomicCounterSubtract", "atomicCounterMin",
			"atomicCounterMax", "atomicCounterAnd", "atomicCounterOr", "atomicCounterXor", "atomicCounterExchange", "atomicCounterCompSwap",
			"imageStore", "imageAtomicAdd", "imageAtomicMin", "imageAtomicMax", "imageAtomicAnd", "imageAtomicOr", "imageAtomicXor",
			"imageAtomicExchange", "imageAtomicCompSwap",
		},
		"kernels have no atomic counters": {"atomicCounter"},
		"it orders a kernel's accesses, and an expression makes none": {
			"barrier", "memoryBarrier", "memoryBarrierAtomicCounter", "memoryBarrierBuffer", "memoryBarrierShared", "memoryBarrierImage", "groupMemoryBarrier",
		},
		"it is about several threads, an expression about one": {"anyInvocation", "allInvocations", "allInvocationsEqual"},
		"it samples; texelFetch reads a texel": {
			"texture", "textureProj", "textureLod", "textureOffset", "textureProjOffset", "textureLodOffset", "textureProjLod", "textureProjLodOffset",
			"textureGrad", "textureGradOffset", "textureProjGrad", "textureProjGradOffset", "textureGather", "textureGatherOffset", "textureGatherOffsets",
			"textureQueryLod", "texelFetchOffset", "texture1D", "texture2D", "texture3D", "textureCube",
		},
		"kernels have no fragments, vertices or primitives": {
			"dFdx", "dFdy", "dFdxFine", "dFdyFine", "dFdxCoarse", "dFdyCoarse", "fwidth", "fwidthFine", "fwidthCoarse",
			"interpolateAtCentroid", "interpolateAtSample", "interpolateAtOffset", "EmitStreamVertex", "EndStreamPrimitive", "EmitVertex", "EndPrimitive",
			"ftransform", "subpassLoad",
		},
		"compilers give it no meaning any more": {"noise1", "noise2", "noise3", "noise4"},
	} {
		for _, n := range names {
			Absent[n] = why
		}
	}
}

var functions = map[string]*function{}

func define(names []string, f function) {
	for _, n := range names {
		g := f
		functions[n] = &g
	}
}

// commonOf is the common type of the components of all arguments; with real, a
// floating-point one.
func commonOf(text string, args []*spirv.Type, real bool, t Target) (*spirv.Type, error) {
	var c *spirv.Type
	for _, a := range args {
		x := Component(a)
		if x == nil {
			return nil, fmt.Errorf("%s takes scalars and vectors, found %s", text, name(a, t))
		}
		if c == nil {
			c = x
		} else if c != x {
			c = common(c, x)
		}
	}
	if real && c.Kind != spirv.Float {
		c = Float
	}
	if c.Kind == spirv.Bool {
		c = Int
	}
	return c, nil
}

func all(c *spirv.Type, n int) []*spirv.Type {
	out := make([]*spirv.Type, n)
	for i := range out {
		out[i] = c
	}
	return out
}

func noSuch(text string, c *spirv.Type, t Target) error {
	return fmt.Errorf("no %s of values of type %s", text, name(c, t))
}

// componentwise is a GLSL.std.450 instruction on each component, by what the
// components are: floating point, signed or unsigned.
func componentwise(n int, float, signed, unsigned uint32) function {
	return function{args: n, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		c, err := commonOf(text, args, signed == 0, t)
		if err != nil {
			return operation{}, err
		}
		inst := float
		switch {
		case c.Kind == spirv.Int && c.Signed:
			inst = signed
		case c.Kind == spirv.Int:
			inst = unsigned
		}
		k := kind(c)
		if inst == keep {
			return broadcast(c, args, all(c, n), how, func(in []uint64) (uint64, error) { return in[0], nil })
		}
		var f func(in []uint64) (uint64, error)
		switch n {
		case 1:
			if g, ok := scalar.GLSL1(inst, k, how.mode(k)); ok {
				f = func(in []uint64) (uint64, error) { return g(in[0]), nil }
			}
		case 2:
			if g, ok := scalar.GLSL2(inst, k, how.mode(k)); ok {
				f = func(in []uint64) (uint64, error) { return g(in[0], in[1]), nil }
			}
		case 3:
			if g, ok := scalar.GLSL3(inst, k, how.mode(k)); ok {
				f = func(in []uint64) (uint64, error) { return g(in[0], in[1], in[2]), nil }
			}
		}
		if f == nil {
			return operation{}, noSuch(text, c, t)
		}
		return broadcast(c, args, all(c, n), how, f)
	}}
}

// keep is the instruction that changes nothing: abs of what has no sign.
const keep = ^uint32(0)

// unaryCore is a core instruction on each component, whose result has a type
// that follows from that of the operand.
func unaryCore(op spirv.Opcode, from func(c *spirv.Type) bool, result func(c *spirv.Type) *spirv.Type) function {
	return function{args: 1, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		c := Component(args[0])
		if c == nil || !from(c) {
			return operation{}, noSuch(text, args[0], t)
		}
		r := result(c)
		f, ok := scalar.Unary(op, kind(r), kind(c), how.mode(kind(c)))
		if !ok {
			return operation{}, noSuch(text, args[0], t)
		}
		return broadcast(r, args, []*spirv.Type{c}, how, func(in []uint64) (uint64, error) { return f(in[0]), nil })
	}}
}

func isFloat(c *spirv.Type) bool { return c.Kind == spirv.Float }
func isInt(c *spirv.Type) bool   { return c.Kind == spirv.Int }

func always(t *spirv.Type) func(*spirv.Type) *spirv.Type {
	return func(*spirv.Type) *spirv.Type { return t }
}

func itself(c *spirv.Type) *spirv.Type { return c }

// relational compares vectors by component.
func relational(op string) function {
	return function{args: 2, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		c, err := commonOf(text, args, false, t)
		if err != nil {
			return operation{}, err
		}
		f := instruction(op, c, how)
		return broadcast(Bool, args, all(c, 2), how, func(in []uint64) (uint64, error) { return f(in[0], in[1]), nil })
	}}
}

// ofBools is any and all.
func ofBools(start uint64, f func(a, b uint64) uint64) function {
	return function{args: 1, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		if c := Component(args[0]); c == nil || c.Kind != spirv.Bool {
			return operation{}, fmt.Errorf("%s takes a vector of truth values, found %s", text, name(args[0], t))
		}
		return operation{result: Bool, run: func(in [][]uint64) ([]uint64, error) {
			v := start
			for _, b := range in[0] {
				v = f(v, b)
			}
			return []uint64{v}, nil
		}}, nil
	}}
}

// geometric is an instruction on whole vectors of floating-point numbers.
func geometric(inst uint32, n int) function {
	return function{args: n, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		c, err := commonOf(text, args, true, t)
		if err != nil {
			return operation{}, err
		}
		var lens []int
		for _, a := range args {
			lens = append(lens, width(a))
		}
		k := kind(c)
		f, size, ok := scalar.GLSLVector(inst, k, lens, how.mode(k))
		if inst == dot {
			if g, found := scalar.Dot(k, lens[0], how.mode(k)); found && lens[0] == lens[1] {
				f, size, ok = func(in, out []uint64) { out[0] = g(in) }, 1, true
			}
		}
		if !ok {
			return operation{}, fmt.Errorf("%s takes vectors of one size, found %s", text, names(args, t))
		}
		result := VectorOf(c, size)
		run, err := flat(result, args, all(c, n), how, f)
		return run, err
	}}
}

// dot stands for OpDot among the instructions of geometric.
const dot = keep

func names(args []*spirv.Type, t Target) string {
	out := ""
	for i, a := range args {
		if i > 0 {
			out += ", "
		}
		out += name(a, t)
	}
	return out
}

// flat is an operation on the components of all arguments, one after the other,
// of the component types to.
func flat(result *spirv.Type, args, to []*spirv.Type, how *Arithmetic, f func(in, out []uint64)) (operation, error) {
	converts := make([]scalar.Func1, len(args))
	n := 0
	for i, a := range args {
		var err error
		if converts[i], err = conversion(to[i], a.Component(), how); err != nil {
			return operation{}, err
		}
		n += Scalars(a)
	}
	size := Scalars(result)
	return operation{result: result, run: func(in [][]uint64) ([]uint64, error) {
		row, out := make([]uint64, 0, n), make([]uint64, size)
		for i, list := range in {
			for _, v := range list {
				row = append(row, converts[i](v))
			}
		}
		f(row, out)
		return out, nil
	}}, nil
}

// struct2 is the type of two results.
func struct2(a string, ta *spirv.Type, b string, tb *spirv.Type) *spirv.Type {
	return &spirv.Type{Kind: spirv.Struct, Members: []spirv.Member{{Name: a, Type: ta}, {Name: b, Type: tb}}}
}

// split is modf and frexp.
func split(inst uint32, first, second string, exponent bool) function {
	return function{args: 1, out: 1, returns: true, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		c, err := commonOf(text, args, true, t)
		if err != nil {
			return operation{}, err
		}
		n := width(args[0])
		k := kind(c)
		f, _, ok := scalar.GLSLVector(inst, k, []int{n}, how.mode(k))
		if !ok {
			return operation{}, noSuch(text, args[0], t)
		}
		other := c
		if exponent {
			other = Int
		}
		return flat(struct2(first, VectorOf(c, n), second, VectorOf(other, n)), args, all(c, 1), how, f)
	}}
}

// pair is an instruction on integers with two results, low and high, which swap
// puts the other way round.
func pair(op spirv.Opcode, c *spirv.Type, out int, first, second string, swap bool) function {
	return function{args: 2, out: out, returns: out == 1, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		if _, err := commonOf(text, args, false, t); err != nil {
			return operation{}, err
		}
		f, ok := scalar.Pair(op, kind(c))
		n := width(args[0])
		if !ok || n != width(args[1]) {
			return operation{}, fmt.Errorf("%s takes integers and vectors of one size, found %s", text, names(args, t))
		}
		v := VectorOf(c, n)
		return flat(struct2(first, v, second, v), args, all(c, 2), how, func(in, out []uint64) {
			for i := range n {
				lo, hi := f(in[i], in[n+i])
				if swap {
					lo, hi = hi, lo
				}
				out[i], out[n+i] = lo, hi
			}
		})
	}}
}

// repack is an instruction, or without one a reinterpretation of bits, between
// two types.
func repack(inst uint32, to, from *spirv.Type) function {
	return function{args: 1, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		if c := Component(args[0]); c == nil || width(args[0]) != width(from) {
			return operation{}, fmt.Errorf("%s takes a value of type %s, found %s", text, name(from, t), name(args[0], t))
		}
		k := program.Kind{Float: true, Width: 32}
		if inst == spirv.GLSLPackDouble2x32 || inst == spirv.GLSLUnpackDouble2x32 {
			k.Width = 64
		}
		f, size, ok := scalar.GLSLVector(inst, k, []int{width(from)}, how.mode(k))
		if inst == keep {
			f, size, ok = rebits(Component(to).Width, Component(from).Width), width(to), true
		}
		if !ok || size != width(to) {
			return operation{}, noSuch(text, args[0], t)
		}
		return flat(to, args, []*spirv.Type{Component(from)}, how, f)
	}}
}

// rebits cuts components into others of another width, the lowest bits first.
func rebits(to, from int) func(in, out []uint64) {
	return func(in, out []uint64) {
		for i := range out {
			out[i] = 0
			for b := 0; b < to; {
				at := i*to + b
				n := min(to-b, from-at%from)
				out[i] |= in[at/from] >> (at % from) & (^uint64(0) >> (64 - n)) << b
				b += n
			}
		}
	}
}

// overloaded is a function of one argument that is chosen by its type.
func overloaded(list ...[2]*spirv.Type) function {
	return function{args: 1, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		for _, o := range list {
			if same(o[1], args[0]) {
				return repack(keep, o[0], o[1]).choose(text, args, t)
			}
		}
		return operation{}, noSuch(text, args[0], t)
	}}
}

func init() {
	for n, inst := range map[string]uint32{
		"radians": spirv.GLSLRadians, "degrees": spirv.GLSLDegrees, "sin": spirv.GLSLSin, "cos": spirv.GLSLCos, "tan": spirv.GLSLTan,
		"asin": spirv.GLSLAsin, "acos": spirv.GLSLAcos, "sinh": spirv.GLSLSinh, "cosh": spirv.GLSLCosh, "tanh": spirv.GLSLTanh,
		"asinh": spirv.GLSLAsinh, "acosh": spirv.GLSLAcosh, "atanh": spirv.GLSLAtanh, "exp": spirv.GLSLExp, "log": spirv.GLSLLog,
		"exp2": spirv.GLSLExp2, "log2": spirv.GLSLLog2, "sqrt": spirv.GLSLSqrt, "inversesqrt": spirv.GLSLInverseSqrt, "floor": spirv.GLSLFloor,
		"trunc": spirv.GLSLTrunc, "round": spirv.GLSLRound, "roundEven": spirv.GLSLRoundEven, "ceil": spirv.GLSLCeil, "fract": spirv.GLSLFract,
	} {
		define([]string{n}, componentwise(1, inst, 0, 0))
	}
	define([]string{"pow"}, componentwise(2, spirv.GLSLPow, 0, 0))
	define([]string{"step"}, componentwise(2, spirv.GLSLStep, 0, 0))
	define([]string{"smoothstep"}, componentwise(3, spirv.GLSLSmoothStep, 0, 0))
	define([]string{"fma"}, componentwise(3, spirv.GLSLFma, 0, 0))
	define([]string{"abs"}, componentwise(1, spirv.GLSLFAbs, spirv.GLSLSAbs, keep))
	define([]string{"sign"}, componentwise(1, spirv.GLSLFSign, spirv.GLSLSSign, 0))
	define([]string{"min"}, componentwise(2, spirv.GLSLFMin, spirv.GLSLSMin, spirv.GLSLUMin))
	define([]string{"max"}, componentwise(2, spirv.GLSLFMax, spirv.GLSLSMax, spirv.GLSLUMax))
	define([]string{"clamp"}, componentwise(3, spirv.GLSLFClamp, spirv.GLSLSClamp, spirv.GLSLUClamp))
	atan1, atan2 := componentwise(1, spirv.GLSLAtan, 0, 0), componentwise(2, spirv.GLSLAtan2, 0, 0)
	define([]string{"atan"}, function{args: 2, optional: 1, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		if len(args) == 1 {
			return atan1.choose(text, args, t)
		}
		return atan2.choose(text, args, t)
	}})
	define([]string{"mod"}, function{args: 2, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		c, err := commonOf(text, args, true, t)
		if err != nil {
			return operation{}, err
		}
		f, _ := scalar.Binary(spirv.OpFMod, kind(c), how.mode(kind(c)))
		return broadcast(c, args, all(c, 2), how, func(in []uint64) (uint64, error) { return f(in[0], in[1]), nil })
	}})
	mix := componentwise(3, spirv.GLSLFMix, 0, 0)
	define([]string{"mix"}, function{args: 3, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		if c := Component(args[2]); c == nil || c.Kind != spirv.Bool {
			return mix.choose(text, args, t)
		}
		a, b := Component(args[0]), Component(args[1])
		if a == nil || b == nil {
			return operation{}, fmt.Errorf("mix takes scalars and vectors, found %s", names(args, t))
		}
		c := a
		if a != b && !same(a, b) {
			c = common(a, b)
		}
		return broadcast(c, args, []*spirv.Type{c, c, Bool}, t.Arithmetic(), func(in []uint64) (uint64, error) { return in[min(in[2], 1)], nil })
	}})
	define([]string{"isnan"}, unaryCore(spirv.OpIsNan, isFloat, always(Bool)))
	define([]string{"isinf"}, unaryCore(spirv.OpIsInf, isFloat, always(Bool)))
	define([]string{"not"}, unaryCore(spirv.OpLogicalNot, func(c *spirv.Type) bool { return c.Kind == spirv.Bool }, always(Bool)))
	for n, types := range map[string][2]*spirv.Type{
		"floatBitsToInt": {Int, Float}, "floatBitsToUint": {Uint, Float}, "intBitsToFloat": {Float, Int}, "uintBitsToFloat": {Float, Uint},
		"doubleBitsToInt64": {Int64, Double}, "doubleBitsToUint64": {Uint64, Double}, "int64BitsToDouble": {Double, Int64}, "uint64BitsToDouble": {Double, Uint64},
		"float16BitsToInt16": {int16Type, Half}, "float16BitsToUint16": {uint16Type, Half}, "int16BitsToFloat16": {Half, int16Type}, "uint16BitsToFloat16": {Half, uint16Type},
		"halfBitsToInt16": {int16Type, Half}, "halfBitsToUint16": {uint16Type, Half}, "int16BitsToHalf": {Half, int16Type}, "uint16BitsToHalf": {Half, uint16Type},
	} {
		define([]string{n}, unaryCore(spirv.OpBitcast, func(c *spirv.Type) bool {
			return c.Kind == types[1].Kind && c.Width == types[1].Width
		}, always(types[0])))
	}
	define([]string{"ldexp"}, function{args: 2, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		c, err := commonOf(text, args[:1], true, t)
		if err != nil {
			return operation{}, err
		}
		e := Component(args[1])
		if e == nil || e.Kind != spirv.Int {
			return operation{}, fmt.Errorf("ldexp takes an integer as the exponent, found %s", name(args[1], t))
		}
		f, _ := scalar.Ldexp(kind(c), kind(e), how.mode(kind(c)))
		return broadcast(c, args, []*spirv.Type{c, e}, how, func(in []uint64) (uint64, error) { return f(in[0], in[1]), nil })
	}})
	define([]string{"modf"}, split(spirv.GLSLModfStruct, "fract", "whole", false))
	define([]string{"frexp"}, split(spirv.GLSLFrexpStruct, "significand", "exponent", true))

	// Packing.
	vec2, vec4, uvec2, ivec2 := VectorOf(Float, 2), VectorOf(Float, 4), VectorOf(Uint, 2), VectorOf(Int, 2)
	for n, f := range map[string]function{
		"packUnorm2x16": repack(spirv.GLSLPackUnorm2x16, Uint, vec2), "packSnorm2x16": repack(spirv.GLSLPackSnorm2x16, Uint, vec2),
		"packUnorm4x8": repack(spirv.GLSLPackUnorm4x8, Uint, vec4), "packSnorm4x8": repack(spirv.GLSLPackSnorm4x8, Uint, vec4),
		"packHalf2x16": repack(spirv.GLSLPackHalf2x16, Uint, vec2), "packDouble2x32": repack(spirv.GLSLPackDouble2x32, Double, uvec2),
		"unpackUnorm2x16": repack(spirv.GLSLUnpackUnorm2x16, vec2, Uint), "unpackSnorm2x16": repack(spirv.GLSLUnpackSnorm2x16, vec2, Uint),
		"unpackUnorm4x8": repack(spirv.GLSLUnpackUnorm4x8, vec4, Uint), "unpackSnorm4x8": repack(spirv.GLSLUnpackSnorm4x8, vec4, Uint),
		"unpackHalf2x16": repack(spirv.GLSLUnpackHalf2x16, vec2, Uint), "unpackDouble2x32": repack(spirv.GLSLUnpackDouble2x32, uvec2, Double),
		// Of the extensions of explicit arithmetic types.
		"packInt2x32": repack(keep, Int64, ivec2), "packUint2x32": repack(keep, Uint64, uvec2),
		"unpackInt2x32": repack(keep, ivec2, Int64), "unpackUint2x32": repack(keep, uvec2, Uint64),
		"packInt2x16": repack(keep, Int, VectorOf(int16Type, 2)), "packUint2x16": repack(keep, Uint, VectorOf(uint16Type, 2)),
		"unpackInt2x16": repack(keep, VectorOf(int16Type, 2), Int), "unpackUint2x16": repack(keep, VectorOf(uint16Type, 2), Uint),
		"packInt4x16": repack(keep, Int64, VectorOf(int16Type, 4)), "packUint4x16": repack(keep, Uint64, VectorOf(uint16Type, 4)),
		"unpackInt4x16": repack(keep, VectorOf(int16Type, 4), Int64), "unpackUint4x16": repack(keep, VectorOf(uint16Type, 4), Uint64),
		"packFloat2x16": repack(keep, Uint, VectorOf(Half, 2)), "unpackFloat2x16": repack(keep, VectorOf(Half, 2), Uint),
	} {
		define([]string{n}, f)
	}
	whole := map[bool][4]*spirv.Type{true: {int8Type, int16Type, Int, Int64}, false: {uint8Type, uint16Type, Uint, Uint64}}
	for k, n := range []string{"8", "16", "32", "64"} {
		var packs, unpacks [][2]*spirv.Type
		for _, signed := range []bool{true, false} {
			ints := whole[signed]
			for i := range k {
				if parts := 1 << (k - i); parts <= 4 {
					packs = append(packs, [2]*spirv.Type{ints[k], VectorOf(ints[i], parts)})
				}
			}
			for i := k + 1; i < 4; i++ {
				if parts := 1 << (i - k); parts <= 4 {
					unpacks = append(unpacks, [2]*spirv.Type{VectorOf(ints[k], parts), ints[i]})
				}
			}
		}
		if packs != nil {
			define([]string{"pack" + n}, overloaded(packs...))
		}
		if unpacks != nil {
			define([]string{"unpack" + n}, overloaded(unpacks...))
		}
	}

	// Geometry and matrices.
	define([]string{"length"}, geometric(spirv.GLSLLength, 1))
	define([]string{"distance"}, geometric(spirv.GLSLDistance, 2))
	define([]string{"dot"}, geometric(dot, 2))
	define([]string{"cross"}, geometric(spirv.GLSLCross, 2))
	define([]string{"normalize"}, geometric(spirv.GLSLNormalize, 1))
	define([]string{"faceforward"}, geometric(spirv.GLSLFaceForward, 3))
	define([]string{"reflect"}, geometric(spirv.GLSLReflect, 2))
	define([]string{"refract"}, geometric(spirv.GLSLRefract, 3))
	define([]string{"matrixCompMult"}, function{args: 2, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		a, b := args[0], args[1]
		if a.Kind != spirv.Matrix || !same(a, b) {
			return operation{}, fmt.Errorf("%s takes two matrices of one type, found %s", text, names(args, t))
		}
		f := instruction("*", a.Component(), how)
		n := Scalars(a)
		return flat(a, args, all(a.Component(), 2), how, func(in, out []uint64) {
			for i := range out {
				out[i] = f(in[i], in[n+i])
			}
		})
	}})
	define([]string{"outerProduct"}, function{args: 2, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		how := t.Arithmetic()
		c, err := commonOf(text, args, true, t)
		if err != nil {
			return operation{}, err
		}
		rows, columns := width(args[0]), width(args[1])
		if rows < 2 || columns < 2 {
			return operation{}, fmt.Errorf("%s takes vectors, found %s", text, names(args, t))
		}
		f := instruction("*", c, how)
		return flat(matrixOf(c, columns, rows), args, all(c, 2), how, func(in, out []uint64) {
			for i := range out {
				out[i] = f(in[i%rows], in[rows+i/rows])
			}
		})
	}})
	define([]string{"transpose"}, function{args: 1, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		m := args[0]
		if m.Kind != spirv.Matrix {
			return operation{}, fmt.Errorf("%s takes a matrix, found %s", text, name(m, t))
		}
		c, columns, rows := m.Component(), m.Len, m.Elem.Len
		return flat(matrixOf(c, rows, columns), args, all(c, 1), t.Arithmetic(), func(in, out []uint64) {
			for i := range out {
				out[i] = in[i%columns*rows+i/columns]
			}
		})
	}})
	for n, inst := range map[string]uint32{"determinant": spirv.GLSLDeterminant, "inverse": spirv.GLSLMatrixInverse} {
		define([]string{n}, function{args: 1, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
			how := t.Arithmetic()
			m := args[0]
			if m.Kind != spirv.Matrix || m.Len != m.Elem.Len {
				return operation{}, fmt.Errorf("%s takes a square matrix, found %s", text, name(m, t))
			}
			c := m.Component()
			k := kind(c)
			f, size, ok := scalar.GLSLVector(inst, k, []int{Scalars(m)}, how.mode(k))
			if !ok {
				return operation{}, noSuch(text, m, t)
			}
			result := c
			if size > 1 {
				result = m
			}
			return flat(result, args, all(c, 1), how, f)
		}})
	}

	// Vectors of truth values.
	for n, op := range map[string]string{
		"lessThan": "<", "lessThanEqual": "<=", "greaterThan": ">", "greaterThanEqual": ">=", "equal": "==", "notEqual": "!=",
	} {
		define([]string{n}, relational(op))
	}
	define([]string{"any"}, ofBools(0, func(a, b uint64) uint64 { return a | b }))
	define([]string{"all"}, ofBools(1, func(a, b uint64) uint64 { return a & b }))

	// Integers.
	define([]string{"bitCount"}, unaryCore(spirv.OpBitCount, isInt, always(Int)))
	define([]string{"bitfieldReverse"}, unaryCore(spirv.OpBitReverse, isInt, itself))
	for n, inst := range map[string][2]uint32{"findLSB": {spirv.GLSLFindILsb, spirv.GLSLFindILsb}, "findMSB": {spirv.GLSLFindSMsb, spirv.GLSLFindUMsb}} {
		define([]string{n}, function{args: 1, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
			how := t.Arithmetic()
			c := Component(args[0])
			if c == nil || c.Kind != spirv.Int {
				return operation{}, noSuch(text, args[0], t)
			}
			code := inst[0]
			if !c.Signed {
				code = inst[1]
			}
			f, _ := scalar.GLSL1(code, kind(c), program.Mode{})
			wide, err := conversion(Int, &spirv.Type{Kind: spirv.Int, Width: c.Width, Signed: true}, how)
			if err != nil {
				return operation{}, err
			}
			return broadcast(Int, args, []*spirv.Type{c}, how, func(in []uint64) (uint64, error) { return wide(f(in[0])), nil })
		}})
	}
	define([]string{"bitfieldExtract"}, function{args: 3, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		c := Component(args[0])
		if c == nil || c.Kind != spirv.Int {
			return operation{}, noSuch(text, args[0], t)
		}
		if _, err := commonOf(text, args, false, t); err != nil {
			return operation{}, err
		}
		op := spirv.OpBitFieldUExtract
		if c.Signed {
			op = spirv.OpBitFieldSExtract
		}
		f, _ := scalar.Ternary(op, kind(c), program.Mode{})
		return broadcast(c, args, []*spirv.Type{c, Int, Int}, t.Arithmetic(), func(in []uint64) (uint64, error) { return f(in[0], in[1], in[2]), nil })
	}})
	define([]string{"bitfieldInsert"}, function{args: 4, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		c := Component(args[0])
		if c == nil || c.Kind != spirv.Int {
			return operation{}, noSuch(text, args[0], t)
		}
		if _, err := commonOf(text, args, false, t); err != nil {
			return operation{}, err
		}
		f, _ := scalar.BitFieldInsert(kind(c))
		return broadcast(c, args, []*spirv.Type{c, c, Int, Int}, t.Arithmetic(), func(in []uint64) (uint64, error) { return f(in[0], in[1], in[2], in[3]), nil })
	}})
	define([]string{"uaddCarry"}, pair(spirv.OpIAddCarry, Uint, 1, "sum", "carry", false))
	define([]string{"usubBorrow"}, pair(spirv.OpISubBorrow, Uint, 1, "difference", "borrow", false))
	define([]string{"umulExtended"}, pair(spirv.OpUMulExtended, Uint, 2, "msb", "lsb", true))
	define([]string{"imulExtended"}, pair(spirv.OpSMulExtended, Int, 2, "msb", "lsb", true))

	// Not GLSL's: a NaN with given bits, as it is printed.
	define([]string{"nan"}, function{args: 1, choose: func(text string, args []*spirv.Type, t Target) (operation, error) {
		c := Component(args[0])
		if c == nil || c.Kind != spirv.Int || args[0].Kind == spirv.Vector {
			return operation{}, noSuch(text, args[0], t)
		}
		to := Float
		if c.Width == 64 {
			to = Double
		}
		return operation{result: to, run: func(in [][]uint64) ([]uint64, error) { return in[0], nil }}, nil
	}})
}
