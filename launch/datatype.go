package launch

import (
	"fmt"
	"strings"

	"ampdbg/diag"
	"ampdbg/tilemem/texel"
)

// DataType describes the bytes of a buffer: a scalar, vector, matrix, array,
// struct or texel format, with its layout already applied.
//
// A value is a sequence of scalars, numbered from 0 in the order in which
// AmberScript lists values: members in order, matrices column by column.
type DataType struct {
	Name string // AmberScript spelling
	Kind TypeKind
	Size int // bytes without trailing padding
	// Align is the base alignment in bytes.
	Align int
	// Stride is the distance in bytes between values that follow each other in
	// a buffer.
	Stride  int
	Scalar  ScalarKind    // ScalarType; for VectorType and MatrixType that of the components
	Elem    *DataType     // VectorType: component; MatrixType: column; ArrayType: element
	Len     int           // VectorType, MatrixType, ArrayType: number of Elems; 0 for a runtime array of unknown length
	Step    int           // VectorType, MatrixType, ArrayType: bytes between Elems
	Members []Member      // StructType
	Format  *texel.Format // FormatType
	scalars int
}

// Member is a member of a struct.
type Member struct {
	Name   string
	Offset int // bytes
	Type   *DataType
	first  int // number of the first scalar
}

// TypeKind tells the data types apart.
type TypeKind uint8

// The kinds of data type.
const (
	ScalarType TypeKind = iota
	VectorType
	MatrixType
	ArrayType
	StructType
	FormatType // a texel: its scalars are the format's components
)

// Layout is the set of rules by which types are laid out.
type Layout uint8

// The layouts; sections "Standard Buffer Layout" of the Vulkan specification,
// "Standard Uniform Block Layout" of OpenGL's.
const (
	Std430 Layout = iota
	Std140
)

func (l Layout) String() string {
	if l == Std140 {
		return "STD140"
	}
	return "STD430"
}

// maxTypeSize bounds the size of one value, as MaxBytes bounds that of all
// memory.
const maxTypeSize = MaxBytes

// Scalars is how many scalars a value has.
func (t *DataType) Scalars() int { return t.scalars }

func roundUp(n, to int) int { return (n + to - 1) / to * to }

func newScalar(k ScalarKind) *DataType {
	n := k.Bits() / 8
	return &DataType{Name: k.String(), Kind: ScalarType, Scalar: k, Size: n, Align: n, Stride: n, scalars: 1}
}

func newVector(k ScalarKind, n int) *DataType {
	c := newScalar(k)
	slots := n
	if n == 3 {
		slots = 4
	}
	return &DataType{
		Name: fmt.Sprintf("vec%d<%s>", n, k), Kind: VectorType, Scalar: k, Elem: c, Len: n, Step: c.Size,
		Size: n * c.Size, Align: slots * c.Size, Stride: slots * c.Size, scalars: n,
	}
}

// newMatrix lays out columns of rows components; stride 0 means the layout's.
func newMatrix(k ScalarKind, columns, rows, stride int, l Layout) (*DataType, error) {
	col := newVector(k, rows)
	align := col.Align
	if l == Std140 {
		align = roundUp(align, 16)
	}
	if stride == 0 {
		stride = align
	}
	if stride < col.Size {
		return nil, fmt.Errorf("a matrix stride of %d bytes is less than a column's %d", stride, col.Size)
	}
	return &DataType{
		Name: fmt.Sprintf("mat%dx%d<%s>", columns, rows, k), Kind: MatrixType, Scalar: k, Elem: col, Len: columns, Step: stride,
		Size: columns * stride, Align: align, Stride: roundUp(columns*stride, align), scalars: columns * rows,
	}, nil
}

// newArray makes an array of n elements, 0 for a runtime array; stride 0 means
// the layout's.
func newArray(elem *DataType, n, stride int, l Layout) (*DataType, error) {
	align := elem.Align
	if l == Std140 {
		align = roundUp(align, 16)
	}
	if stride == 0 {
		stride = roundUp(max(elem.Stride, elem.Size), align)
	}
	if stride < elem.Size {
		return nil, fmt.Errorf("an array stride of %d bytes is less than an element's %d", stride, elem.Size)
	}
	if n > maxTypeSize/stride {
		return nil, fmt.Errorf("%d elements of %s take more than %d bytes", n, elem.Name, int64(maxTypeSize))
	}
	length := ""
	if n > 0 {
		length = fmt.Sprint(n)
	}
	name := elem.Name
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i] + "[" + length + "]" + name[i:] // outer dimension first
	} else {
		name += "[" + length + "]"
	}
	return &DataType{
		Name: name, Kind: ArrayType, Elem: elem, Len: n, Step: stride,
		Size: n * stride, Align: align, Stride: roundUp(n*stride, align), scalars: n * elem.scalars,
	}, nil
}

func newFormat(f *texel.Format) *DataType {
	return &DataType{
		Name: f.Name, Kind: FormatType, Format: f, Size: f.TexelSize, Align: 1, Stride: f.TexelSize,
		scalars: len(f.Components),
	}
}

// isRuntime reports whether the type is or ends in a runtime array.
func (t *DataType) isRuntime() bool {
	switch t.Kind {
	case ArrayType:
		return t.Len == 0
	case StructType:
		return t.Members[len(t.Members)-1].Type.isRuntime()
	}
	return false
}

// withLength gives t with its runtime array made n elements long.
func (t *DataType) withLength(n int) (*DataType, error) {
	if t.Kind == ArrayType {
		a := *t
		if n > maxTypeSize/t.Step {
			return nil, fmt.Errorf("%d elements of %s take more than %d bytes", n, t.Elem.Name, int64(maxTypeSize))
		}
		a.Len, a.Size, a.Stride, a.scalars = n, n*t.Step, roundUp(n*t.Step, t.Align), n*t.Elem.scalars
		return &a, nil
	}
	s := *t
	s.Members = append([]Member(nil), t.Members...)
	last := &s.Members[len(s.Members)-1]
	tail, err := last.Type.withLength(n)
	if err != nil {
		return nil, err
	}
	s.scalars += tail.scalars - last.Type.scalars
	last.Type = tail
	s.Size = last.Offset + tail.Size
	s.Stride = roundUp(s.Size, s.Align)
	return &s, nil
}

// runtimeArray is the runtime array that t is or ends in.
func (t *DataType) runtimeArray() *DataType {
	if t.Kind == ArrayType {
		return t
	}
	return t.Members[len(t.Members)-1].Type.runtimeArray()
}

// At gives scalar i of a run of values that starts at byte 0, any i.
func (t *DataType) At(i int) Scalar {
	return t.scalarAt(i%t.scalars, i/t.scalars*t.Stride)
}

func (t *DataType) scalarAt(i, base int) Scalar {
	for {
		switch t.Kind {
		case ScalarType:
			return Scalar{Kind: t.Scalar, Offset: base}
		case FormatType:
			return componentScalar(&t.Format.Components[i], base)
		case StructType:
			lo, hi := 0, len(t.Members)
			for hi-lo > 1 {
				if mid := (lo + hi) / 2; t.Members[mid].first <= i {
					lo = mid
				} else {
					hi = mid
				}
			}
			m := &t.Members[lo]
			i, base, t = i-m.first, base+m.Offset, m.Type
		default:
			n := t.Elem.scalars
			base += i / n * t.Step
			i, t = i%n, t.Elem
		}
	}
}

// Find gives the number of the scalar that starts at byte off of a run of
// values; ok is false if none starts there.
func (t *DataType) Find(off int) (i int, ok bool) {
	if t.Stride == 0 || t.scalars == 0 {
		return 0, false
	}
	n, ok := t.find(off % t.Stride)
	return off/t.Stride*t.scalars + n, ok
}

func (t *DataType) find(off int) (i int, ok bool) {
	for {
		switch t.Kind {
		case ScalarType:
			return i, off == 0
		case FormatType:
			// Components are named in memory order or, in packed words, in
			// reverse: a byte offset finds the first one named there.
			for c := range t.Format.Components {
				if t.Format.Components[c].Offset == off*8 || off == 0 {
					return i + c, true
				}
			}
			return 0, false
		case StructType:
			lo, hi := 0, len(t.Members)
			for hi-lo > 1 {
				if mid := (lo + hi) / 2; t.Members[mid].Offset <= off {
					lo = mid
				} else {
					hi = mid
				}
			}
			m := &t.Members[lo]
			if off < m.Offset {
				return 0, false
			}
			i, off, t = i+m.first, off-m.Offset, m.Type
		default:
			n := off / t.Step
			if n >= t.Len {
				return 0, false
			}
			i, off, t = i+n*t.Elem.scalars, off%t.Step, t.Elem
		}
	}
}

// Path names scalar i of a run of values: "[2].pos.y".
func (t *DataType) Path(i int) string {
	var e diag.Element
	t.Lead(&e, i)
	return e.Path
}

// Lead leads e, a buffer of elements of the type, to its scalar i.
func (t *DataType) Lead(e *diag.Element, i int) {
	e.Index(int64(i / t.scalars))
	i %= t.scalars
	for {
		switch t.Kind {
		case ScalarType:
			return
		case FormatType:
			e.Member(string(t.Format.Components[i].Name + 'a' - 'A'))
			return
		case VectorType:
			e.Member("xyzw"[i : i+1])
			return
		case StructType:
			for k := len(t.Members) - 1; k >= 0; k-- {
				if m := &t.Members[k]; m.first <= i {
					e.Member(m.Name)
					i, t = i-m.first, m.Type
					break
				}
			}
		default:
			n := t.Elem.scalars
			e.Index(int64(i / n))
			i, t = i%n, t.Elem
		}
	}
}
