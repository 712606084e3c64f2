package racecheck

import (
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// span is a run of bytes, from the start of an access on.
type span struct{ off, size int64 }

// paddings shows the detector the padding that an instruction covers besides
// the scalars: a struct that is stored or loaded whole may be copied with its
// padding.
func (o *observer) paddings(w *warp.Warp, a *warp.Access, l int) {
	spans := o.padsOf(a.PC)
	if len(spans) == 0 {
		return
	}
	s, ok := o.site(a, a.View[l], paddings)
	if !ok {
		return
	}
	ins := o.ins
	view := &w.T.Views[a.View[l]]
	ins.site = append([]uint16(nil), o.ins.site...)
	ins.off = append([]int64(nil), o.ins.off...)
	ins.site[l] = s
	for _, p := range spans {
		if at := a.Off[l] + p.off; at < 0 || at+p.size > int64(len(view.Data)) {
			continue
		}
		ins.off[l], ins.size = view.Base+a.Off[l]+p.off, p.size
		o.d.lane(&ins, l)
	}
}

// padsOf is the padding of the object that the memory operation at pc is the
// first piece of, relative to that piece.
func (o *observer) padsOf(pc int) []span {
	if p, ok := o.pads[pc]; ok {
		return p
	}
	if o.pads == nil {
		o.pads = map[int][]span{}
	}
	p := o.findPads(pc)
	o.pads[pc] = p
	return p
}

func (o *observer) findPads(pc int) []span {
	prog, u := o.m.Program, o.m.Unit
	for q := pc - 1; q >= 0 && prog.Inst[q] == prog.Inst[pc] && prog.Frame[q] == prog.Frame[pc]; q-- {
		if k := prog.Code[q].Code.Accesses(); k == program.LoadAccess || k == program.StoreAccess {
			return nil // not the first piece
		}
	}
	in := &u.Insts[prog.Inst[pc]]
	switch in.Op {
	case spirv.OpLoad, spirv.OpStore, spirv.OpCopyMemory:
	default:
		return nil
	}
	t := u.TypeOf(spirv.ID(in.Args[0]))
	if t == nil || t.Kind != spirv.Pointer || t.Elem == nil || !hasStruct(t.Elem) {
		return nil
	}
	layout := spirv.LayoutOf(t)
	var out []span
	first, end := int64(-1), int64(0)
	t.Elem.Walk(layout, func(_ []int, s *spirv.Type, off int) bool {
		size := int64(s.Width / 8)
		switch s.Kind {
		case spirv.Bool:
			size = 4
		case spirv.Int, spirv.Float:
		default:
			size = 8
		}
		if first < 0 {
			first, end = int64(off), int64(off)
		}
		if gap := int64(off) - end; gap > 0 {
			out = append(out, span{end - first, gap})
		}
		end = max(end, int64(off)+size)
		return len(out) < maxPads
	})
	if rest := int64(t.Elem.Size(layout)) - end; rest > 0 && len(out) < maxPads {
		out = append(out, span{end - first, rest})
	}
	return out
}

// maxPads bounds how many gaps of one object are looked at.
const maxPads = 1024

func hasStruct(t *spirv.Type) bool {
	for t != nil {
		switch t.Kind {
		case spirv.Struct:
			return true
		case spirv.Array:
			t = t.Elem
		default:
			return false
		}
	}
	return false
}
