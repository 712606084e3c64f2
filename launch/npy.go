package launch

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// WriteNPY writes a buffer as a NumPy array file (format 1.0, or 2.0 for long
// headers): one entry per value, vectors, matrices (columns first) and arrays
// as further dimensions, structs as structured types. Padding is left out.
// Bytes that make no whole value are not written.
func WriteNPY(w io.Writer, b *Buffer) error {
	t := b.Elem
	if t == nil || t.Stride == 0 {
		t = newScalar(Uint8)
	}
	n := len(b.Data) / t.Stride
	descr, dims := t.npyType()
	shape := fmt.Sprintf("(%d,", n)
	for _, d := range dims {
		shape += fmt.Sprintf(" %d,", d)
	}
	shape = strings.TrimSuffix(shape, ",")
	if len(dims) == 0 {
		shape += ","
	}
	header := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': %s), }", descr, shape)
	out := bufio.NewWriter(w)
	const prefix1, prefix2 = 10, 12 // magic, version, header length
	if total := roundUp(prefix1+len(header)+1, 64); total-prefix1 < 1<<16 {
		out.WriteString("\x93NUMPY\x01\x00")
		out.Write(binary.LittleEndian.AppendUint16(nil, uint16(total-prefix1)))
		fmt.Fprintf(out, "%-*s\n", total-prefix1-1, header)
	} else {
		total := roundUp(prefix2+len(header)+1, 64)
		out.WriteString("\x93NUMPY\x02\x00")
		out.Write(binary.LittleEndian.AppendUint32(nil, uint32(total-prefix2)))
		fmt.Fprintf(out, "%-*s\n", total-prefix2-1, header)
	}
	var scratch [8]byte
	for i := range n {
		if t.isPacked() {
			out.Write(b.Data[i*t.Stride:][:t.Size])
			continue
		}
		for k := range t.scalars {
			s := t.scalarAt(k, i*t.Stride)
			binary.LittleEndian.PutUint64(scratch[:], s.Load(b.Data))
			out.Write(scratch[:s.bits()/8])
		}
	}
	return out.Flush()
}

// isPacked reports whether the values of a format lie in one word, which
// WriteNPY writes as it is.
func (t *DataType) isPacked() bool {
	if t.Kind != FormatType {
		return false
	}
	for _, c := range t.Format.Components {
		if c.Width%8 != 0 || c.Offset%8 != 0 {
			return true
		}
	}
	return false
}

// npyType gives NumPy's type of a value and the dimensions it adds.
func (t *DataType) npyType() (descr string, dims []int) {
	switch t.Kind {
	case ScalarType:
		return npyScalar(t.scalarAt(0, 0)), nil
	case FormatType:
		if t.isPacked() {
			return fmt.Sprintf("'<u%d'", t.Size), nil
		}
		if t.scalars == 1 {
			return npyScalar(t.scalarAt(0, 0)), nil
		}
		first := npyScalar(t.scalarAt(0, 0))
		for i := range t.scalars {
			if npyScalar(t.scalarAt(i, 0)) != first {
				return t.npyFields(), nil
			}
		}
		return first, []int{t.scalars}
	case StructType:
		return t.npyFields(), nil
	}
	descr, dims = t.Elem.npyType()
	return descr, append([]int{t.Len}, dims...)
}

// npyFields describes a structured type.
func (t *DataType) npyFields() string {
	var fields []string
	if t.Kind == FormatType {
		for i := range t.scalars {
			fields = append(fields, fmt.Sprintf("('%c', %s)", t.Format.Components[i].Name, npyScalar(t.scalarAt(i, 0))))
		}
	}
	for _, m := range t.Members {
		descr, dims := m.Type.npyType()
		field := fmt.Sprintf("('%s', %s", strings.NewReplacer("'", "_", `\`, "_").Replace(m.Name), descr)
		if len(dims) > 0 {
			field += ", ("
			for _, d := range dims {
				field += fmt.Sprintf("%d,", d)
			}
			field += ")"
		}
		fields = append(fields, field+")")
	}
	return "[" + strings.Join(fields, ", ") + "]"
}

func npyScalar(s Scalar) string {
	kind := 'u'
	switch {
	case s.Kind.IsFloat():
		kind = 'f'
	case s.Kind.IsSigned():
		kind = 'i'
	}
	order := '<'
	if s.bits() == 8 {
		order = '|'
	}
	return fmt.Sprintf("'%c%c%d'", order, kind, s.bits()/8)
}
