package debugger

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/program"
	"ampdbg/spirv"
)

// Frame is one call of a thread's stack, innermost first.
type Frame struct {
	Func    string
	Pos     diag.Pos
	Inlined bool // an optimiser made it part of its caller

	index int32 // of the activation in the program
	scope *spirv.LexicalScope
	pc    int // where execution stands in it; the call, for outer frames
}

// lines relates the operations of a program to lines of its source, or of its
// disassembly where it has no source lines.
type lines struct {
	m      *emu.Machine
	p      *program.Program
	flow   *program.FlowGraph
	asm    bool       // the source is the disassembly
	pos    []diag.Pos // by pc; no line: the zero Pos
	enter  []int      // by frame: the operation that enters it
	depth  []int      // by pc: frames of the stack, inlined ones too
	start  []bool     // by pc: control comes to a line here
	back   []bool     // by pc: control comes back from a call into the middle of a line
	text   map[string][]string
	byLine map[string]map[int][]int // by file and line: the pcs where control comes to it
}

// newLines makes the table of a machine's program. With asm set, source lines
// are left aside.
func newLines(m *emu.Machine, asm bool) *lines {
	l := &lines{m: m, p: m.Program, flow: m.Program.Flow(), asm: asm, text: map[string][]string{}}
	if !asm {
		l.asm = true
		for _, inst := range l.p.Inst {
			if inst >= 0 && m.Unit.PosOf(int(inst)).Line > 0 {
				l.asm = false
				break
			}
		}
	}
	var listing []diag.Pos
	if l.asm {
		listing = l.disassemble()
	}
	n := len(l.p.Code)
	l.pos, l.depth, l.enter = make([]diag.Pos, n), make([]int, n), make([]int, len(l.p.Frames))
	for pc := n - 1; pc >= 0; pc-- {
		l.enter[l.p.Frame[pc]] = pc
	}
	depths := map[[2]any]int{}
	for pc := range n {
		inst := int(l.p.Inst[pc])
		switch {
		case inst < 0:
		case l.asm:
			l.pos[pc] = listing[inst]
		default:
			if p := m.Unit.PosOf(inst); p.Line > 0 {
				l.pos[pc] = p
			}
		}
		key := [2]any{l.p.Frame[pc], l.scope(pc)}
		d, ok := depths[key]
		if !ok {
			d = len(l.stack(pc))
			depths[key] = d
		}
		l.depth[pc] = d
	}
	l.findStarts()
	for _, s := range m.Unit.Debug.Sources {
		if s.Text != "" {
			l.text[s.Name] = strings.Split(s.Text, "\n")
		}
	}
	return l
}

func (l *lines) scope(pc int) *spirv.LexicalScope {
	if inst := int(l.p.Inst[pc]); inst >= 0 && !l.asm {
		return l.m.Unit.ScopeOf(inst)
	}
	return nil
}

// disassemble makes the disassembly a source text, and gives the line of each
// instruction. A module that came as text is its own disassembly.
func (l *lines) disassemble() []diag.Pos {
	m := l.m.Unit.Module
	if len(m.Insts) > 0 && m.TextPos(0).IsValid() {
		pos := make([]diag.Pos, len(m.Insts))
		for i := range pos {
			pos[i] = m.TextPos(i)
		}
		return pos
	}
	name := m.Name
	if !strings.HasSuffix(name, ".spvasm") {
		name += ".spvasm"
	}
	names := spirv.IDNames(m)
	var b bytes.Buffer
	pos := make([]diag.Pos, len(m.Insts))
	line := 1
	for i := range m.Insts {
		pos[i] = diag.Pos{File: name, Line: line}
		s := m.InstString(i, names)
		head := 12
		if m.Insts[i].Result != 0 {
			head = max(0, head-strings.Index(s, " = "))
		} else {
			head += 3
		}
		fmt.Fprintf(&b, "%*s%s\n", head, "", s)
		line += strings.Count(s, "\n") + 1
	}
	l.text[name] = strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	return pos
}

// sameLine reports whether two operations belong to the same line of the same
// call.
func (l *lines) sameLine(a, b int) bool {
	p, q := l.pos[a], l.pos[b]
	return p.Line == q.Line && p.File == q.File && l.p.Frame[a] == l.p.Frame[b] && (l.scope(a) == l.scope(b) || l.depth[a] == l.depth[b])
}

// findStarts finds where control comes to a line: from another line, from
// nowhere, or round a loop that is all on one line.
func (l *lines) findStarts() {
	n := len(l.p.Code)
	l.start, l.back = make([]bool, n), make([]bool, n)
	l.byLine = map[string]map[int][]int{}
	for pc := range n {
		if l.pos[pc].Line == 0 || l.calls(pc) {
			continue
		}
		preds := l.flow.Preds[pc]
		start := pc == l.p.Entry || l.asm && pc > 0 && l.p.Inst[pc-1] != l.p.Inst[pc]
		for _, p := range preds {
			switch {
			case l.depth[p] > l.depth[pc]:
				l.back[pc] = true
			case l.calls(int(p)), !l.sameLine(int(p), pc):
				start = true
			case l.flow.Back[p] && l.oneLine(pc, int(p)):
				start = true
			}
		}
		if l.asm && len(preds) == 0 {
			start = false
		}
		l.start[pc] = start
	}
	for pc := range n {
		l.start[pc] = l.start[pc] && !l.passes(pc)
		if !l.start[pc] {
			continue
		}
		file := l.pos[pc].File
		if l.byLine[file] == nil {
			l.byLine[file] = map[int][]int{}
		}
		l.byLine[file][l.pos[pc].Line] = append(l.byLine[file][l.pos[pc].Line], pc)
	}
}

// stepsTo reports whether a step over calls, from a place with so many frames, may
// end at an operation.
func (l *lines) stepsTo(pc, depth int) bool {
	return l.start[pc] && l.depth[pc] <= depth || l.back[pc] && l.depth[pc] < depth
}

// passes reports whether nothing happens from an operation on until control
// comes to a line again: the way into a loop, whose head stands for both it and
// the way back to it.
func (l *lines) passes(pc int) bool {
	at := pc
	for range 100 {
		op := &l.p.Code[at]
		switch flow := op.Code.Info().Flow; {
		case l.asm || l.calls(at):
			return false
		case op.Code == program.Nop || flow == program.FlowEnter:
			at++
		case flow == program.FlowJump:
			at = int(op.X)
		default:
			return at != pc && l.start[at]
		}
	}
	return false
}

// calls reports whether the operation enters a call.
func (l *lines) calls(pc int) bool {
	return l.p.EntersCall(&l.p.Code[pc])
}

// oneLine reports whether the operations from a loop's header to its back
// edge are all of one line.
func (l *lines) oneLine(header, back int) bool {
	for pc := header; pc <= back && pc < len(l.pos); pc++ {
		if l.pos[pc].Line != 0 && !l.sameLine(header, pc) {
			return false
		}
	}
	return true
}

// stack is the call stack at a pc, innermost frame first.
func (l *lines) stack(pc int) []Frame {
	var out []Frame
	if pc < 0 || pc >= len(l.p.Code) {
		return nil
	}
	at := pc
	pos := l.pos[pc]
	for f := l.p.Frame[pc]; f >= 0; {
		fr := &l.p.Frames[f]
		name := l.functionName(fr.Function)
		scope := l.scope(at)
		for s := scope; s != nil && s.Inlined != nil; {
			out = append(out, Frame{Func: scopeName(s, name), Pos: pos, Inlined: true, index: f, scope: s, pc: at})
			pos = s.InlinedAt
			s = s.Inlined
			scope = s
		}
		out = append(out, Frame{Func: scopeName(scope, name), Pos: pos, index: f, scope: scope, pc: at})
		if fr.Parent >= 0 {
			at = l.enter[f]
			pos = l.pos[at]
		}
		f = fr.Parent
	}
	return out
}

func scopeName(s *spirv.LexicalScope, otherwise string) string {
	for ; s != nil; s = s.Parent {
		if s.Kind == spirv.FunctionScope && s.Name != "" {
			return s.Name
		}
	}
	return otherwise
}

// functionName is a function's source name: glslang's "sum(i1;" is sum.
func (l *lines) functionName(f *spirv.Function) string {
	n, _, _ := strings.Cut(l.m.Unit.Name(f.ID), "(")
	if n == "" {
		return l.m.Unit.DisplayName(f.ID)
	}
	return n
}

// files lists the files that operations come from.
func (l *lines) files() []string {
	var out []string
	for f := range l.byLine {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// main is the file of the kernel's entry point.
func (l *lines) main() string {
	for pc := l.p.Entry; pc < len(l.pos); pc++ {
		if l.start[pc] && l.p.Frame[pc] == 0 {
			return l.pos[pc].File
		}
	}
	return ""
}

// file finds the file that a name means: itself, or the only one with that
// last part; without a name, the one of the kernel's entry point.
func (l *lines) file(name string) (string, error) {
	if name == "" {
		return l.main(), nil
	}
	var found []string
	for _, f := range l.files() {
		if f == name {
			return f, nil
		}
		if strings.HasSuffix(filepath.ToSlash(f), "/"+name) || filepath.Base(f) == name {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("no code comes from a file %s; files are: %s", name, strings.Join(l.files(), ", "))
	}
	return "", fmt.Errorf("%s may be any of: %s", name, strings.Join(found, ", "))
}

// at finds the operations where control comes to a line, or to the next line
// that has any.
func (l *lines) at(file string, line int) ([]int, error) {
	last := 0
	for n := range l.byLine[file] {
		last = max(last, n)
	}
	for n := line; n <= last; n++ {
		if pcs := l.byLine[file][n]; len(pcs) > 0 {
			return pcs, nil
		}
	}
	return nil, fmt.Errorf("no code at or after %s:%d", file, line)
}

// functions lists the source names of all functions that the kernel calls,
// inlined ones too.
func (l *lines) functions() []string {
	seen := map[string]bool{}
	var out []string
	for pc := range l.p.Code {
		if !l.start[pc] {
			continue
		}
		for _, f := range l.stack(pc)[:1] {
			if !seen[f.Func] {
				seen[f.Func] = true
				out = append(out, f.Func)
			}
		}
	}
	slices.SortFunc(out, byNumber)
	return out
}

// entries finds the first line start of each activation of a function.
func (l *lines) entries(name string) []int {
	type activation struct {
		frame int32
		scope *spirv.LexicalScope
	}
	var out []int
	seen := map[activation]bool{}
	for pc := range l.p.Code {
		if !l.start[pc] {
			continue
		}
		f := l.stack(pc)[0]
		if f.Func != name {
			continue
		}
		a := activation{f.index, functionScope(f.scope)}
		if !seen[a] {
			seen[a] = true
			out = append(out, pc)
		}
	}
	return out
}

func functionScope(s *spirv.LexicalScope) *spirv.LexicalScope {
	for ; s != nil; s = s.Parent {
		if s.Kind == spirv.FunctionScope {
			return s
		}
	}
	return nil
}
