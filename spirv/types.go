package spirv

import (
	"fmt"
	"math/bits"
	"strings"
)

// Limits on types: SPIR-V's structure nesting depth (section 2.17), applied to
// all composites, and a size that no memory has.
const (
	maxTypeDepth = 255
	maxTypeSize  = 1 << 48 // scalars, bytes, elements
)

// Scalars gives the number of scalars that a value of the type flattens to, in
// the order that Const documents. A pointer, a handle (image, sampler) and an
// opaque type count as one; void, functions and run-time arrays as none.
func (t *Type) Scalars() int { return t.scalars }

// IsScalar reports whether the type is Bool, Int or Float.
func (t *Type) IsScalar() bool { return t.Kind == Bool || t.Kind == Int || t.Kind == Float }

// IsComposite reports whether values of the type have parts.
func (t *Type) IsComposite() bool {
	switch t.Kind {
	case Vector, Matrix, Array, RuntimeArray, Struct:
		return true
	}
	return false
}

// Component gives the scalar type of a scalar, vector or matrix; nil for any
// other.
func (t *Type) Component() *Type {
	for t != nil && (t.Kind == Vector || t.Kind == Matrix) {
		t = t.Elem
	}
	if t == nil || !t.IsScalar() {
		return nil
	}
	return t
}

// Dimensions is how many coordinates lead to a texel of an Image, its layer not
// counted.
func (t *Type) Dimensions() int {
	switch t.Dim {
	case Dim1D, DimBuffer:
		return 1
	case Dim3D, DimCube:
		return 3
	}
	return 2
}

// Child gives the type of part i of a composite (array element, vector
// component, matrix column, struct member), nil if there is none.
func (t *Type) Child(i int) *Type {
	switch t.Kind {
	case Struct:
		if i >= 0 && i < len(t.Members) {
			return t.Members[i].Type
		}
	case RuntimeArray:
		if i >= 0 {
			return t.Elem
		}
	case Vector, Matrix, Array:
		if i >= 0 && i < t.Len {
			return t.Elem
		}
	}
	return nil
}

// ChildScalar gives the place of part i's first scalar among the scalars of
// the composite.
func (t *Type) ChildScalar(i int) int {
	if t.Kind == Struct {
		return t.Members[i].scalar
	}
	return i * t.Elem.scalars
}

// Same reports structural equality: same kinds, sizes and parts, whatever the
// ids, names and layout decorations (what OpCopyLogical asks for).
func (t *Type) Same(o *Type) bool { return same(t, o, map[[2]*Type]bool{}) }

// same takes pairs in assumed to be equal: pointers make types recursive.
func same(t, o *Type, assumed map[[2]*Type]bool) bool {
	if t == o {
		return true
	}
	if t == nil || o == nil || t.Kind != o.Kind || t.Width != o.Width || t.Signed != o.Signed ||
		t.Len != o.Len || t.Storage != o.Storage || len(t.Members) != len(o.Members) || len(t.Params) != len(o.Params) {
		return false
	}
	if t.Kind == OtherType {
		return false // each is its own
	}
	if t.Dim != o.Dim || t.Depth != o.Depth || t.Arrayed != o.Arrayed || t.MS != o.MS || t.Sampled != o.Sampled || t.Format != o.Format {
		return false
	}
	pair := [2]*Type{t, o}
	if assumed[pair] {
		return true
	}
	assumed[pair] = true
	if !same(t.Elem, o.Elem, assumed) || !same(t.Return, o.Return, assumed) {
		return false
	}
	for i := range t.Members {
		if !same(t.Members[i].Type, o.Members[i].Type, assumed) {
			return false
		}
	}
	for i := range t.Params {
		if !same(t.Params[i], o.Params[i], assumed) {
			return false
		}
	}
	return true
}

// String gives a short description: uint32, vec4<float32>, [16]float32,
// *StorageBuffer, struct %7.
func (t *Type) String() string {
	if t == nil {
		return "no type"
	}
	switch t.Kind {
	case Void:
		return "void"
	case Bool:
		return "bool"
	case Int:
		if t.Signed {
			return fmt.Sprintf("int%d", t.Width)
		}
		return fmt.Sprintf("uint%d", t.Width)
	case Float:
		return fmt.Sprintf("float%d", t.Width)
	case Vector:
		return fmt.Sprintf("vec%d<%s>", t.Len, t.Elem)
	case Matrix:
		return fmt.Sprintf("mat%dx%d<%s>", t.Len, t.Elem.Len, t.Elem.Elem)
	case Array:
		return fmt.Sprintf("[%d]%s", t.Len, t.Elem)
	case RuntimeArray:
		return "[]" + t.Elem.String()
	case Struct:
		return "struct " + t.name
	case Pointer:
		return fmt.Sprintf("pointer %s (%s)", t.name, t.Storage)
	case FunctionType:
		var b strings.Builder
		b.WriteString("func(")
		for i, p := range t.Params {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(p.String())
		}
		return b.String() + ") " + t.Return.String()
	case Image:
		return "image"
	case Sampler:
		return "sampler"
	case SampledImage:
		return "sampled image"
	}
	return "type " + t.name
}

// typeOperand gives the type that operand word k of instruction i names.
func (r *resolver) typeOperand(i, k int) *Type {
	id := ID(r.arg(i, k))
	if t := r.Type(id); t != nil {
		return t
	}
	d := r.target(i, id)
	if d >= i && isTypeDeclaration(r.Insts[d].Op) {
		r.fail(i, "operand %s is a type that is declared only later", r.IDName(id))
	}
	r.fail(i, "operand %s is not a type", r.IDName(id))
	return nil
}

// readType resolves the type-declaring instruction i.
func (r *resolver) readType(i int) {
	in := &r.Insts[i]
	if in.Op == OpTypeForwardPointer {
		r.forwardPointer(i)
		return
	}
	t := r.forward[in.Result]
	if t == nil {
		t = &Type{ID: in.Result, name: r.IDName(in.Result)}
	} else if in.Op != OpTypePointer {
		r.fail(i, "announced as a pointer by OpTypeForwardPointer")
	}
	switch in.Op {
	case OpTypeVoid:
		t.Kind = Void
	case OpTypeBool:
		t.Kind = Bool
	case OpTypeInt:
		t.Kind, t.Width, t.Signed = Int, int(r.arg(i, 0)), r.arg(i, 1) != 0
		if t.Width != 8 && t.Width != 16 && t.Width != 32 && t.Width != 64 {
			r.fail(i, "integer width %d, expected 8, 16, 32 or 64", t.Width)
		}
	case OpTypeFloat:
		t.Kind, t.Width = Float, int(r.arg(i, 0))
		switch {
		case len(in.Args) > 1:
			t.Kind = OtherType // an encoding other than IEEE 754's
		case t.Width != 16 && t.Width != 32 && t.Width != 64:
			r.fail(i, "float width %d, expected 16, 32 or 64", t.Width)
		}
	case OpTypeVector:
		t.Kind, t.Elem, t.Len = Vector, r.typeOperand(i, 0), int(r.arg(i, 1))
		if !t.Elem.IsScalar() {
			r.fail(i, "component type %s, expected a scalar", t.Elem)
		}
		switch t.Len {
		case 2, 3, 4, 8, 16:
		default:
			r.fail(i, "%d components, expected 2, 3, 4, 8 or 16", t.Len)
		}
	case OpTypeMatrix:
		t.Kind, t.Elem, t.Len = Matrix, r.typeOperand(i, 0), int(r.arg(i, 1))
		if t.Elem.Kind != Vector || t.Elem.Elem.Kind != Float {
			r.fail(i, "column type %s, expected a vector of floats", t.Elem)
		}
		if t.Len < 2 || t.Len > 4 {
			r.fail(i, "%d columns, expected 2, 3 or 4", t.Len)
		}
	case OpTypeArray:
		t.Kind, t.Elem, t.Len = Array, r.elementType(i), r.arrayLen(i)
	case OpTypeRuntimeArray:
		t.Kind, t.Elem = RuntimeArray, r.elementType(i)
	case OpTypeStruct:
		r.readStruct(i, t)
	case OpTypePointer:
		t.Kind, t.Elem = Pointer, r.typeOperand(i, 1)
		if s := StorageClass(r.arg(i, 0)); r.forward[in.Result] != nil && s != t.Storage {
			r.fail(i, "storage class differs from that of its OpTypeForwardPointer")
		} else {
			t.Storage = s
		}
		delete(r.forward, in.Result)
	case OpTypeFunction:
		t.Kind, t.Return = FunctionType, r.typeOperand(i, 0)
		for k := 1; k < len(in.Args); k++ {
			p := r.typeOperand(i, k)
			if p.Kind == Void || p.Kind == FunctionType {
				r.fail(i, "parameter type %s", p)
			}
			t.Params = append(t.Params, p)
		}
	case OpTypeImage:
		t.Kind, t.Elem, t.Dim = Image, r.typeOperand(i, 0), Dim(r.arg(i, 1))
		t.Depth, t.Arrayed, t.MS = r.arg(i, 2), r.arg(i, 3) != 0, r.arg(i, 4) != 0
		t.Sampled, t.Format = r.arg(i, 5), ImageFormat(r.arg(i, 6))
		if t.Elem.Kind != Void && t.Elem.Kind != Int && t.Elem.Kind != Float {
			r.fail(i, "sampled type %s, expected void or a numerical scalar", t.Elem)
		}
	case OpTypeSampler:
		t.Kind = Sampler
	case OpTypeSampledImage:
		t.Kind, t.Elem = SampledImage, r.typeOperand(i, 0)
		if t.Elem.Kind != Image {
			r.fail(i, "operand %s, expected an image type", t.Elem)
		}
	default:
		t.Kind = OtherType
	}
	if s, ok := r.Decoration(t.ID, DecorationArrayStride); ok && len(s) > 0 {
		t.ArrayStride = int(s[0])
	}
	t.Block = t.Kind == Struct && r.HasDecoration(t.ID, DecorationBlock)
	t.BufferBlock = t.Kind == Struct && r.HasDecoration(t.ID, DecorationBufferBlock)
	r.measure(i, t)
	r.results[i] = t
}

// forwardPointer announces a pointer type that a struct may use before its
// declaration.
func (r *resolver) forwardPointer(i int) {
	id := ID(r.arg(i, 0))
	d := r.target(i, id)
	if r.Insts[d].Op != OpTypePointer {
		r.fail(i, "operand %s is not a pointer type", r.IDName(id))
	}
	if d < i {
		r.fail(i, "pointer type %s is declared before", r.IDName(id))
	}
	if r.forward[id] != nil {
		r.fail(i, "pointer type %s is announced already", r.IDName(id))
	}
	t := &Type{ID: id, name: r.IDName(id), Kind: Pointer, Storage: StorageClass(r.arg(i, 1))}
	r.measure(i, t)
	r.forward[id] = t
}

// elementType gives the element type of the array type i.
func (r *resolver) elementType(i int) *Type {
	t := r.forward[ID(r.arg(i, 0))]
	if t == nil {
		t = r.typeOperand(i, 0)
	}
	if t.Kind == Void || t.Kind == FunctionType {
		r.fail(i, "element type %s", t)
	}
	return t
}

// arrayLen gives the length operand of the array type i.
func (r *resolver) arrayLen(i int) int {
	id := ID(r.arg(i, 1))
	c := r.Const(id)
	if c == nil || c.Type.Kind != Int {
		r.target(i, id)
		r.fail(i, "length %s is not an integer constant declared before", r.IDName(id))
	}
	if c.Undef != nil {
		r.fail(i, "length %s has an undefined value", r.IDName(id))
	}
	n := c.Bits[0]
	if c.Type.Signed && n>>(c.Type.Width-1) != 0 {
		r.fail(i, "length %s is negative", r.IDName(id))
	}
	if n == 0 || n > maxTypeSize {
		r.fail(i, "length %d, expected 1 to %d", n, maxTypeSize)
	}
	return int(n)
}

// readStruct resolves the members of the struct type i.
func (r *resolver) readStruct(i int, t *Type) {
	in := &r.Insts[i]
	t.Kind = Struct
	t.Members = make([]Member, len(in.Args))
	names := r.memberNames[in.Result]
	for k := range t.Members {
		m := &t.Members[k]
		m.Offset = -1
		m.Name = names[uint32(k)]
		if m.Type = r.forward[ID(in.Args[k])]; m.Type == nil {
			m.Type = r.typeOperand(i, k)
		}
		if m.Type.Kind == Void || m.Type.Kind == FunctionType {
			r.fail(i, "member %d is of type %s", k, m.Type)
		}
	}
	for _, x := range r.decorations[i] {
		if x.member < 0 {
			continue
		}
		m := &t.Members[x.member]
		arg := func() int {
			if len(x.args) == 0 {
				r.fail(i, "decoration %s of member %d lacks its operand", x.kind, x.member)
			}
			return int(x.args[0])
		}
		switch x.kind {
		case DecorationOffset:
			m.Offset = arg()
		case DecorationMatrixStride:
			m.MatrixStride = arg()
		case DecorationRowMajor:
			m.RowMajor = true
		case DecorationCoherent:
			m.Coherent = true
		case DecorationVolatile:
			m.Volatile = true
		case DecorationNonWritable:
			m.NonWritable = true
		case DecorationNonReadable:
			m.NonReadable = true
		case DecorationBuiltIn:
			m.BuiltIn, m.IsBuiltIn = BuiltIn(arg()), true
		}
	}
}

// measure computes the type's scalars, depth and sizes from its parts'.
func (r *resolver) measure(i int, t *Type) {
	t.laidOut = true
	t.align = 1
	switch t.Kind {
	case Void, FunctionType:
		return
	case Bool:
		t.scalars, t.size, t.align = 1, 4, 4
	case Int, Float:
		t.scalars, t.size, t.align = 1, t.Width/8, t.Width/8
	case Vector, Matrix, Array, RuntimeArray:
		r.measureRun(i, t)
	case Struct:
		r.measureStruct(i, t)
	default:
		t.scalars, t.size, t.align = 1, 8, 8
	}
	if !t.IsComposite() {
		t.explicitSize = t.size
	}
	if t.depth > maxTypeDepth {
		r.fail(i, "type nesting deeper than %d", maxTypeDepth)
	}
}

// product is a*b+c, failing beyond maxTypeSize.
func (r *resolver) product(i, a, b, c int) int {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > maxTypeSize || lo+uint64(c) > maxTypeSize {
		r.fail(i, "type is larger than %d bytes or scalars", maxTypeSize)
	}
	return int(lo) + c
}

func (r *resolver) measureRun(i int, t *Type) {
	e := t.Elem
	t.depth = e.depth + 1
	t.align = e.align
	t.scalars = r.product(i, t.Len, e.scalars, 0)
	t.stride = roundUp(e.size, e.align)
	t.size = r.product(i, t.Len, t.stride, 0)
	t.laidOut = e.laidOut
	switch t.Kind {
	case Vector, Matrix:
		t.explicitSize = t.size
	case Array, RuntimeArray:
		t.laidOut = t.laidOut && t.ArrayStride > 0
		stride := t.ArrayStride
		if stride == 0 {
			stride = t.stride
		}
		if t.Len > 0 {
			t.explicitSize = r.product(i, t.Len-1, stride, e.explicitSize)
		}
	}
}

func (r *resolver) measureStruct(i int, t *Type) {
	explicit := true
	for k := range t.Members {
		explicit = explicit && t.Members[k].Offset >= 0
	}
	end := 0
	for k := range t.Members {
		m := &t.Members[k]
		m.scalar = t.scalars
		t.scalars = r.product(i, 1, t.scalars, m.Type.scalars)
		t.depth = max(t.depth, m.Type.depth+1)
		t.align = max(t.align, m.Type.align)
		m.natural = roundUp(end, m.Type.align)
		end = r.product(i, 1, m.natural, m.Type.size)
		if m.explicit = m.Offset; !explicit {
			m.explicit = m.natural
		}
		l := Explicit.member(m)
		t.explicitSize = max(t.explicitSize, r.product(i, 1, m.explicit, m.Type.Size(l)))
		t.laidOut = t.laidOut && m.Type.laidOut && explicit && (m.MatrixStride > 0 || !m.Type.hasMatrix())
	}
	t.size = roundUp(end, t.align)
}

// hasMatrix reports whether the type is a matrix or an array of matrices.
func (t *Type) hasMatrix() bool {
	for t.Kind == Array || t.Kind == RuntimeArray {
		t = t.Elem
	}
	return t.Kind == Matrix
}

func roundUp(n, align int) int { return (n + align - 1) / align * align }
