package scalar

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"ampdbg/program"
	"ampdbg/spirv"
)

// notScalar are the instructions of the covered classes that this package does not
// serve, and why.
var notScalar = map[spirv.Opcode]string{
	spirv.OpVectorTimesMatrix:        "dot products of the vector and each column: Dot",
	spirv.OpMatrixTimesVector:        "dot products of each row and the vector: Dot",
	spirv.OpMatrixTimesMatrix:        "dot products of rows and columns: Dot",
	spirv.OpAny:                      "OpLogicalOr over the components",
	spirv.OpAll:                      "OpLogicalAnd over the components",
	spirv.OpPtrCastToGeneric:         "pointers: Kernel only",
	spirv.OpGenericCastToPtr:         "pointers: Kernel only",
	spirv.OpGenericCastToPtrExplicit: "pointers: Kernel only",
}

// notScalarGLSL is the same for GLSL.std.450.
var notScalarGLSL = map[uint32]string{
	spirv.GLSLIMix:                  "removed from the set before its first release, never specified",
	spirv.GLSLInterpolateAtCentroid: "fragment shaders only",
	spirv.GLSLInterpolateAtSample:   "fragment shaders only",
	spirv.GLSLInterpolateAtOffset:   "fragment shaders only",
}

// served says whether any function of the package takes the instruction.
func served(op spirv.Opcode) bool {
	kinds := []program.Kind{boolKind, intKind(32), intKind(64), floatKind(16), floatKind(32)}
	for _, k := range kinds {
		for _, dst := range kinds {
			if _, ok := Unary(op, dst, k, program.Mode{}); ok {
				return true
			}
		}
		_, binary := Binary(op, k, program.Mode{})
		_, ternary := Ternary(op, k, program.Mode{})
		_, pair := Pair(op, k)
		_, dot := integerDot(op, intKind(8), intKind(32), false, 4)
		if binary || ternary || pair || dot {
			return true
		}
	}
	return op == spirv.OpBitFieldInsert || op == spirv.OpDot // functions of their own
}

func servedGLSL(inst uint32) bool {
	for _, k := range []program.Kind{intKind(32), floatKind(32), floatKind(64)} {
		_, one := GLSL1(inst, k, program.Mode{})
		_, two := GLSL2(inst, k, program.Mode{})
		_, three := GLSL3(inst, k, program.Mode{})
		if one || two || three {
			return true
		}
		for _, inLens := range [][]int{{1}, {2}, {4}, {3, 3}, {3, 3, 3}, {3, 3, 1}} {
			if _, _, ok := GLSLVector(inst, k, inLens, program.Mode{}); ok {
				return true
			}
		}
	}
	return false
}

func TestEveryScalarInstructionIsServed(t *testing.T) {
	covered := []string{"Arithmetic", "Bit", "Conversion", "Relational_and_Logical"}
	seen, count := map[spirv.Opcode]bool{}, 0
	for n := range 1 << 16 {
		op := spirv.Opcode(n)
		if !slices.Contains(covered, op.Class()) {
			continue
		}
		seen[op] = true
		count++
		if _, excepted := notScalar[op]; served(op) == excepted {
			t.Errorf("%v: served %v, listed as an exception %v", op, served(op), excepted)
		}
	}
	if count < 90 {
		t.Errorf("only %d instructions of the classes %v", count, covered)
	}
	for op := range maps.Keys(notScalar) {
		if !seen[op] {
			t.Errorf("%v: an exception of no covered class", op)
		}
	}
}

func TestEveryGLSLInstructionIsServed(t *testing.T) {
	count := 0
	for inst := range uint32(200) {
		name := spirv.ExtInstName("GLSL.std.450", inst)
		if name == strconv.Itoa(int(inst)) {
			continue // no such instruction
		}
		count++
		if _, excepted := notScalarGLSL[inst]; servedGLSL(inst) == excepted {
			t.Errorf("%s: served %v, listed as an exception %v", name, servedGLSL(inst), excepted)
		}
	}
	if count < 80 {
		t.Errorf("only %d instructions", count)
	}
}

// TestEveryWidthIsServed asks for all arithmetic at all widths.
func TestEveryWidthIsServed(t *testing.T) {
	for n := range 1 << 16 {
		op := spirv.Opcode(n)
		for _, widths := range []struct {
			all  []uint8
			kind func(uint8) program.Kind
		}{{intWidths, intKind}, {floatWidths, floatKind}} {
			_, want := Binary(op, widths.kind(32), program.Mode{})
			for _, w := range widths.all {
				if _, ok := Binary(op, widths.kind(w), program.Mode{}); ok != want {
					t.Errorf("%v: width 32 %v, width %d %v", op, want, w, ok)
				}
			}
		}
	}
}

// TestOddKindsAreRefused asks for kinds that no module can declare.
func TestOddKindsAreRefused(t *testing.T) {
	for _, k := range []program.Kind{{}, {Width: 7}, {Width: 128}, {Float: true, Width: 8}, {Float: true, Width: 1}, {Width: 255}} {
		for n := range 512 {
			op := spirv.Opcode(n)
			_, unary := Unary(op, k, k, program.Mode{})
			_, binary := Binary(op, k, program.Mode{})
			_, ternary := Ternary(op, k, program.Mode{})
			_, pair := Pair(op, k)
			if unary || binary || ternary || pair {
				t.Errorf("%v of %+v accepted", op, k)
			}
			undefined1(op, k, k, 1)
			Undefined2(op, k, 1, 1)
			undefined3(op, k, 1, 1)
		}
		for inst := range uint32(100) {
			_, one := GLSL1(inst, k, program.Mode{})
			_, two := GLSL2(inst, k, program.Mode{})
			_, three := GLSL3(inst, k, program.Mode{})
			_, _, vector := GLSLVector(inst, k, []int{2}, program.Mode{})
			if one || two || three || vector {
				t.Errorf("GLSL instruction %d of %+v accepted", inst, k)
			}
			undefinedGLSL(inst, k, 1, 1, 1)
		}
		_, insert := BitFieldInsert(k)
		_, ldexp := Ldexp(k, intKind(32), program.Mode{})
		_, exponent := Ldexp(floatKind(32), k, program.Mode{})
		_, modf := modfWhole(k, program.Mode{})
		_, frexp := frexpExponent(k, program.Mode{})
		_, dot := Dot(k, 2, program.Mode{})
		if insert || ldexp || exponent || modf || frexp || dot {
			t.Errorf("%+v accepted", k)
		}
	}
}
