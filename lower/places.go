package lower

import (
	"ampdbg/program"
	"ampdbg/spirv"
)

// recordPlaces notes where the values of a frame are, for a debugger.
func (l *lowerer) recordPlaces(f *frame) {
	places := make(map[spirv.ID]program.Place, len(f.vals))
	for id, v := range f.vals {
		if v.ptr == nil {
			places[id] = program.Place{Rows: v.rows}
			continue
		}
		a := &program.Address{Index: v.ptr.index, Row: v.ptr.row, Off: v.ptr.off, Type: v.ptr.typ, Layout: v.ptr.layout}
		switch v.ptr.base {
		case varBase:
			a.Base = program.VarAddress
		case viewBase:
			a.Base = program.ViewAddress
		case rowBase:
			a.Base = program.RowAddress
		default:
			continue // a descriptor or a texel
		}
		for _, t := range v.ptr.terms {
			a.Terms = append(a.Terms, program.Term{Row: t.row, Sh: t.sh, Stride: t.stride})
		}
		places[id] = program.Place{Ptr: a}
	}
	for len(l.p.Places) <= int(f.index) {
		l.p.Places = append(l.p.Places, nil)
	}
	l.p.Places[f.index] = places
}
