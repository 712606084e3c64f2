package launch

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"ampdbg/tilemem/texel"
)

// Dump prints a buffer as its type: scalars eight to a line, anything else one
// value to a line, with the index of the first in front. Vectors are
// (x, y, ...), matrices lists of columns, structs {name: value, ...}. Bytes
// that make no whole value are printed in hex.
func Dump(w io.Writer, b *Buffer) error {
	t := b.Elem
	if t == nil || t.Stride == 0 {
		t = newScalar(Uint8)
	}
	n := len(b.Data) / t.Stride
	out := bufio.NewWriter(w)
	dumpValues(out, b.Data, t, n, func(i int) string { return strconv.Itoa(i) })
	if rest := b.Data[n*t.Stride:]; len(rest) > 0 {
		fmt.Fprintf(out, "rest: % x\n", rest)
	}
	return out.Flush()
}

// DumpImage prints the largest mip level of an image, a texel to a line, with
// its coordinates in front.
func DumpImage(w io.Writer, img *Image) error {
	f, ok := texel.Lookup(img.Format)
	if !ok {
		return fmt.Errorf("image %s has the unknown format %s", img.Name, img.Format)
	}
	out := bufio.NewWriter(w)
	perRow := img.Width * max(img.Samples, 1)
	n := min(img.LevelTexels(0), len(img.Data)/f.TexelSize)
	dumpValues(out, img.Data, newFormat(f), n, func(i int) string {
		return fmt.Sprintf("%d,%d", i%perRow, i/perRow)
	})
	return out.Flush()
}

func dumpValues(out *bufio.Writer, mem []byte, t *DataType, n int, index func(int) string) {
	perLine := 1
	if t.Kind == ScalarType {
		perLine = 8
	}
	var text []byte
	for i := 0; i < n; i += perLine {
		text = fmt.Appendf(text[:0], "[%s]", index(i))
		for k := i; k < min(i+perLine, n); k++ {
			text = append(text, ' ')
			text = t.appendValue(text, mem, k*t.Stride)
		}
		out.Write(append(text, '\n'))
	}
}

// appendValue prints the value at byte base.
func (t *DataType) appendValue(text, mem []byte, base int) []byte {
	list := func(open, end byte, n int, item func(i int)) []byte {
		text = append(text, open)
		for i := range n {
			if i > 0 {
				text = append(text, ", "...)
			}
			item(i)
		}
		return append(text, end)
	}
	switch t.Kind {
	case ScalarType:
		s := Scalar{Kind: t.Scalar, Offset: base}
		return append(text, s.Format(s.Load(mem))...)
	case FormatType:
		return list('(', ')', t.scalars, func(i int) {
			s := t.scalarAt(i, base)
			text = append(text, s.Format(s.Load(mem))...)
		})
	case StructType:
		return list('{', '}', len(t.Members), func(i int) {
			m := &t.Members[i]
			text = append(append(text, m.Name...), ": "...)
			text = m.Type.appendValue(text, mem, base+m.Offset)
		})
	case VectorType:
		return list('(', ')', t.Len, func(i int) { text = t.Elem.appendValue(text, mem, base+i*t.Step) })
	}
	return list('[', ']', t.Len, func(i int) { text = t.Elem.appendValue(text, mem, base+i*t.Step) })
}
