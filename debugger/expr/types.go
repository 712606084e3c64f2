package expr

import (
	"fmt"
	"strconv"

	"ampdbg/program"
	"ampdbg/spirv"
)

// The types of literals, comparisons and built-ins.
var (
	Bool   = &spirv.Type{Kind: spirv.Bool}
	Int    = &spirv.Type{Kind: spirv.Int, Width: 32, Signed: true}
	Uint   = &spirv.Type{Kind: spirv.Int, Width: 32}
	Int64  = &spirv.Type{Kind: spirv.Int, Width: 64, Signed: true}
	Uint64 = &spirv.Type{Kind: spirv.Int, Width: 64}
	Float  = &spirv.Type{Kind: spirv.Float, Width: 32}
	Double = &spirv.Type{Kind: spirv.Float, Width: 64}
	Half   = &spirv.Type{Kind: spirv.Float, Width: 16}

	int8Type   = &spirv.Type{Kind: spirv.Int, Width: 8, Signed: true}
	uint8Type  = &spirv.Type{Kind: spirv.Int, Width: 8}
	int16Type  = &spirv.Type{Kind: spirv.Int, Width: 16, Signed: true}
	uint16Type = &spirv.Type{Kind: spirv.Int, Width: 16}
)

// Types are the type names that casts and constructors know, by name: those of
// GLSL and of its explicit arithmetic types, and some of C's.
var Types = map[string]*spirv.Type{
	"bool": Bool, "int": Int, "uint": Uint, "float": Float, "double": Double,
	"int8_t": int8Type, "uint8_t": uint8Type, "int16_t": int16Type, "uint16_t": uint16Type,
	"int32_t": Int, "uint32_t": Uint, "int64_t": Int64, "uint64_t": Uint64,
	"float16_t": Half, "float32_t": Float, "float64_t": Double,
	"char": int8Type, "uchar": uint8Type, "short": int16Type, "ushort": uint16Type,
	"long": Int64, "ulong": Uint64, "half": Half,
}

var vectors = map[*spirv.Type][5]*spirv.Type{}

func init() {
	for prefix, t := range map[string]*spirv.Type{
		"": Float, "b": Bool, "i": Int, "u": Uint, "d": Double, "f16": Half, "f32": Float, "f64": Double,
		"i8": int8Type, "u8": uint8Type, "i16": int16Type, "u16": uint16Type, "i32": Int, "u32": Uint, "i64": Int64, "u64": Uint64,
	} {
		list, known := vectors[t]
		for n := 2; n <= 4; n++ {
			if !known {
				list[n] = &spirv.Type{Kind: spirv.Vector, Elem: t, Len: n}
			}
			Types[fmt.Sprintf("%svec%d", prefix, n)] = list[n]
		}
		vectors[t] = list
	}
	for prefix, t := range map[string]*spirv.Type{"": Float, "d": Double, "f16": Half, "f32": Float, "f64": Double} {
		for c := 2; c <= 4; c++ {
			for r := 2; r <= 4; r++ {
				m := matrixOf(t, c, r)
				Types[fmt.Sprintf("%smat%dx%d", prefix, c, r)] = m
				if c == r {
					Types[fmt.Sprintf("%smat%d", prefix, c)] = m
				}
			}
		}
	}
}

// VectorOf is the vector type of n components, of one component its type.
func VectorOf(t *spirv.Type, n int) *spirv.Type {
	if n == 1 {
		return t
	}
	if list, ok := vectors[t]; ok && n <= 4 {
		return list[n]
	}
	return &spirv.Type{Kind: spirv.Vector, Elem: t, Len: n}
}

// matrixOf is the matrix type of some columns and rows.
func matrixOf(t *spirv.Type, columns, rows int) *spirv.Type {
	return &spirv.Type{Kind: spirv.Matrix, Elem: VectorOf(t, rows), Len: columns}
}

func arrayOf(t *spirv.Type, n int) *spirv.Type {
	return &spirv.Type{Kind: spirv.Array, Elem: t, Len: n}
}

// Scalars is the number of scalars of a type, of a module or made here.
func Scalars(t *spirv.Type) int {
	if t.ID != 0 {
		return t.Scalars()
	}
	switch t.Kind {
	case spirv.Vector:
		return t.Len
	case spirv.Array, spirv.Matrix:
		return t.Len * Scalars(t.Elem)
	case spirv.Struct:
		return FirstScalar(t, len(t.Members))
	}
	return 1
}

// FirstScalar is the place of part i's first scalar among those of a value.
func FirstScalar(t *spirv.Type, i int) int {
	switch {
	case t.Kind != spirv.Struct:
		return i * Scalars(t.Elem)
	case t.ID != 0 && i < len(t.Members):
		return t.ChildScalar(i)
	}
	n := 0
	for _, m := range t.Members[:i] {
		n += Scalars(m.Type)
	}
	return n
}

// Component is the scalar type of a scalar or vector, nil for others.
func Component(t *spirv.Type) *spirv.Type {
	if t.Kind == spirv.Vector {
		t = t.Elem
	}
	if t.IsScalar() {
		return t
	}
	return nil
}

// width is the number of components of a scalar or vector.
func width(t *spirv.Type) int {
	if t.Kind == spirv.Vector {
		return t.Len
	}
	return 1
}

// kind is the kind of a scalar type's bits.
func kind(t *spirv.Type) program.Kind {
	switch t.Kind {
	case spirv.Bool:
		return program.Kind{Width: 1}
	case spirv.Int:
		return program.Kind{Width: uint8(t.Width), Signed: t.Signed}
	case spirv.Float:
		return program.Kind{Float: true, Width: uint8(t.Width)}
	}
	return program.Kind{Width: 64} // pointers and handles
}

// same reports whether values of two types can stand for each other: layouts do
// not count, the names of structs made here neither.
func same(a, b *spirv.Type) bool {
	switch {
	case a == b:
		return true
	case a.Kind != b.Kind || a.Len != b.Len || a.Width != b.Width || a.Signed != b.Signed || len(a.Members) != len(b.Members):
		return false
	case !a.IsComposite():
		return a.IsScalar() || a.Same(b)
	case a.Kind != spirv.Struct:
		return same(a.Elem, b.Elem)
	}
	for i := range a.Members {
		if a.Members[i].Name != b.Members[i].Name || !same(a.Members[i].Type, b.Members[i].Type) {
			return false
		}
	}
	return true
}

// TypeName is a type as GLSL writes it; name gives the name of a struct type, ""
// if it has none.
func TypeName(t *spirv.Type, name func(spirv.ID) string) string {
	switch t.Kind {
	case spirv.Bool:
		return "bool"
	case spirv.Int:
		text := "int"
		if !t.Signed {
			text = "uint"
		}
		if t.Width != 32 {
			text += strconv.Itoa(t.Width) + "_t"
		}
		return text
	case spirv.Float:
		switch t.Width {
		case 64:
			return "double"
		case 16:
			return "float16_t"
		}
		return "float"
	case spirv.Vector:
		if p, ok := prefix(t.Elem); ok && t.Len <= 4 {
			return fmt.Sprintf("%svec%d", p, t.Len)
		}
		return fmt.Sprintf("vec%d<%s>", t.Len, TypeName(t.Elem, name))
	case spirv.Matrix:
		p, _ := prefix(t.Elem.Elem)
		if t.Len == t.Elem.Len {
			return fmt.Sprintf("%smat%d", p, t.Len)
		}
		return fmt.Sprintf("%smat%dx%d", p, t.Len, t.Elem.Len)
	case spirv.Array:
		dims := fmt.Sprintf("[%d]", t.Len)
		e := t.Elem
		for e.Kind == spirv.Array {
			dims += fmt.Sprintf("[%d]", e.Len)
			e = e.Elem
		}
		return TypeName(e, name) + dims
	case spirv.RuntimeArray:
		return TypeName(t.Elem, name) + "[]"
	case spirv.Struct:
		if n := name(t.ID); t.ID != 0 && n != "" {
			return n
		}
		return "struct"
	case spirv.Pointer:
		return TypeName(t.Elem, name) + "*"
	case spirv.Image, spirv.SampledImage:
		return "image"
	case spirv.Sampler:
		return "sampler"
	}
	return t.String()
}

// prefix is what stands before "vec" and "mat" for components of a type.
func prefix(t *spirv.Type) (string, bool) {
	switch {
	case t.Kind == spirv.Bool:
		return "b", true
	case t.Kind == spirv.Float && t.Width == 32:
		return "", true
	case t.Kind == spirv.Float && t.Width == 64:
		return "d", true
	case t.Kind == spirv.Float:
		return fmt.Sprintf("f%d", t.Width), true
	case t.Kind != spirv.Int:
		return "", false
	}
	p := "u"
	if t.Signed {
		p = "i"
	}
	if t.Width != 32 {
		p += strconv.Itoa(t.Width)
	}
	return p, true
}
