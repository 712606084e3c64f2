package emu

import (
	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/tilemem/texel"
)

// What a checker asks a machine beside what it is shown.

// MemoryOf is the memory behind a view, nil for the null view.
func (m *Machine) MemoryOf(view int) *tilemem.Memory {
	if view <= 0 || view >= len(m.res.views) {
		return nil
	}
	return m.res.views[view].Mem
}

// BaseOf is the byte at which a view begins in its memory.
func (m *Machine) BaseOf(view int) int64 { return m.res.views[view].Base }

// Written reports whether some instruction of the program may write a memory.
func (m *Machine) Written(mem *tilemem.Memory) bool { return m.written[mem.ID] }

// findWritten finds the memories that the program may write. A pointer that
// is a value may lead to any view whose address the program takes, and to any
// buffer with a device address.
func (m *Machine) findWritten() []bool {
	out := make([]bool, len(m.Memories))
	view := func(v int32) {
		if mem := m.MemoryOf(int(v)); mem != nil {
			out[mem.ID] = true
		}
	}
	pointers := false
	for i := range m.Program.Code {
		op := &m.Program.Code[i]
		a, ok := m.Program.Access(op)
		switch {
		case !ok || a.Kind == program.LoadAccess || a.Kind == program.AtomicAccess && !m.Program.AtomicOf(op).Op.Writes():
		case a.Pointer != program.NoRow:
			pointers = true
		default:
			view(a.View)
		}
	}
	if pointers {
		for v := range m.Views {
			if m.Views[v].Var == 0 {
				view(int32(v))
			}
		}
		for i := range m.Program.Code {
			switch op := &m.Program.Code[i]; op.Code {
			case program.PtrTo:
				view(op.X)
			case program.PtrToElem:
				a := &m.Program.Arrays[op.X]
				for k := range a.Len {
					view(a.First + k)
				}
			}
		}
	}
	for v := range m.Views {
		if mem := m.MemoryOf(v); mem != nil && m.res.isTexels(v) && mem.Writable {
			out[mem.ID] = true
		}
	}
	return out
}

// isTexels reports whether a view is reached by image instructions.
func (r *resources) isTexels(view int) bool {
	for i := range r.slots {
		if r.slots[i].Image != nil && int(r.slots[i].View) == view {
			return true
		}
	}
	return false
}

// ID is the SPIR-V id that names the instruction at a pc: its result, or the
// pointer that it stores through; 0 if it has none.
func (m *Machine) ID(pc int) uint32 { return m.id(pc) }

// IDName is what the module's text calls that id, "" if the module did not come
// as text.
func (m *Machine) IDName(pc int) string {
	if id := m.id(pc); id != 0 && m.Unit.TextPos(0).IsValid() {
		return m.Unit.IDName(spirv.ID(id))
	}
	return ""
}

// Pos is the source position of a pc; without line information, the module.
func (m *Machine) Pos(pc int) diag.Pos { return m.pos(pc) }

// SpaceName says for people where a view's memory lives.
func (v *View) SpaceName() string { return v.spaceName() }

// texel leads e to a place in a view that holds no typed data: the texel of an
// image's largest level, or else the byte.
func (v *View) texel(e *diag.Element, off int64) {
	im := v.Image
	if im == nil || off < 0 {
		e.IndexByte(off)
		return
	}
	f, ok := texel.Lookup(im.Format)
	if !ok || f.TexelSize == 0 || off >= int64(im.LevelTexels(0)*f.TexelSize) {
		e.IndexByte(off)
		return
	}
	i := int(off) / f.TexelSize / max(im.Samples, 1)
	at := []int64{int64(i % im.Width), int64(i / im.Width % max(im.Height, 1)), int64(i / im.Width / max(im.Height, 1))}
	switch {
	case im.Dim == 1 && im.Layers <= 1:
		at = at[:1]
	case im.Dim < 3 && im.Layers <= 1:
		at = at[:2]
	}
	e.Index(at...)
}

// VariableElement names scalar n of the register variable v, an index into
// Program.Vars: "a[3].x".
func (m *Machine) VariableElement(v int, n int64) diag.Element {
	info := &m.Program.Vars[v]
	e := m.variable(info)
	scalarElement(&e, info.Type, n)
	return e
}

// variable is a register variable.
func (m *Machine) variable(v *program.VarInfo) diag.Element {
	if n := m.Unit.Name(v.ID); n != "" {
		return diag.Element{Name: n}
	}
	return diag.Element{Name: m.Unit.DisplayName(v.ID)}
}

// InstPos is the source position of an instruction of the module.
func (m *Machine) InstPos(inst int) diag.Pos { return m.instPos(inst) }
