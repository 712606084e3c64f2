package spirv

import (
	"strconv"

	"ampdbg/diag"
)

// moduleText is what is known of the text that a module was assembled from,
// beside the words, which are those that spirv-as makes of it.
type moduleText struct {
	ids []string   // by id: its name in the text, without the %
	pos []diag.Pos // by instruction
}

// keepText gives a module that was just assembled its text's ids and lines.
func (a *assembler) keepText(m *Module) {
	t := &moduleText{ids: make([]string, len(a.ids)+1), pos: make([]diag.Pos, len(m.Insts))}
	for name, id := range a.ids {
		t.ids[id] = name
	}
	at, next := place{line: 1}, 0
	for i := range m.Insts {
		for next+1 < len(a.insts) && a.insts[next+1].offset <= m.Insts[i].Offset {
			next++
		}
		at.moveTo(a.text, a.tokens[a.insts[next].token].start)
		t.pos[i] = diag.Pos{File: a.name, Line: at.line, Col: at.offset - at.start + 1}
	}
	m.text = t
}

// place is an offset in a text with its line and the line's start.
type place struct{ offset, line, start int }

func (p *place) moveTo(text string, offset int) {
	for ; p.offset < offset; p.offset++ {
		if text[p.offset] == '\n' {
			p.line++
			p.start = p.offset + 1
		}
	}
}

// ShiftLines moves the lines of a module's text, which begins n lines into the
// file that it stands in.
func (m *Module) ShiftLines(n int) {
	if m.text == nil {
		return
	}
	for i := range m.text.pos {
		m.text.pos[i].Line += n
	}
}

// TextPos is the place of instruction i in the text that the module was
// assembled from, the zero Pos for a module that came as words.
func (m *Module) TextPos(i int) diag.Pos {
	if m.text == nil || i < 0 || i >= len(m.text.pos) {
		return diag.Pos{}
	}
	return m.text.pos[i]
}

// IDName is what the module calls an id: as in the text that it was assembled
// from, or by its number.
func (m *Module) IDName(id ID) string {
	if m.text != nil && int(id) < len(m.text.ids) && m.text.ids[id] != "" {
		return "%" + m.text.ids[id]
	}
	return "%" + strconv.FormatUint(uint64(id), 10)
}

// IDNames gives the names of ids in listings of the module: those of the text
// that it was assembled from, or FriendlyNames.
func IDNames(m *Module) func(ID) string {
	if m.text != nil {
		return m.IDName
	}
	return nameFriendly(m)
}

// textPositions gives instructions of functions in which nothing has a source
// line their places in the module's text; those outside of functions, if the
// module has no lines at all.
func (d *debugReader) textPositions() {
	if d.Module.text == nil {
		return
	}
	if d.out.pos == nil {
		d.out.pos = make([]diag.Pos, len(d.Insts))
	}
	fill := func(first, last int) {
		for i := first; i <= last; i++ {
			d.out.pos[i] = d.TextPos(i)
		}
	}
	lines := false
	for k, f := range d.Functions {
		end := len(d.Insts) - 1
		if k+1 < len(d.Functions) {
			end = d.Functions[k+1].Index - 1
		}
		has := false
		for i := f.Index; i <= end; i++ {
			has = has || d.out.pos[i].Line > 0
		}
		lines = lines || has
		if !has {
			fill(f.Index, end)
		}
	}
	outside := len(d.Insts)
	if len(d.Functions) > 0 {
		outside = d.Functions[0].Index
	}
	for i := range outside {
		lines = lines || d.out.pos[i].Line > 0
	}
	if !lines {
		fill(0, outside-1)
	}
}
