package debugger

import (
	"fmt"
	"slices"

	"ampdbg/emu"
	"ampdbg/warp"
)

// StepKind says how far a step goes.
type StepKind string

// The kinds of step.
const (
	StepIn      StepKind = "step"    // to the next line, into calls
	StepOver    StepKind = "next"    // to the next line of the same function or of one further out
	StepOut     StepKind = "finish"  // out of the function
	StepInst    StepKind = "stepi"   // one instruction
	StepBarrier StepKind = "barrier" // to the next barrier
	StepTo      StepKind = "until"   // to a place
)

// Scope says which threads a step is for.
type Scope string

// The scopes.
const (
	ThreadScope Scope = "thread" // until the focused thread gets there
	WarpScope   Scope = "warp"   // until a thread of its warp gets there
	TileScope   Scope = "tile"   // every warp of its tile, each as far
	GridScope   Scope = "grid"   // every warp of all running tiles
)

// Step runs forward until the focused thread, or the first of its warp, has
// done the step. Other warps run only where the focused one waits for them. In
// TileScope and GridScope every warp that can run does the step for itself, up
// to a barrier. place is for StepTo.
func (s *Session) Step(kind StepKind, scope Scope, place string) (*Stop, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	if s.exited {
		return nil, errExited
	}
	if s.t.c.Stopped() {
		return s.settled(s.cross())
	}
	before := s.focus
	if scope == TileScope || scope == GridScope {
		from := s.now()
		st, err := s.stepMany(kind, scope, place)
		if to := s.now(); err == nil && to != from {
			s.history.whole = append(s.history.whole, wholeStep{from, to, kind, scope, before})
		}
		return st.leaving(before), err
	}
	st := s.state(s.focus)
	switch st.status {
	case Finished:
		return nil, fmt.Errorf("the focused thread has finished; choose another with thread")
	case Frozen:
		return nil, fmt.Errorf("the focused thread is frozen; thaw it, or choose another")
	}
	g, err := s.stepGoal(kind, scope, place, st)
	if err != nil {
		return nil, err
	}
	s.run(st.w)
	stop, err := s.drive(s.breakGoal(g))
	if err != nil {
		return nil, err
	}
	return s.settle(stop).leaving(before), nil
}

// leaving notes from where the focus went to a thread that something else than
// the step happened to.
func (st *Stop) leaving(before ThreadID) *Stop {
	if st != nil && st.Reason != AtStep && st.Thread != before {
		st.From = &before
	}
	return st
}

// run makes a warp the current one, if it can run.
func (s *Session) run(w *warp.Warp) {
	if w == nil || w == s.t.c.Current() {
		return
	}
	switch w.Status() {
	case warp.Finished, warp.Blocked, warp.Faulted:
		return
	}
	tile, index := uint64(w.T.Index), w.Index
	s.act(func(c *emu.Control) { c.Select(tile, index) })
}

// lanesOf is the lanes of a warp that a step is for: the focused one, all of
// the focused warp, or all of any.
func (s *Session) lanesOf(scope Scope) func(w *warp.Warp) warp.Mask {
	id := s.focus
	width := s.t.p.Width
	return func(w *warp.Warp) warp.Mask {
		if scope == TileScope || scope == GridScope {
			return w.Active()
		}
		if uint64(w.T.Index) != id.Tile || w.Index != id.Local/width {
			return warp.Mask{}
		}
		if scope == WarpScope {
			return w.Active()
		}
		var m warp.Mask
		if l := id.Local % width; w.Active().Has(l) {
			m.Set(l)
		}
		return m
	}
}

// stepGoal is the goal of a step of the focused thread or warp, which is in a
// state.
func (s *Session) stepGoal(kind StepKind, scope Scope, place string, st state) (*goal, error) {
	pcs, err := s.stepPCs(kind, place, st.pc)
	if err != nil {
		return nil, err
	}
	lanes := s.lanesOf(scope)
	id, width := s.focus, s.t.p.Width
	g := &goal{pcs: pcs}
	g.only = func(w *warp.Warp) bool { return uint64(w.T.Index) == id.Tile && w.Index == id.Local/width }
	from := -1
	if st.pc >= 0 && kind == StepInst {
		from = int(s.t.p.Inst[st.pc])
	}
	g.broke = func(w *warp.Warp) *Stop {
		m := lanes(w)
		if m.IsZero() || from >= 0 && int(s.t.p.Inst[w.PC]) == from && w.PC > st.pc {
			return nil
		}
		return s.stopAt(AtStep, w, m)
	}
	g.turn = func() *Stop {
		if now := s.state(id); now.status == Finished {
			return &Stop{Reason: AtStep, Thread: id, Text: "the thread has finished"}
		}
		return nil
	}
	return g, nil
}

// stepPCs are the operations at which a step from pc ends.
func (s *Session) stepPCs(kind StepKind, place string, pc int) ([]int, error) {
	l := s.t.lines
	depth := 1
	if pc >= 0 {
		depth = l.depth[pc]
		if s.frame > 0 && (kind == StepOver || kind == StepOut) {
			depth -= s.frame
		}
	}
	var out []int
	for k := range s.t.p.Code {
		ok := false
		switch kind {
		case StepIn:
			ok = l.start[k] || l.back[k]
		case StepOver:
			ok = l.start[k] && l.depth[k] <= depth || l.back[k] && l.depth[k] < depth
		case StepOut:
			ok = l.depth[k] < depth && (l.back[k] || l.start[k])
		case StepInst:
			ok = k == 0 || s.t.p.Inst[k-1] != s.t.p.Inst[k] || len(l.flow.preds[k]) != 1 || l.flow.preds[k][0] != int32(k-1)
		case StepBarrier:
			ok = s.barrier(k)
		}
		if ok {
			out = append(out, k)
		}
	}
	if kind == StepOut && depth <= 1 {
		return nil, fmt.Errorf("the outermost function; continue runs to its end")
	}
	if kind == StepTo {
		return s.locate(place)
	}
	return out, nil
}

// stepMany lets every warp of the focused tile, or of all running ones, do a
// step for itself.
func (s *Session) stepMany(kind StepKind, scope Scope, place string) (*Stop, error) {
	focus := s.focus
	if !s.t.c.HasStarted(focus.Tile) {
		// The tile has not started: its first thread leads it in.
		g := &goal{pcs: []int{s.t.p.Entry}}
		g.broke = func(w *warp.Warp) *Stop {
			if uint64(w.T.Index) == focus.Tile {
				return s.stopAt(AtStep, w, w.Active())
			}
			return nil
		}
		if st, err := s.drive(g); err != nil || st.Reason != AtStep {
			return s.settled(st, err)
		}
	}
	type one struct {
		tile uint64
		warp int
	}
	var list []one
	for _, t := range s.t.c.Resident() {
		if scope == GridScope || uint64(t.Index) == focus.Tile {
			for _, w := range t.Warps {
				list = append(list, one{uint64(t.Index), w.Index})
			}
		}
	}
	var last *Stop
	for _, x := range list {
		t := s.t.c.Tile(x.tile)
		if t == nil {
			continue
		}
		w := t.Warps[x.warp]
		switch w.Status() {
		case warp.Finished, warp.Blocked, warp.Faulted:
			continue
		}
		if s.t.c.Held(w) || w.Active().IsZero() {
			continue
		}
		pcs, err := s.stepPCs(kind, place, w.PC)
		if err != nil {
			if kind == StepOut {
				continue
			}
			return nil, err
		}
		if kind == StepTo && slices.Contains(pcs, w.PC) {
			continue // it is there already
		}
		st, err := s.driveOne(x.tile, x.warp, pcs)
		if err != nil {
			return nil, err
		}
		if st != nil && st.Reason != AtStep {
			last = last.and(st)
			if st.Reason != AtBreakpoint {
				return s.settle(st), nil
			}
		}
	}
	if last == nil {
		last = &Stop{Reason: AtStep, Thread: focus}
	}
	return s.settle(last), nil
}

// driveOne lets one warp run until it comes to one of pcs, or waits, or has
// finished.
func (s *Session) driveOne(tile uint64, index int, pcs []int) (*Stop, error) {
	for {
		w := s.t.c.Tile(tile).Warps[index]
		s.run(w)
		if s.t.c.Current() != w {
			return nil, nil
		}
		again := false
		g := &goal{pcs: pcs}
		g.broke = func(w *warp.Warp) *Stop { return s.stopAt(AtStep, w, w.Active()) }
		g.turn = func() *Stop {
			// The turn is over: a warp that only used it up goes on.
			if t := s.t.c.Tile(tile); t != nil {
				w := t.Warps[index]
				again = w.Status() == warp.Yielded
			}
			return &Stop{Reason: AtStep}
		}
		st, err := s.drive(s.breakGoal(g))
		if err != nil || !again {
			return st, err
		}
	}
}

func (s *Session) settled(st *Stop, err error) (*Stop, error) {
	if err != nil {
		return nil, err
	}
	return s.settle(st), nil
}

// ThreadSet is a set of threads that a command is for.
type ThreadSet []ThreadID

// Freeze holds threads back. A warp of which all threads are chosen is held
// as a whole; where only some are, they leave the lockstep of their warp.
func (s *Session) Freeze(set ThreadSet) (n int, err error) {
	return s.hold(set, true)
}

// Thaw lets frozen threads go on.
func (s *Session) Thaw(set ThreadSet) (n int, err error) {
	return s.hold(set, false)
}

func (s *Session) hold(set ThreadSet, freeze bool) (n int, err error) {
	if _, err := s.live(); err != nil {
		return 0, err
	}
	type key struct {
		tile uint64
		warp int
	}
	masks := map[key]warp.Mask{}
	var order []key
	for _, id := range set {
		st := s.state(id)
		if st.w == nil || st.status == Finished || (st.status == Frozen) == freeze {
			continue
		}
		k := key{id.Tile, id.Local / s.t.p.Width}
		m, known := masks[k]
		if !known {
			order = append(order, k)
		}
		m.Set(id.Local % s.t.p.Width)
		masks[k] = m
	}
	for _, k := range order {
		m := masks[k]
		w := s.t.c.Tile(k.tile).Warps[k.warp]
		tile, index := k.tile, k.warp
		whole := m.And(w.Live()) == w.Live() || !freeze && s.t.c.Held(w)
		if whole {
			n += w.Live().Count()
			s.act(func(c *emu.Control) { c.Hold(c.Tile(tile).Warps[index], freeze) })
			continue
		}
		if freeze {
			can := m.And(w.CanFreeze())
			if can != m {
				err = fmt.Errorf("threads that wait at a barrier or to reconverge cannot be frozen apart from their warp")
			}
			m = can
			s.act(func(c *emu.Control) { c.Freeze(c.Tile(tile).Warps[index], m) })
		} else {
			s.act(func(c *emu.Control) { c.Thaw(c.Tile(tile).Warps[index], m) })
		}
		n += m.Count()
	}
	if n > 0 {
		err = nil
	}
	return n, err
}
