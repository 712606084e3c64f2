package launch

import (
	"fmt"
	"strconv"
	"strings"

	"ampdbg/tilemem/texel"
)

// typeContext is what type names are looked up in: the script's structs and
// the layout in force.
type typeContext struct {
	layout  Layout
	structs func(name string, l Layout) (*DataType, error) // nil, nil: no such struct
}

// strides are the explicit strides of a struct member; 0: the layout's.
type strides struct{ array, matrix int }

// ParseType reads a data type as AmberScript spells it: scalars, vecN<scalar>,
// matCxR<scalar>, image formats, each with any number of [n] or one [].
func ParseType(name string, l Layout) (*DataType, error) {
	return typeContext{layout: l}.parse(name, strides{})
}

// ElementType is the type of a buffer that repeats the type of a name, with the
// stride of an array by std430's rules.
func ElementType(name string) (*DataType, error) {
	t, err := ParseType(name, Std430)
	if err != nil {
		return nil, err
	}
	return elementOf(t, Std430), nil
}

func (c typeContext) parse(name string, st strides) (*DataType, error) {
	base, dims, err := splitDims(name)
	if err != nil {
		return nil, err
	}
	t, err := c.base(base, st)
	if err != nil {
		return nil, err
	}
	for i := len(dims) - 1; i >= 0; i-- {
		if t.isRuntime() {
			return nil, fmt.Errorf("%s: only the outermost array may have no length", name)
		}
		stride := 0
		if i == 0 {
			stride = st.array
		}
		if t, err = newArray(t, dims[i], stride, c.layout); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// splitDims cuts "float[2][3]" into "float" and 2, 3; [] gives 0.
func splitDims(name string) (base string, dims []int, err error) {
	open := strings.IndexByte(name, '[')
	if open < 0 {
		return name, nil, nil
	}
	base = name[:open]
	for rest := name[open:]; rest != ""; {
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' || end < 0 {
			return "", nil, fmt.Errorf("%q is no data type: expected [length]", name)
		}
		n := 0
		if num := rest[1:end]; num != "" {
			n, err = strconv.Atoi(num)
			if err != nil || n < 1 || n > MaxBytes {
				return "", nil, fmt.Errorf("%q is no data type: %q is no array length", name, num)
			}
		}
		dims = append(dims, n)
		rest = rest[end+1:]
		if len(dims) > 16 {
			return "", nil, fmt.Errorf("%q has more than 16 dimensions", name)
		}
	}
	return base, dims, nil
}

func (c typeContext) base(name string, st strides) (*DataType, error) {
	if k, ok := LookupScalar(name); ok {
		return newScalar(k), nil
	}
	if c.structs != nil {
		if t, err := c.structs(name, c.layout); t != nil || err != nil {
			return t, err
		}
	}
	if inner, ok := strings.CutSuffix(name, ">"); ok {
		outer, comp, _ := strings.Cut(inner, "<")
		k, known := LookupScalar(comp)
		if size, ok := strings.CutPrefix(outer, "vec"); ok && known && len(size) == 1 && '2' <= size[0] && size[0] <= '4' {
			return newVector(k, int(size[0]-'0')), nil
		}
		if size, ok := strings.CutPrefix(outer, "mat"); ok && known && len(size) == 3 && size[1] == 'x' &&
			'2' <= size[0] && size[0] <= '4' && '2' <= size[2] && size[2] <= '4' {
			return newMatrix(k, int(size[0]-'0'), int(size[2]-'0'), st.matrix, c.layout)
		}
	}
	if f, ok := texel.Lookup(name); ok {
		return newFormat(f), nil
	}
	if known := inAmberScript(name); known != "" {
		return nil, fmt.Errorf("unknown data type %q: did you mean %s?", name, known)
	}
	return nil, fmt.Errorf("unknown data type %q", name)
}

// formatOf gives the texel format that holds values of t: its own, or for
// scalars and vectors the plain one (vec4<float>: R32G32B32A32_SFLOAT); nil if
// there is none.
func formatOf(t *DataType) *texel.Format {
	switch t.Kind {
	case FormatType:
		return t.Format
	case ScalarType, VectorType:
	default:
		return nil
	}
	suffix := "_UINT"
	if t.Scalar.IsFloat() {
		suffix = "_SFLOAT"
	} else if t.Scalar.IsSigned() {
		suffix = "_SINT"
	}
	var b strings.Builder
	for i := range t.scalars {
		fmt.Fprintf(&b, "%c%d", "RGBA"[i], t.Scalar.Bits())
	}
	f, _ := texel.Lookup(b.String() + suffix)
	return f
}

// inAmberScript is AmberScript's name for a type of GLSL, "" if there is none.
func inAmberScript(glsl string) string {
	switch glsl {
	case "int":
		return "int32"
	case "uint", "bool":
		return "uint32"
	case "half":
		return "float16"
	}
	for prefix, scalar := range map[string]string{"vec": "float", "ivec": "int32", "uvec": "uint32", "dvec": "double", "mat": "float"} {
		size, ok := strings.CutPrefix(glsl, prefix)
		if !ok || size != "2" && size != "3" && size != "4" {
			continue
		}
		if prefix == "mat" {
			size += "x" + size
		}
		return strings.TrimLeft(prefix, "iud") + size + "<" + scalar + ">"
	}
	return ""
}
