package debugger

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ampdbg/diag"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// Breakpoint is a place to stop at, or to log at.
type Breakpoint struct {
	ID       int
	Spec     string // as the user gave it
	Enabled  bool
	Temp     bool   // goes away at its first stop
	Cond     *Expr  // threads for which it holds stop; nil: all
	Threads  *Expr  // the threads that it is for; nil: all
	Hit      uint64 // stops from this hit on, 0 and 1: from the first
	Log      string // instead of stopping, writes this, with {expressions}
	Hits     uint64 // warps that came by with a thread for which it holds
	Pos      diag.Pos
	Places   int    // operations that it is set at, in inlined copies too
	Problem  string // why it is not set in the current dispatch
	CondFail string // the last error of its condition

	pcs []int
	log []logPart
	// A watchpoint.
	Watch WatchKind
	watch *watchpoint
}

// Range says what a watchpoint watches beyond what Spec does: its length, the
// tile or the thread; empty for other breakpoints.
func (b *Breakpoint) Range() string {
	w := b.watch
	switch {
	case w == nil || w.mem == nil && w.data == nil && w.rows == nil:
		return ""
	case w.private():
		return fmt.Sprintf("of thread %d of tile %d", w.thread.Local, w.thread.Tile)
	case w.tile >= 0:
		return fmt.Sprintf("%d bytes, in tile %d", w.size, w.tile)
	}
	return fmt.Sprintf("%d bytes", w.size)
}

// logPart is a piece of a log message.
type logPart struct {
	text string
	expr *Expr
}

// parseLog cuts a log message into text and {expressions}.
func parseLog(s string) ([]logPart, error) {
	var out []logPart
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			return append(out, logPart{text: s}), nil
		}
		j := strings.IndexByte(s[i:], '}')
		if j < 0 {
			return nil, fmt.Errorf("a { without } in a log message")
		}
		if strings.TrimSpace(s[i+1:i+j]) == "" {
			return nil, fmt.Errorf("a {} without an expression in a log message")
		}
		e, err := ParseExpr(s[i+1 : i+j])
		if err != nil {
			return nil, err
		}
		out = append(out, logPart{text: s[:i]}, logPart{expr: e})
		s = s[i+j+1:]
	}
}

// Break sets a breakpoint. The place is FILE:LINE, LINE in the focus' file, a
// function, %id of an instruction's result, word N (an instruction by its word
// in the module), or nothing for where the focus is. In a launch whose current
// dispatch has no such place, the breakpoint waits for one that has.
func (s *Session) Break(spec string) (*Breakpoint, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	b := &Breakpoint{Spec: strings.TrimSpace(spec), Enabled: true}
	if b.Spec == "" {
		st := s.state(s.focus)
		if st.pc < 0 || s.t.lines.pos[st.pc].Line == 0 {
			return nil, fmt.Errorf("the focused thread is %s: name a place", st.status)
		}
		p := s.t.lines.pos[st.pc]
		b.Spec = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	if n, err := strconv.Atoi(b.Spec); err == nil && n > 0 {
		b.Spec = fmt.Sprintf("%s:%d", s.currentFile(), n)
	}
	if err := malformedPlace(b.Spec); err != nil {
		return nil, err
	}
	s.resolve(b)
	if b.Problem != "" && !s.more() {
		return nil, errors.New(b.Problem)
	}
	s.lastID++
	b.ID = s.lastID
	s.breakpoints = append(s.breakpoints, b)
	return b, nil
}

// malformedPlace says what is wrong with a place that no dispatch can have.
func malformedPlace(spec string) error {
	if w, ok := strings.CutPrefix(spec+" ", "word "); ok {
		if n, err := strconv.Atoi(strings.TrimSpace(w)); err != nil || n < 0 {
			return fmt.Errorf("expected word NUMBER, found %q", spec)
		}
		return nil
	}
	if i := strings.LastIndexByte(spec, ':'); i >= 0 {
		if n, err := strconv.Atoi(spec[i+1:]); err != nil || n < 1 || i == 0 {
			return fmt.Errorf("expected FILE:LINE, found %q", spec)
		}
		return nil
	}
	if digits := strings.TrimLeft(spec, "-+"); strings.Trim(digits, "0123456789") == "" {
		if n, err := strconv.Atoi(spec); err != nil || n < 1 {
			return fmt.Errorf("expected the number of a line, found %q", spec)
		}
		return nil
	}
	if strings.ContainsAny(spec, ", ") && !strings.ContainsRune(spec, '(') {
		return fmt.Errorf("expected FILE:LINE, LINE, a function, %%ID or word N, found %q", spec)
	}
	return nil
}

// currentFile is the file that line numbers are about.
func (s *Session) currentFile() string {
	if th := s.thread(s.focus); th.pc >= 0 {
		if p := s.t.lines.pos[th.pc]; p.File != "" {
			return p.File
		}
	}
	for pc := s.t.p.Entry; pc < len(s.t.lines.pos); pc++ {
		if s.t.lines.start[pc] && s.t.p.Frame[pc] == 0 {
			return s.t.lines.pos[pc].File
		}
	}
	return ""
}

// resolve finds the operations of a breakpoint in the current dispatch.
func (s *Session) resolve(b *Breakpoint) {
	b.pcs, b.Problem, b.Places = nil, "", 0
	if b.watch != nil {
		s.resolveWatch(b)
		return
	}
	pcs, err := s.locate(b.Spec)
	if err != nil {
		b.Problem = err.Error()
		return
	}
	b.pcs, b.Places = pcs, len(pcs)
	b.Pos = s.t.lines.pos[pcs[0]]
}

// locate finds the operations that a place means.
func (s *Session) locate(spec string) ([]int, error) {
	l := s.t.lines
	if id, ok := strings.CutPrefix(spec, "%"); ok {
		return s.locateInst(func(in *spirv.Inst) bool {
			return in.Result != 0 && s.t.called(in.Result, id)
		}, spec)
	}
	if w, ok := strings.CutPrefix(spec, "word "); ok {
		n, err := strconv.Atoi(strings.TrimSpace(w))
		if err != nil {
			return nil, fmt.Errorf("expected word NUMBER, found %q", spec)
		}
		return s.locateInst(func(in *spirv.Inst) bool { return in.Offset == n }, spec)
	}
	if i := strings.LastIndexByte(spec, ':'); i > 0 {
		line, err := strconv.Atoi(spec[i+1:])
		if err != nil || line < 1 {
			return nil, fmt.Errorf("expected FILE:LINE, found %q", spec)
		}
		file, err := l.file(spec[:i])
		if err != nil {
			return nil, err
		}
		return l.at(file, line)
	}
	if n, err := strconv.Atoi(spec); err == nil {
		return l.at(s.currentFile(), n)
	}
	if pcs := l.entries(spec); len(pcs) > 0 {
		return pcs, nil
	}
	return nil, fmt.Errorf("no function %q; functions are: %s", spec, strings.Join(l.functions(), ", "))
}

// locateInst finds the first operation of each copy of an instruction.
func (s *Session) locateInst(is func(in *spirv.Inst) bool, spec string) ([]int, error) {
	for i := range s.t.u.Insts {
		if !is(&s.t.u.Insts[i]) {
			continue
		}
		var pcs []int
		for pc, inst := range s.t.p.Inst {
			if int(inst) == i && (pc == 0 || int(s.t.p.Inst[pc-1]) != i || s.t.p.Frame[pc-1] != s.t.p.Frame[pc]) {
				pcs = append(pcs, pc)
			}
		}
		if len(pcs) == 0 {
			return nil, fmt.Errorf("%s takes no operation of its own: nothing is executed for it", spec)
		}
		return pcs, nil
	}
	return nil, fmt.Errorf("no instruction %s in the module", spec)
}

// Place is the source position of the first operation of a place, which is
// given as for Break.
func (s *Session) Place(spec string) (diag.Pos, error) {
	if _, err := s.live(); err != nil {
		return diag.Pos{}, err
	}
	pcs, err := s.locate(strings.TrimSpace(spec))
	if err != nil {
		return diag.Pos{}, err
	}
	return s.t.lines.pos[pcs[0]], nil
}

// Breakpoints lists the breakpoints and watchpoints.
func (s *Session) Breakpoints() []*Breakpoint { return slices.Clone(s.breakpoints) }

// Breakpoint finds a breakpoint by its number.
func (s *Session) Breakpoint(id int) (*Breakpoint, error) {
	for _, b := range s.breakpoints {
		if b.ID == id {
			return b, nil
		}
	}
	return nil, fmt.Errorf("no breakpoint %d", id)
}

// Delete removes a breakpoint.
func (s *Session) Delete(id int) error {
	if _, err := s.Breakpoint(id); err != nil {
		return err
	}
	s.breakpoints = slices.DeleteFunc(s.breakpoints, func(b *Breakpoint) bool { return b.ID == id })
	return nil
}

// SetLog makes a breakpoint write a message instead of stopping: text with
// {expressions}.
func (b *Breakpoint) SetLog(text string) error {
	parts, err := parseLog(text)
	if err == nil {
		b.Log, b.log = text, parts
	}
	return err
}

// breakGoal adds the breakpoints and watchpoints to a goal.
func (s *Session) breakGoal(g *goal) *goal {
	own := map[int]bool{}
	for _, pc := range g.pcs {
		own[pc] = true
	}
	at := map[int][]*Breakpoint{}
	watching := false
	var private []*Breakpoint
	for _, b := range s.breakpoints {
		if !b.Enabled || b.Problem != "" {
			continue
		}
		if b.watch != nil {
			if b.watch.private() {
				private = append(private, b)
			} else {
				watching = true
			}
		}
		for _, pc := range b.pcs {
			at[pc] = append(at[pc], b)
			g.pcs = append(g.pcs, pc)
		}
	}
	only, inner := g.only, g.broke
	if len(at) > 0 {
		g.only = nil
	}
	g.hit = func(w *warp.Warp) *Stop { return s.hit(w, at[w.PC]) }
	g.broke = func(w *warp.Warp) *Stop {
		st := g.hit(w)
		if inner != nil && own[w.PC] && (only == nil || only(w)) {
			if is := inner(w); is != nil && st == nil {
				return is
			}
		}
		return st
	}
	if watching {
		s.watcher.begin()
		g.observe = &s.watcher
	}
	if len(private) > 0 {
		g.before = func(w *warp.Warp) { s.beforePrivate(w, private) }
		g.after = func() *Stop { return s.afterPrivate(private) }
	}
	return g
}

// hit decides whether a warp that came to breakpoints stops.
func (s *Session) hit(w *warp.Warp, list []*Breakpoint) *Stop {
	var st *Stop
	for _, b := range list {
		if b.watch != nil {
			continue // see goal.after
		}
		lanes := s.holding(w, b)
		if lanes.IsZero() {
			continue
		}
		if s.reversing {
			if b.Log == "" {
				if st == nil {
					st = s.stopAt(AtBreakpoint, w, lanes)
				}
				st.Breakpoints = append(st.Breakpoints, b.ID)
			}
			continue
		}
		b.Hits++
		if b.Log != "" {
			for l := lanes.First(); l >= 0; l = lanes.Next(l) {
				s.say(s.logText(b, w, l))
			}
			continue
		}
		if b.Hits < b.Hit {
			continue
		}
		if st == nil {
			st = s.stopAt(AtBreakpoint, w, lanes)
		}
		st.Breakpoints = append(st.Breakpoints, b.ID)
		s.conditionFailed(st, b)
		if b.Temp {
			s.Delete(b.ID)
		}
	}
	return st
}

// holding is the set of active lanes that a breakpoint is for.
func (s *Session) holding(w *warp.Warp, b *Breakpoint) warp.Mask {
	lanes := w.Active()
	for _, e := range []*Expr{b.Threads, b.Cond} {
		if e == nil {
			continue
		}
		ev := evaluator{t: s.t}
		th := thread{tile: uint64(w.T.Index), w: w, pc: w.PC}
		for l := lanes.First(); l >= 0; l = lanes.Next(l) {
			th.lane, th.local = l, w.Index*w.P.Width+l
			yes, err := ev.truth(e.root, &th)
			if err != nil {
				b.CondFail = err.Error()
				yes = true // a condition that cannot be computed stops, so that it is seen
			}
			if !yes {
				var m warp.Mask
				m.Set(l)
				lanes = lanes.AndNot(m)
			}
		}
	}
	return lanes
}

func (s *Session) logText(b *Breakpoint, w *warp.Warp, lane int) string {
	ev := evaluator{t: s.t}
	th := &thread{tile: uint64(w.T.Index), local: w.Index*w.P.Width + lane, lane: lane, w: w, pc: w.PC}
	var out strings.Builder
	for _, p := range b.log {
		out.WriteString(p.text)
		if p.expr == nil {
			continue
		}
		v, err := ev.eval(p.expr.root, th)
		var text string
		if err == nil {
			text, err = s.t.text(v, th, 0)
		}
		if err != nil {
			text = "<" + err.Error() + ">"
		}
		out.WriteString(text)
	}
	return out.String()
}

// catches are the kinds of findings that the user may choose to stop at, and
// expect for expectations of the launch that fail between dispatches.
var catches = []string{"barrier", "expect", "index", "race", "uninit", "undefined"}

// CatchNames lists the kinds of findings that the user may choose to stop at,
// or not. Faults always stop.
func CatchNames() []string { return slices.Clone(catches) }

// Catch chooses whether to stop at a kind of finding.
func (s *Session) Catch(name string, on bool) error {
	if !slices.Contains(catches, name) {
		return fmt.Errorf("no kind of finding %q to stop at; there is: %s", name, strings.Join(catches, ", "))
	}
	s.catch[name] = on
	return nil
}

// Catching reports whether the session stops at a kind of finding.
func (s *Session) Catching(name string) bool { return s.catch[name] }
