package spirv

import "slices"

// Layout says how a value lies in memory: by decorations (Explicit: Offset,
// ArrayStride, MatrixStride, RowMajor) or by Natural's rules. It carries the
// decorations that a struct member gives to the matrices inside it, so that
// the layout of any part follows from that of the whole: start from Natural
// or Explicit and go down with Place.
//
// Natural rules: scalars at multiples of their size, Bool as 4 bytes, pointers
// and handles as 8; vectors, matrices and arrays without gaps; a struct's
// members in order, each at a multiple of its alignment, the size rounded up
// to the largest alignment. Where Explicit meets a type without decorations,
// it uses the natural ones for that type.
type Layout struct {
	Explicit        bool
	MatrixStride    int  // bytes between columns (rows if RowMajor) of a matrix; 0: without gaps
	RowMajor        bool // matrices lie row by row
	ComponentStride int  // bytes between a vector's components (a column of a row-major matrix); 0: without gaps
}

// The layouts of a whole object.
var (
	natural  = Layout{}
	Explicit = Layout{Explicit: true}
)

// explicitIn reports whether objects of a storage class are laid out by
// decorations wherever their types have them.
func explicitIn(c StorageClass) bool {
	switch c {
	case StorageClassUniform, StorageClassStorageBuffer, StorageClassPushConstant,
		StorageClassPhysicalStorageBuffer, StorageClassShaderRecordBufferKHR:
		return true
	}
	return false
}

// LayoutOf gives the layout of what a pointer of the type points to: explicit
// in the classes of ExplicitIn, and in Workgroup storage if its variables are
// blocks (WorkgroupMemoryExplicitLayoutKHR); natural elsewhere.
func LayoutOf(pointer *Type) Layout {
	if explicitIn(pointer.Storage) || pointer.explicit {
		return Explicit
	}
	return natural
}

// layOutWorkgroup marks the pointers into Workgroup storage as pointers to what
// decorations lay out, if the module's Workgroup variables are blocks: all are
// or none is.
func (r *resolver) layOutWorkgroup() {
	blocks := slices.ContainsFunc(r.Globals, func(v *Variable) bool {
		return v.Storage == StorageClassWorkgroup && v.Type.Elem.Block
	})
	if !blocks {
		return
	}
	for _, x := range r.results {
		if t, ok := x.(*Type); ok && t.Kind == Pointer && t.Storage == StorageClassWorkgroup {
			t.explicit = true
		}
	}
}

// member gives the layout inside a struct's member.
func (l Layout) member(m *Member) Layout {
	if !l.Explicit {
		return natural
	}
	return Layout{Explicit: true, MatrixStride: m.MatrixStride, RowMajor: m.RowMajor}
}

// hasLayout reports whether decorations lay out all of the type: every struct
// member has an Offset, every array an ArrayStride, every matrix member a
// MatrixStride.
func (t *Type) hasLayout() bool { return t.laidOut }

// Size gives the bytes from the first to the last byte of a value of the
// type. An explicit size ends with the last byte of the last part: padding
// after it counts only in strides. A run-time array has size 0, void and
// functions too.
func (t *Type) Size(l Layout) int {
	switch t.Kind {
	case Vector, Matrix:
		if t.Kind == Matrix && l.RowMajor {
			return (t.Elem.Len-1)*l.rowStride(t) + t.Len*t.Elem.Elem.size
		}
		return (t.Len-1)*t.Stride(l) + t.Elem.Size(l)
	case Array:
		if !l.Explicit {
			return t.size
		}
		return (t.Len-1)*t.Stride(l) + t.Elem.Size(l)
	}
	if l.Explicit {
		return t.explicitSize
	}
	return t.size
}

// rowStride gives the bytes between the rows of a row-major matrix.
func (l Layout) rowStride(t *Type) int {
	if l.MatrixStride > 0 {
		return l.MatrixStride
	}
	return t.Len * t.Elem.Elem.size
}

// Stride gives the bytes between neighbouring parts of a vector, matrix
// (columns), array or run-time array; for a pointer, between the elements that
// OpPtrAccessChain steps over (its ArrayStride if the layout is explicit, or
// the pointee's natural size). 0 for other kinds.
func (t *Type) Stride(l Layout) int {
	switch t.Kind {
	case Vector:
		if l.ComponentStride > 0 {
			return l.ComponentStride
		}
	case Matrix:
		if l.RowMajor {
			return t.Elem.Elem.size
		}
		if l.MatrixStride > 0 {
			return l.MatrixStride
		}
	case Array, RuntimeArray:
		if l.Explicit && t.ArrayStride > 0 {
			return t.ArrayStride
		}
	case Pointer:
		if l.Explicit && t.ArrayStride > 0 {
			return t.ArrayStride
		}
		if t.Elem != nil {
			return roundUp(t.Elem.size, t.Elem.align)
		}
	}
	return t.stride
}

// Place gives part i of a composite laid out by l: its type, its byte offset
// in the composite and its own layout. The parts of vectors, matrices and
// arrays lie Stride apart, so Place(l, 0) and Stride(l) serve an index that is
// known only at run time. The part must exist (see Child).
func (t *Type) Place(l Layout, i int) (part *Type, offset int, in Layout) {
	switch t.Kind {
	case Struct:
		m := &t.Members[i]
		if l.Explicit {
			return m.Type, m.explicit, l.member(m)
		}
		return m.Type, m.natural, natural
	case Matrix:
		in = Layout{Explicit: l.Explicit}
		if l.RowMajor {
			in.ComponentStride = l.rowStride(t)
		}
	case Vector:
		in = Layout{Explicit: l.Explicit}
	default:
		in = l
	}
	return t.Elem, i * t.Stride(l), in
}

// MemberAt gives the struct member, laid out by l, that begins last at or before
// byte off; -1 if none does.
func (t *Type) MemberAt(l Layout, off int64) int {
	best, at := -1, int64(-1)
	for i := range t.Members {
		if _, o, _ := t.Place(l, i); int64(o) <= off && int64(o) > at {
			best, at = i, int64(o)
		}
	}
	return best
}

// ScalarAt gives the scalar, pointer or handle that covers byte off of a value
// laid out by l, and the offset where it begins. ok is false where nothing of
// the value lies.
func (t *Type) ScalarAt(l Layout, off int64) (scalar *Type, start int64, ok bool) {
	for t.IsComposite() {
		i := 0
		switch stride := int64(t.Stride(l)); {
		case t.Kind == Struct:
			i = t.MemberAt(l, off-start)
		case stride <= 0:
			return nil, 0, false
		case t.Kind == Matrix && l.RowMajor: // the columns lie in each other
			row := int64(l.rowStride(t))
			i = int((off - start) % row / stride)
		default:
			i = int((off - start) / stride)
		}
		if off < start || t.Child(i) == nil {
			return nil, 0, false
		}
		part, at, in := t.Place(l, i)
		t, l, start = part, in, start+int64(at)
	}
	return t, start, off >= start && off < start+int64(t.Size(l))
}

// Walk calls f for each scalar of a value laid out by l, in the order of
// Scalars, with the indexes that lead to it (valid during the call only) and
// its byte offset, until f returns false. Check Scalars before walking types
// of untrusted modules: there may be 2^48. Run-time arrays have no scalars.
func (t *Type) Walk(l Layout, f func(path []int, scalar *Type, offset int) bool) {
	t.walk(l, make([]int, 0, 8), 0, f)
}

func (t *Type) walk(l Layout, path []int, offset int, f func([]int, *Type, int) bool) bool {
	if !t.IsComposite() {
		return t.scalars == 0 || f(path, t, offset)
	}
	n := t.Len
	if t.Kind == Struct {
		n = len(t.Members)
	}
	if t.scalars == 0 {
		return true
	}
	for i := range n {
		part, at, in := t.Place(l, i)
		if !part.walk(in, append(path, i), offset+at, f) {
			return false
		}
	}
	return true
}
