package debugger

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ampdbg/debugger/expr"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp/scalar"
)

// Format is a letter that says how scalars are written: 0 by their type, x
// hexadecimal, b binary, o octal, d signed, u unsigned, f floating-point, c as
// a character.
type Format byte

// ParseFormat reads a format's letter.
func ParseFormat(s string) (Format, error) {
	switch s {
	case "x", "b", "o", "d", "u", "f", "c":
		return Format(s[0]), nil
	case "t":
		return 'b', nil
	}
	return 0, fmt.Errorf("no format /%s; there are x (hexadecimal), b (binary), o, d, u, f, c", s)
}

// maxElements bounds how many elements of an array are written.
const maxElements = 200

// typeName is a type as GLSL writes it.
func typeName(u *spirv.Unit, t *spirv.Type) string { return expr.TypeName(t, u.Name) }

// formatter writes values.
type formatter struct {
	u      *spirv.Unit
	views  func(view int, off int64) string // names a place in memory
	format Format
	left   int // elements that may still be written
	out    strings.Builder
}

// value writes a loaded operand.
func (f *formatter) value(t *spirv.Type, bits []uint64, n int) {
	switch t.Kind {
	case spirv.Struct:
		f.out.WriteByte('{')
		for i := range t.Members {
			if i > 0 {
				f.out.WriteString(", ")
			}
			m := &t.Members[i]
			if m.Name != "" {
				fmt.Fprintf(&f.out, "%s = ", m.Name)
			}
			first := expr.FirstScalar(t, i)
			f.value(m.Type, bits[min(first, len(bits)):min(first+expr.Scalars(m.Type), len(bits))], 0)
		}
		f.out.WriteByte('}')
	case spirv.Array, spirv.RuntimeArray, spirv.Matrix:
		if t.Kind != spirv.RuntimeArray {
			n = t.Len
		}
		per := expr.Scalars(t.Elem)
		f.out.WriteByte('{')
		for i := 0; i < n; {
			if i > 0 {
				f.out.WriteString(", ")
			}
			if f.left <= 0 {
				f.out.WriteString("...")
				break
			}
			same := 1
			for i+same < n && equalBits(bits, i*per, (i+same)*per, per) {
				same++
			}
			f.left--
			f.value(t.Elem, bits[i*per:(i+1)*per], 0)
			if same >= 8 {
				fmt.Fprintf(&f.out, " <%d times>", same)
				i += same
			} else {
				i++
			}
		}
		f.out.WriteByte('}')
	case spirv.Vector:
		f.out.WriteByte('(')
		for i, b := range bits {
			if i > 0 {
				f.out.WriteString(", ")
			}
			f.scalar(t.Elem, b)
		}
		f.out.WriteByte(')')
	default:
		if len(bits) > 0 {
			f.scalar(t, bits[0])
		}
	}
}

func equalBits(bits []uint64, a, b, n int) bool {
	for i := range n {
		if bits[a+i] != bits[b+i] {
			return false
		}
	}
	return true
}

func (f *formatter) scalar(t *spirv.Type, v uint64) {
	size := 8 * scalarSize(t)
	if t.Kind == spirv.Bool {
		size = 1
	}
	switch f.format {
	case 'x':
		fmt.Fprintf(&f.out, "%#x", v)
		return
	case 'b':
		fmt.Fprintf(&f.out, "0b%0*b", max(size, 1), v)
		return
	case 'o':
		fmt.Fprintf(&f.out, "%#o", v)
		return
	case 'u':
		fmt.Fprint(&f.out, v)
		return
	case 'd':
		fmt.Fprint(&f.out, expr.AsInt(&spirv.Type{Kind: spirv.Int, Width: max(size, 8), Signed: true}, v))
		return
	case 'f':
		if size >= 16 {
			f.out.WriteString(floatText(&spirv.Type{Kind: spirv.Float, Width: size}, v))
			return
		}
	case 'c':
		if v > unicode.MaxRune || !utf8.ValidRune(rune(v)) {
			fmt.Fprintf(&f.out, "%#x", v) // no character
			return
		}
		f.out.WriteString(strconv.QuoteRune(rune(v)))
		return
	}
	switch t.Kind {
	case spirv.Bool:
		f.out.WriteString(strconv.FormatBool(v != 0))
	case spirv.Int:
		if t.Signed {
			fmt.Fprint(&f.out, expr.AsInt(t, v))
		} else {
			fmt.Fprint(&f.out, v)
		}
	case spirv.Float:
		f.out.WriteString(floatText(t, v))
	case spirv.Pointer:
		if v == 0 {
			f.out.WriteString("null")
			return
		}
		view, off := tilemem.Split(v)
		f.out.WriteString("&" + f.views(view, off))
	default:
		fmt.Fprintf(&f.out, "%#x", v)
	}
}

func floatText(t *spirv.Type, v uint64) string {
	x := expr.AsFloat(t, v)
	switch {
	case math.IsNaN(x):
		if v != map[int]uint64{16: scalar.NaN16, 32: scalar.NaN32, 64: scalar.NaN64}[t.Width] {
			return fmt.Sprintf("nan(%#x)", v) // not the one that kernels compute
		}
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	bits := 64
	if t.Width <= 32 {
		bits = 32
	}
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if t.Width == 16 {
		s = strconv.FormatFloat(x, 'g', 5, 32)
	}
	return s
}

// text writes an operand at a thread.
func (t *target) text(o operand, th *thread, format Format) (string, error) {
	if x, err := t.asImage(o, th); err == nil {
		return t.imageText(x.at.texels, format), nil
	}
	bits, err := o.load(th)
	if err != nil {
		return "", err
	}
	f := formatter{u: t.u, views: t.element, format: format, left: maxElements}
	f.value(o.t, bits, o.n)
	return f.out.String(), nil
}
