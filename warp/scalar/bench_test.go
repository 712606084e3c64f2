package scalar

import (
	"math"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

var sink uint64

func BenchmarkBinary(b *testing.B) {
	for _, c := range []struct {
		name string
		op   spirv.Opcode
		k    program.Kind
		m    program.Mode
	}{
		{"IAdd32", spirv.OpIAdd, intKind(32), program.Mode{}},
		{"SDiv32", spirv.OpSDiv, intKind(32), program.Mode{}},
		{"FAdd16", spirv.OpFAdd, floatKind(16), program.Mode{}},
		{"FAdd32", spirv.OpFAdd, floatKind(32), program.Mode{}},
		{"FAdd64", spirv.OpFAdd, floatKind(64), program.Mode{}},
		{"FAdd32RTZ", spirv.OpFAdd, floatKind(32), program.Mode{RTZ: true}},
		{"FMul64RTZ", spirv.OpFMul, floatKind(64), program.Mode{RTZ: true}},
		{"FDiv32Flush", spirv.OpFDiv, floatKind(32), program.Mode{FlushDenorms: true}},
		{"FMod32", spirv.OpFMod, floatKind(32), program.Mode{}},
		{"FOrdLessThan32", spirv.OpFOrdLessThan, floatKind(32), program.Mode{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			fn, _ := Binary(c.op, c.k, c.m)
			f := formatOf(c.k, program.Mode{})
			x, y := uint64(100), uint64(7)
			if c.k.Float {
				x, y = f.round(100.25), f.round(7.125)
			}
			b.ReportAllocs()
			for b.Loop() {
				sink = fn(x, y)
			}
		})
	}
}

func BenchmarkGLSL(b *testing.B) {
	x := uint64(math.Float32bits(0.7))
	for _, c := range []struct {
		name string
		inst uint32
	}{{"Sin", spirv.GLSLSin}, {"Exp", spirv.GLSLExp}, {"Floor", spirv.GLSLFloor}, {"Sqrt", spirv.GLSLSqrt}, {"InverseSqrt", spirv.GLSLInverseSqrt}} {
		b.Run(c.name, func(b *testing.B) {
			fn, _ := GLSL1(c.inst, floatKind(32), program.Mode{})
			b.ReportAllocs()
			for b.Loop() {
				sink = fn(x)
			}
		})
	}
	b.Run("Fma", func(b *testing.B) {
		fn, _ := GLSL3(spirv.GLSLFma, floatKind(32), program.Mode{})
		b.ReportAllocs()
		for b.Loop() {
			sink = fn(x, x, x)
		}
	})
	b.Run("Normalize", func(b *testing.B) {
		fn, _, _ := GLSLVector(spirv.GLSLNormalize, floatKind(32), []int{3}, program.Mode{})
		in, out := []uint64{x, x, x}, make([]uint64, 3)
		b.ReportAllocs()
		for b.Loop() {
			fn(in, out)
		}
	})
	b.Run("Inverse4", func(b *testing.B) {
		fn, _, _ := GLSLVector(spirv.GLSLMatrixInverse, floatKind(32), []int{16}, program.Mode{})
		in, out := make([]uint64, 16), make([]uint64, 16)
		for i := range in {
			in[i] = uint64(math.Float32bits(float32(i * i % 7)))
		}
		b.ReportAllocs()
		for b.Loop() {
			fn(in, out)
		}
	})
}

func TestNothingAllocates(t *testing.T) {
	x := uint64(math.Float32bits(0.7))
	dot, _ := Dot(floatKind(16), 4, program.Mode{})
	packed, _ := integerDot(spirv.OpSDotAccSat, program.Kind{}, intKind(32), true, 0)
	inverse, _, _ := GLSLVector(spirv.GLSLMatrixInverse, floatKind(32), []int{16}, program.Mode{})
	distance, _, _ := GLSLVector(spirv.GLSLDistance, floatKind(32), []int{3, 3}, program.Mode{RTZ: true})
	var calls []func()
	for inst := range uint32(100) {
		for _, m := range allModes {
			if fn, ok := GLSL1(inst, floatKind(32), m); ok {
				calls = append(calls, func() { sink = fn(x) })
			}
			if fn, ok := GLSL2(inst, floatKind(64), m); ok {
				calls = append(calls, func() { sink = fn(x, 3) })
			}
			if fn, ok := GLSL3(inst, floatKind(16), m); ok {
				calls = append(calls, func() { sink = fn(0x3c00, 0x3800, 0x3a00) })
			}
		}
	}
	in, out := make([]uint64, 16), make([]uint64, 16)
	calls = append(calls,
		func() { sink = dot(in) }, func() { sink = packed(in) },
		func() { inverse(in, out) }, func() { distance(in, out) })
	for _, call := range calls {
		if n := testing.AllocsPerRun(10, call); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}
