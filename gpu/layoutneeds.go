package gpu

import "ampdbg/spirv"

// layoutRule is one of the sets of rules in Vulkan's "Offset and Stride
// Assignment". Each allows what those before it allow.
type layoutRule int

const (
	extendedLayout layoutRule = iota // std140: uniform buffers
	baseLayout                       // std430: everything else
	scalarLayout
)

// layouts answers what layout rules say of types, each once: types share
// parts, so that going down from each again could take forever.
type layouts struct {
	fit   map[layoutQuestion]bool
	align map[layoutQuestion]int
}

type layoutQuestion struct {
	t        *spirv.Type
	rowMajor bool
	rule     layoutRule
}

func newLayouts() layouts {
	return layouts{map[layoutQuestion]bool{}, map[layoutQuestion]int{}}
}

// readLayout reads the need for a looser layout than the rules give a storage
// class by themselves.
func (us *usage) readLayout(t *spirv.Type, storage spirv.StorageClass, name string) {
	why := name + " is laid out so"
	switch {
	case t.Kind != spirv.Struct:
	case storage == spirv.StorageClassUniform && !t.BufferBlock:
		if !us.layouts.fits(t, baseLayout) {
			us.needs.feature("scalarBlockLayout", why)
		} else if !us.layouts.fits(t, extendedLayout) {
			us.needs.feature("uniformBufferStandardLayout", why)
		}
	case storage == spirv.StorageClassWorkgroup:
		if t.Block && !us.layouts.fits(t, baseLayout) {
			us.needs.feature("workgroupMemoryExplicitLayoutScalarBlockLayout", why)
		}
	case !us.layouts.fits(t, baseLayout):
		us.needs.feature("scalarBlockLayout", why)
	}
}

// fits reports whether every part of a laid-out type lies where a rule allows
// it. Vectors follow the relaxed rule: at a multiple of their component, if
// they do not straddle 16 bytes needlessly.
func (l layouts) fits(t *spirv.Type, rule layoutRule) bool {
	q := layoutQuestion{t: t, rule: rule}
	if _, ok := l.fit[q]; !ok {
		l.fit[q] = l.findFits(t, rule)
	}
	return l.fit[q]
}

func (l layouts) findFits(t *spirv.Type, rule layoutRule) bool {
	switch t.Kind {
	case spirv.Array, spirv.RuntimeArray:
		return t.ArrayStride%l.alignment(t, false, rule) == 0 && l.fits(t.Elem, rule)
	case spirv.Struct:
		free := 0 // where the padding of the member before ends
		for i := range t.Members {
			m := &t.Members[i]
			if m.Offset < 0 {
				continue
			}
			_, at, in := t.Place(spirv.Explicit, i)
			align, size := l.alignment(m.Type, m.RowMajor, rule), m.Type.Size(in)
			ok := at%align == 0
			if m.Type.Kind == spirv.Vector && rule != scalarLayout {
				ok = at%l.alignment(m.Type.Elem, false, rule) == 0 && (at/16 == (at+size-1)/16 || at%16 == 0)
			}
			if !ok || at < free || m.MatrixStride%align != 0 || !l.fits(m.Type, rule) {
				return false
			}
			free = 0
			if m.Type.Kind == spirv.Struct || m.Type.Kind == spirv.Array || m.Type.Kind == spirv.Matrix {
				free = at + (size+align-1)/align*align
				if rule == scalarLayout {
					free = at + size
				}
			}
		}
	}
	return true
}

// alignment is the alignment that a rule asks of a type.
func (l layouts) alignment(t *spirv.Type, rowMajor bool, rule layoutRule) int {
	q := layoutQuestion{t, rowMajor, rule}
	if _, ok := l.align[q]; !ok {
		l.align[q] = l.findAlignment(t, rowMajor, rule)
	}
	return l.align[q]
}

func (l layouts) findAlignment(t *spirv.Type, rowMajor bool, rule layoutRule) int {
	a := 1
	switch t.Kind {
	case spirv.Int, spirv.Float:
		a = max(t.Width/8, 1)
	case spirv.Pointer:
		a = 8
	case spirv.Vector:
		a = l.alignment(t.Elem, false, rule)
		if rule != scalarLayout {
			a *= []int{1, 1, 2, 4, 4}[min(t.Len, 4)]
		}
	case spirv.Matrix:
		a = l.alignment(t.Elem, false, rule)
		if rowMajor && rule != scalarLayout {
			a = l.alignment(t.Elem.Elem, false, rule) * []int{1, 1, 2, 4, 4}[min(t.Len, 4)]
		}
	case spirv.Array, spirv.RuntimeArray:
		a = l.alignment(t.Elem, rowMajor, rule)
	case spirv.Struct:
		for i := range t.Members {
			if m := &t.Members[i]; m.Offset >= 0 {
				a = max(a, l.alignment(m.Type, m.RowMajor, rule))
			}
		}
	}
	if rule == extendedLayout && (t.Kind == spirv.Array || t.Kind == spirv.Struct || t.Kind == spirv.Matrix) {
		a = (a + 15) / 16 * 16
	}
	return a
}
