package expr

import (
	"fmt"
	"math"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/spirv/half"
)

// Value is what an expression gives: bits, or a place from which they are read
// when they are needed.
type Value struct {
	Type  *spirv.Type
	Bits  []uint64 // its scalars one after the other, in scalar's canonical form
	Place Place    // nil: Bits are the value
	Len   int      // elements, of a run-time array
}

// Place is where a value lies.
type Place interface {
	// Load reads a value that lies there.
	Load(v Value) ([]uint64, error)
	// Child is part i of a composite value that lies there.
	Child(v Value, i int) (Value, error)
	// Run is the array of n elements of whole, which lies there, from first on.
	Run(whole, first Value, n int) (Value, error)
	// Address is the pointer to it.
	Address() (uint64, error)
}

// Target is what an expression is about: a thread that stands still, in one of
// its frames.
type Target interface {
	// Lookup finds what a name stands for. It may keep what it found in the
	// name's Memo.
	Lookup(n *Name) (Value, error)
	// Struct finds a struct type of the module by its name, nil if there is none.
	Struct(name string) *spirv.Type
	// StructName is the name of a struct type of the module, "" if it has none.
	StructName(id spirv.ID) string
	// Deref is what a loaded pointer leads to.
	Deref(pointer Value) (Value, error)
	// Index finds an element of something that only the target knows the
	// elements of, such as a texel of an image; ok is false for others.
	Index(v Value, at func() ([]int64, error)) (elem Value, ok bool, err error)
	// Call computes a function that only the target knows; ok is false for
	// others.
	Call(name string, args []Value) (v Value, ok bool, err error)
	// Arithmetic says how the kernel computes. It is the same pointer for all
	// threads of a dispatch.
	Arithmetic() *Arithmetic
	// Write changes a value that has a place, or says why that may not be.
	Write(to Value, bits []uint64) error
}

// Arithmetic is how a kernel computes.
type Arithmetic struct {
	Modes map[uint8]program.Mode // by the width of floating-point operands
	// TruncatedRemainder says that % has the sign of its left operand, as in
	// HLSL and C; else that of its right one, as GLSL's compilers have it.
	TruncatedRemainder bool
}

func (a *Arithmetic) mode(k program.Kind) program.Mode {
	if !k.Float {
		return program.Mode{}
	}
	return a.Modes[k.Width]
}

// Of makes a value of bits.
func Of(t *spirv.Type, bits ...uint64) Value { return Value{Type: t, Bits: bits} }

// Load reads the value's bits.
func (v Value) Load() ([]uint64, error) {
	if v.Place == nil {
		return v.Bits, nil
	}
	return v.Place.Load(v)
}

// Child is part i of a composite value.
func (v Value) Child(i int) (Value, error) {
	n := v.parts()
	part := v.Type.Elem
	if v.Type.Kind == spirv.Struct && i >= 0 && i < n {
		part = v.Type.Members[i].Type
	}
	if v.Place != nil {
		return v.Place.Child(v, i)
	}
	if i < 0 || i >= n {
		return Value{}, ValueErrorf("index %d is outside of %d elements", i, n)
	}
	first := FirstScalar(v.Type, i)
	return Value{Type: part, Bits: v.Bits[first : first+Scalars(part)]}, nil
}

// parts is the number of parts of a composite.
func (v Value) parts() int {
	switch v.Type.Kind {
	case spirv.RuntimeArray:
		return v.Len
	case spirv.Struct:
		return len(v.Type.Members)
	}
	return v.Type.Len
}

// AsInt is a scalar as a signed integer: sign-extended if its type is signed; a
// floating-point number without its fraction.
func AsInt(t *spirv.Type, v uint64) int64 {
	switch {
	case t.Kind == spirv.Float:
		return int64(AsFloat(t, v))
	case t.Kind == spirv.Int && t.Signed && t.Width < 64:
		s := 64 - uint(t.Width)
		return int64(v<<s) >> s
	}
	return int64(v)
}

// AsFloat is a scalar as a number.
func AsFloat(t *spirv.Type, v uint64) float64 {
	switch {
	case t.Kind == spirv.Float && t.Width == 64:
		return math.Float64frombits(v)
	case t.Kind == spirv.Float && t.Width == 16:
		return float64(half.ToFloat(uint16(v)))
	case t.Kind == spirv.Float:
		return float64(math.Float32frombits(uint32(v)))
	case t.Kind == spirv.Int && !t.Signed || t.Kind != spirv.Int:
		return float64(v)
	}
	return float64(AsInt(t, v))
}

// fromFloat rounds a number to a floating-point type.
func fromFloat(t *spirv.Type, f float64) uint64 {
	switch t.Width {
	case 64:
		return math.Float64bits(f)
	case 16:
		return uint64(half.FromDouble(f, false))
	}
	return uint64(math.Float32bits(float32(f)))
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// swizzled is some components of a vector that has a place.
type swizzled struct {
	of Value
	at []int
}

// Load implements Place.
func (s *swizzled) Load(Value) ([]uint64, error) {
	bits, err := s.of.Load()
	if err != nil {
		return nil, err
	}
	out := make([]uint64, len(s.at))
	for i, k := range s.at {
		out[i] = bits[k]
	}
	return out, nil
}

// Child implements Place.
func (s *swizzled) Child(_ Value, i int) (Value, error) {
	if i < 0 || i >= len(s.at) {
		return Value{}, ValueErrorf("index %d is outside of %d elements", i, len(s.at))
	}
	return s.of.Child(s.at[i])
}

// Run implements Place.
func (s *swizzled) Run(_, _ Value, _ int) (Value, error) {
	return Value{}, errRun
}

// Address implements Place.
func (s *swizzled) Address() (uint64, error) { return 0, fmt.Errorf("this value has no address") }

// ValueError is why an expression has no value for what its parts are worth: an
// index outside, a division by zero, a pointer to nothing. With other values it
// may have one.
type ValueError struct{ msg string }

func (e *ValueError) Error() string { return e.msg }

// ValueErrorf makes a ValueError, as fmt.Errorf would.
func ValueErrorf(format string, args ...any) error {
	return &ValueError{fmt.Sprintf(format, args...)}
}
