package program

import (
	"fmt"
	"strings"

	"ampdbg/spirv"
)

// Kind is the type of a scalar. Width is 8, 16, 32 or 64 for integers, 16, 32 or
// 64 for floating point, 1 for bool. Signed is informative only: in SPIR-V the
// instruction decides how bits are read.
type Kind struct {
	Float  bool
	Width  uint8
	Signed bool
}

// String is the kind as people write it: f32, u16, i64, bool.
func (k Kind) String() string {
	switch {
	case k.Float:
		return fmt.Sprintf("f%d", k.Width)
	case k.Width == 1:
		return "bool"
	case k.Signed:
		return fmt.Sprintf("i%d", k.Width)
	}
	return fmt.Sprintf("u%d", k.Width)
}

// IsBool reports whether k is the kind of truth values.
func (k Kind) IsBool() bool { return !k.Float && k.Width == 1 }

// IsInt reports whether k is an integer of a width that there is.
func (k Kind) IsInt() bool {
	return !k.Float && (k.Width == 8 || k.Width == 16 || k.Width == 32 || k.Width == 64)
}

// IsFloat reports whether k is a floating-point number of a width that there
// is.
func (k Kind) IsFloat() bool {
	return k.Float && (k.Width == 16 || k.Width == 32 || k.Width == 64)
}

// Mode is what the execution modes of an entry point, or a decoration, say about
// floating-point arithmetic of one width. For a conversion it is the mode of the
// result's width if the result is floating point, of the operand's width
// otherwise.
type Mode struct {
	FlushDenorms bool // DenormFlushToZero
	RTZ          bool // RoundingModeRTZ, or FPRoundingMode RTZ
}

// Set is what the Op of a Symbol is a number of.
type Set uint8

// The sets.
const (
	Core    Set = iota // an Opcode of SPIR-V
	GLSL               // an instruction of GLSL.std.450
	Machine            // a MachineFunc
)

// MachineFunc is a function that no instruction is.
type MachineFunc uint32

// The machine's functions, with the operands of each.
const (
	// ClampSigned and ClampUnsigned cut a 64-bit index to magnitude N: (index).
	ClampSigned MachineFunc = iota
	ClampUnsigned
	// PointerDistance is (a, b) as a number of elements of N bytes, of kind Dst.
	PointerDistance
	// SampledImage is the handle of an image with the sampler of another: (image, sampler).
	SampledImage
	// AtomicResult is what an atomic operation N leaves in memory, of kind Src:
	// (old, value, comparator).
	AtomicResult
	// AnySet is 1 in every result if any operand is not 0: (...).
	AnySet
)

var machineFuncNames = [...]string{"clamp_signed", "clamp_unsigned", "pointer_distance", "sampled_image", "atomic_result", "any_set"}

// Symbol names a function of scalars. Symbols that are equal name the same
// function; those that an engine resolves are at most one for each function of
// a program.
type Symbol struct {
	Set      Set
	Op       uint32
	Dst, Src Kind // of the result, where it is not that of the operands, and of these
	Mode     Mode
	// Part is, of an instruction with two results of which each is a function of
	// its own, the one: 1 or 2; 0 otherwise.
	Part uint8
	// Lens are, of a function of vectors or matrices, the scalars of each operand.
	Lens [3]uint8
	N    int64 // of Machine functions, and the components of dot products and vectors
	// Packed says of an integer dot product that its operands are words of four
	// components.
	Packed bool
}

// Opcode is the instruction of a symbol of Core.
func (s Symbol) Opcode() spirv.Opcode { return spirv.Opcode(s.Op) }

// String names the function for people.
func (s Symbol) String() string {
	var b strings.Builder
	switch s.Set {
	case Core:
		b.WriteString(strings.TrimPrefix(s.Opcode().String(), "Op"))
	case GLSL:
		b.WriteString(spirv.ExtInstName("GLSL.std.450", s.Op))
	default:
		b.WriteString(machineFuncNames[s.Op])
	}
	switch {
	case s.Dst != Kind{} && s.Src != Kind{}:
		fmt.Fprintf(&b, ".%v.%v", s.Dst, s.Src)
	case s.Dst != Kind{}:
		fmt.Fprintf(&b, ".%v", s.Dst)
	case s.Src != Kind{}:
		fmt.Fprintf(&b, ".%v", s.Src)
	}
	if s.Mode.RTZ {
		b.WriteString(".rtz")
	}
	if s.Mode.FlushDenorms {
		b.WriteString(".ftz")
	}
	if s.Part != 0 {
		fmt.Fprintf(&b, ".part%d", s.Part)
	}
	if s.Packed {
		b.WriteString(".packed")
	}
	if s.N != 0 {
		fmt.Fprintf(&b, ".%d", s.N)
	}
	return b.String()
}

// Reason says why an operation has no defined result for its operands.
type Reason uint8

// The reasons. The last five are not a matter of one lane's operands and
// arithmetic.
const (
	Defined              Reason = iota
	DivisionByZero              // of integers
	DivisionOverflow            // the smallest integer divided by −1
	ShiftRange                  // by the width or more
	BitFieldRange               // the field does not lie in its base
	ConversionRange             // the number does not fit the integer
	NegativeRemainder           // OpSRem and OpSMod of negative operands (Vulkan)
	FloatDomain                 // a function of numbers on which it is not defined
	CrossedEdges                // a minimum greater than the maximum, an edge not below the other
	ExponentRange               // ldexp beyond the format's exponents
	NaNOperand                  // which of a NaN and a number is the smaller
	ZeroVector                  // normalized
	ComponentIndex              // no component of the vector
	InactiveLane                // the lane that is read does not take part, or does not exist
	NonUniformLane              // the lane to read must be the same for all, and is not
	NonUniformDescriptor        // the same of a descriptor that is not decorated NonUniform
	FalseAssumption             // OpAssumeTrueKHR
)

var reasonNames = [...]string{
	"defined", "division by zero", "division overflow", "shift range", "bit field range", "conversion range", "negative remainder", "float domain",
	"crossed edges", "exponent range", "NaN operand", "zero vector", "component index", "inactive lane", "non-uniform lane", "non-uniform descriptor", "false assumption",
}

func (r Reason) String() string { return reasonNames[r] }

// TestForm says what a Test looks at.
type TestForm uint8

// The forms.
const (
	// TestLanes is no function of one lane's operands: Groups[Group] finds the
	// lane that each lane reads, or, where Group is -1, the operand has to be the
	// same in all lanes.
	TestLanes TestForm = iota
	// TestSymbol asks whether the symbol has a defined result for the operands.
	TestSymbol
	// TestBelow asks whether the operand is less than N; Reason if not.
	TestBelow
	// TestTrue asks whether the operand is not 0; Reason if it is.
	TestTrue
	// TestAnyLane asks whether the ballot in the operands has one of N lanes; Reason if not.
	TestAnyLane
)

// Test tells of the operands of a lane whether an operation has a defined
// result.
type Test struct {
	Form   TestForm
	Symbol Symbol
	N      int64
	Reason Reason
}
