package launch

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"ampdbg/spirv/half"
	"ampdbg/tilemem/texel"
)

// ScalarKind is the kind of a number in memory.
type ScalarKind uint8

// The scalar kinds.
const (
	Int8 ScalarKind = iota
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	Float32
	Float64
)

var scalarNames = [...]string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float", "double"}

// String is the AmberScript spelling.
func (k ScalarKind) String() string { return scalarNames[k] }

// Bits is the width: 8, 16, 32 or 64.
func (k ScalarKind) Bits() int {
	return [...]int{8, 16, 32, 64, 8, 16, 32, 64, 16, 32, 64}[k]
}

// IsFloat reports whether the kind is a floating-point one.
func (k ScalarKind) IsFloat() bool { return k >= Float16 }

// IsSigned reports whether the kind is a signed integer.
func (k ScalarKind) IsSigned() bool { return k <= Int64 }

// LookupScalar finds a kind by its AmberScript spelling.
func LookupScalar(name string) (ScalarKind, bool) {
	for k, n := range scalarNames {
		if n == name {
			return ScalarKind(k), true
		}
	}
	return 0, false
}

// Scalar is a number at a place in memory. Its raw bits are zero-extended to
// 64. Numbers of a texel format may be narrower than their kind.
type Scalar struct {
	Kind   ScalarKind
	Offset int // byte offset of the number, or of the texel it is in
	field  *texel.Component
}

// componentScalar describes a texel's component as AmberScript sees it: the
// integer that is stored for normalized formats, the float for float formats.
func componentScalar(c *texel.Component, base int) Scalar {
	s := Scalar{Kind: Uint64, Offset: base, field: c}
	switch c.Mode {
	case texel.SNorm, texel.SScaled, texel.SInt:
		s.Kind = Int64
	case texel.SFloat:
		s.Kind = Float32
		switch c.Width {
		case 16:
			s.Kind = Float16
		case 64:
			s.Kind = Float64
		}
	case texel.UFloat:
		if c.Width > 9 {
			s.Kind = Float32 // through the component's own conversion
		}
	}
	return s
}

// bits is the width in memory.
func (s Scalar) bits() int {
	if s.field != nil {
		return s.field.Width
	}
	return s.Kind.Bits()
}

// end is the first byte behind the number.
func (s Scalar) end() int {
	if s.field != nil {
		return s.Offset + (s.field.Offset+s.field.Width+7)/8
	}
	return s.Offset + s.Kind.Bits()/8
}

// Load reads the raw bits from the memory that the offset counts in.
func (s Scalar) Load(mem []byte) uint64 {
	if s.field != nil {
		return s.field.Load(mem[s.Offset:])
	}
	p := mem[s.Offset:]
	switch s.Kind.Bits() {
	case 8:
		return uint64(p[0])
	case 16:
		return uint64(binary.LittleEndian.Uint16(p))
	case 32:
		return uint64(binary.LittleEndian.Uint32(p))
	}
	return binary.LittleEndian.Uint64(p)
}

// store writes the raw bits.
func (s Scalar) store(mem []byte, raw uint64) {
	if s.field != nil {
		s.field.Store(mem[s.Offset:], raw)
		return
	}
	p := mem[s.Offset:]
	switch s.Kind.Bits() {
	case 8:
		p[0] = byte(raw)
	case 16:
		binary.LittleEndian.PutUint16(p, uint16(raw))
	case 32:
		binary.LittleEndian.PutUint32(p, uint32(raw))
	default:
		binary.LittleEndian.PutUint64(p, raw)
	}
}

// Int is the value of raw bits of an integer scalar, sign-extended if signed.
func (s Scalar) Int(raw uint64) int64 {
	if s.Kind.IsSigned() {
		shift := 64 - s.bits()
		return int64(raw<<shift) >> shift
	}
	return int64(raw)
}

// Float is the value of raw bits as a float64, whatever the kind.
func (s Scalar) Float(raw uint64) float64 {
	switch {
	case s.field != nil && s.field.Mode == texel.UFloat && s.Kind == Float32:
		return float64(math.Float32frombits(uint32(s.field.Decode(raw))))
	case s.Kind == Float16:
		return float64(half.ToFloat(uint16(raw)))
	case s.Kind == Float32:
		return float64(math.Float32frombits(uint32(raw)))
	case s.Kind == Float64:
		return math.Float64frombits(raw)
	case s.Kind.IsSigned():
		return float64(s.Int(raw))
	}
	return float64(raw)
}

// Format prints raw bits as a number that Parse reads back.
func (s Scalar) Format(raw uint64) string {
	switch {
	case s.Kind.IsFloat():
		bits := 64
		if s.Kind != Float64 {
			bits = 32
		}
		f := s.Float(raw)
		switch {
		case math.IsInf(f, 1):
			return "inf"
		case math.IsInf(f, -1):
			return "-inf"
		case math.IsNaN(f):
			return "nan"
		}
		return strconv.FormatFloat(f, 'g', -1, bits)
	case s.Kind.IsSigned():
		return strconv.FormatInt(s.Int(raw), 10)
	}
	return strconv.FormatUint(raw, 10)
}

// parse reads a number as AmberScript writes it for this scalar. Decimal
// integers must be in the range of the type; an unsigned type also takes the
// negative numbers of its signed twin, and hex is always the bit pattern.
// A decimal number for a float is rounded to nearest even and must not
// overflow; hex is the bit pattern there too.
func (s Scalar) parse(text string) (uint64, error) {
	bits := s.bits()
	if h, ok := strings.CutPrefix(text, "0x"); ok {
		v, err := strconv.ParseUint(h, 16, 64)
		if err != nil && !isRange(err) {
			return 0, fmt.Errorf("%q is not a number", text)
		}
		if err != nil || bits < 64 && v>>bits != 0 {
			return 0, fmt.Errorf("%s does not fit in the %d bits of %s", text, bits, s.typeName())
		}
		return v, nil
	}
	if s.Kind.IsFloat() {
		return s.parseFloat(text)
	}
	mask := ^uint64(0) >> (64 - bits)
	if strings.HasPrefix(text, "-") {
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil && !isRange(err) {
			return 0, s.notInteger(text)
		}
		if err != nil || v < -1<<(bits-1) {
			return 0, s.outOfRange(text)
		}
		return uint64(v) & mask, nil
	}
	v, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, 64)
	if err != nil && !isRange(err) {
		return 0, s.notInteger(text)
	}
	if s.Kind.IsSigned() {
		mask >>= 1
	}
	if err != nil || v > mask {
		return 0, s.outOfRange(text)
	}
	return v, nil
}

func (s Scalar) parseFloat(text string) (uint64, error) {
	bits := 64
	if s.Kind == Float32 {
		bits = 32
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil && !isRange(err) || strings.ContainsAny(text, "xXpP_") {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	if err != nil {
		return 0, fmt.Errorf("%s is out of the range of %s", text, s.typeName())
	}
	switch {
	case s.field != nil && s.field.Mode == texel.UFloat:
		return s.field.Encode(uint64(math.Float32bits(float32(f)))), nil
	case s.Kind == Float16:
		h := half.FromDouble(f, false)
		if h&0x7fff == 0x7c00 && !math.IsInf(f, 0) {
			return 0, fmt.Errorf("%s is out of the range of %s", text, s.typeName())
		}
		return uint64(h), nil
	case s.Kind == Float32:
		return uint64(math.Float32bits(float32(f))), nil
	}
	return math.Float64bits(f), nil
}

func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

func (s Scalar) typeName() string {
	if s.field != nil {
		return fmt.Sprintf("component %c", s.field.Name)
	}
	return s.Kind.String()
}

func (s Scalar) notInteger(text string) error {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return fmt.Errorf("%s is not an integer, as %s needs", text, s.typeName())
	}
	return fmt.Errorf("%q is not a number", text)
}

func (s Scalar) outOfRange(text string) error {
	bits := s.bits()
	if s.Kind.IsSigned() {
		return fmt.Errorf("%s is out of the range of %s, %d to %d", text, s.typeName(), int64(-1)<<(bits-1), uint64(1)<<(bits-1)-1)
	}
	return fmt.Errorf("%s is out of the range of %s, 0 to %d", text, s.typeName(), ^uint64(0)>>(64-bits))
}
