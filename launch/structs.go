package launch

import (
	"ampdbg/amber"
)

type structKey struct {
	name   string
	layout Layout
}

// structType lays out a script's struct; nil, nil if there is none of that
// name.
func (b *builder) structType(name string, l Layout) (*DataType, error) {
	key := structKey{name, l}
	if t, ok := b.types[key]; ok {
		if t == nil {
			return nil, b.bad(b.structs[name].Name, "struct %s contains itself", name)
		}
		return t, nil
	}
	decl := b.structs[name]
	if decl == nil {
		return nil, nil
	}
	if len(b.types) > maxStructs {
		return nil, b.bad(decl.Name, "more than %d structs", maxStructs)
	}
	b.types[key] = nil // being laid out
	t, err := b.layOut(decl, l)
	if err != nil {
		delete(b.types, key)
		return nil, err
	}
	b.types[key] = t
	return t, nil
}

// maxStructs bounds the nesting of types.
const maxStructs = 1000

func (b *builder) layOut(decl *amber.Struct, l Layout) (*DataType, error) {
	t := &DataType{Name: decl.Name.Text, Kind: StructType, Align: 1}
	if l == Std140 {
		t.Align = 16
	}
	seen := map[string]bool{}
	for i, m := range decl.Members {
		name, dims := m.Name.Text, ""
		if base, _, err := splitDims(name); err == nil && base != name {
			name, dims = base, m.Name.Text[len(base):]
		}
		if seen[name] {
			return nil, b.bad(m.Name, "struct %s has two members named %s", t.Name, name)
		}
		seen[name] = true
		mt, err := b.memberType(m, m.Type.Text+dims, l)
		if err != nil {
			return nil, err
		}
		if mt.isRuntime() && i < len(decl.Members)-1 {
			return nil, b.bad(m.Type, "only the last member of a struct may be an array without length")
		}
		off := roundUp(t.Size, mt.Align)
		if m.Offset.Given() {
			off = int(m.Offset.Value)
			if off < t.Size {
				return nil, b.bad(m.Offset.Word, "offset %d of member %s lies in the member before it, which ends at %d", off, name, t.Size)
			}
		}
		t.Members = append(t.Members, Member{Name: name, Offset: off, Type: mt, first: t.scalars})
		t.scalars += mt.scalars
		t.Align = max(t.Align, mt.Align)
		t.Size = off + mt.Size
		if mt.Kind == StructType && !m.ArrayStride.Given() {
			t.Size = off + max(mt.Size, mt.Stride) // nothing may lie in a struct's tail padding
		}
		if t.Size > maxTypeSize {
			return nil, b.bad(m.Type, "struct %s takes more than %d bytes", t.Name, int64(maxTypeSize))
		}
	}
	t.Stride = roundUp(t.Size, t.Align)
	if decl.Stride.Given() {
		if t.Stride = int(decl.Stride.Value); t.Stride < t.Size {
			return nil, b.bad(decl.Stride.Word, "stride %d is less than the struct's %d bytes", t.Stride, t.Size)
		}
	}
	return t, nil
}

func (b *builder) memberType(m amber.StructMember, name string, l Layout) (*DataType, error) {
	st := strides{int(m.ArrayStride.Value), int(m.MatrixStride.Value)}
	t, err := typeContext{l, b.structType}.parse(name, st)
	if err != nil {
		return nil, b.wrap(m.Type, err)
	}
	if m.ArrayStride.Given() && t.Kind != ArrayType {
		return nil, b.bad(m.ArrayStride.Word, "ARRAY_STRIDE is for arrays, not for %s", t.Name)
	}
	inner := t
	for inner.Kind == ArrayType {
		inner = inner.Elem
	}
	if m.MatrixStride.Given() && inner.Kind != MatrixType {
		return nil, b.bad(m.MatrixStride.Word, "MATRIX_STRIDE is for matrices, not for %s", t.Name)
	}
	return t, nil
}
