package debugger

import (
	"context"
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
	ThreadScope Scope = "thread" // until the thread gets there
	WarpScope   Scope = "warp"   // until a thread of its warp gets there
	TileScope   Scope = "tile"   // every warp of its tile, each as far
	GridScope   Scope = "grid"   // every warp of all running tiles
)

// Step is a step: how far it goes, and for whom.
type Step struct {
	Kind   StepKind
	Scope  Scope // empty: ThreadScope
	Thread ThreadID
	Frame  int      // of Thread, that StepOver and StepOut are about
	To     Location // of StepTo
	Count  int      // steps; 0 and 1: one. Anything else that happens ends them
}

// Step runs forward until the thread, or the first of its warp, has done the
// step. Other warps run only where this one waits for them. In TileScope and
// GridScope every warp that can run does the step for itself, up to a barrier.
func (s *Session) Step(ctx context.Context, step Step) (*Stop, error) {
	return s.run(ctx, step.Thread, step.Frame, func() (st *Stop, err error) {
		for range max(step.Count, 1) {
			if st, err = s.step(step.Kind, step.Scope, step.To); err != nil || !st.steppedOn() {
				break
			}
		}
		return st, err
	})
}

// steppedOn reports whether a stop is the end of a step that more may follow.
func (st *Stop) steppedOn() bool { return st.Reason == AtStep && st.Text == "" }

func (s *Session) step(kind StepKind, scope Scope, to Location) (*Stop, error) {
	if s.exited {
		return nil, errExited
	}
	if s.t.c.Stopped() {
		return s.settled(s.cross())
	}
	before := s.about
	if scope == TileScope || scope == GridScope {
		from := s.now()
		st, err := s.stepMany(kind, scope, to)
		if to := s.now(); err == nil && to != from {
			s.history.whole = append(s.history.whole, wholeStep{from, to, kind, scope, before})
		}
		return st.leaving(before), err
	}
	st := s.t.state(s.about)
	switch st.status {
	case Finished:
		return nil, fmt.Errorf("the thread has finished: choose another")
	case Frozen:
		return nil, fmt.Errorf("the thread is frozen: thaw it, or choose another")
	}
	g, err := s.stepGoal(kind, scope, to, st)
	if err != nil {
		return nil, err
	}
	s.choose(st.w)
	stop, err := s.drive(s.breakGoal(g))
	if err != nil {
		return nil, err
	}
	return s.settle(stop).leaving(before), nil
}

// leaving notes the thread that a step was about, where something else happened to
// another.
func (st *Stop) leaving(before ThreadID) *Stop {
	if st != nil && st.Reason != AtStep && st.Thread != before {
		st.From = &before
	}
	return st
}

// choose makes a warp the current one, if it can run.
func (s *Session) choose(w *warp.Warp) {
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

// lanesOf is the lanes of a warp that a step is for: that thread, all of
// its warp, or all of any.
func (s *Session) lanesOf(scope Scope) func(w *warp.Warp) warp.Mask {
	id := s.about
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

// stepGoal is the goal of a step of a thread or its warp, which is in a
// state.
func (s *Session) stepGoal(kind StepKind, scope Scope, to Location, st state) (*goal, error) {
	pcs, err := s.stepPCs(kind, to, st.pc)
	if err != nil {
		return nil, err
	}
	lanes := s.lanesOf(scope)
	id, width := s.about, s.t.p.Width
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
		if now := s.t.state(id); now.status == Finished {
			return &Stop{Reason: AtStep, Thread: id, Text: "the thread has finished"}
		}
		return nil
	}
	return g, nil
}

// stepPCs are the operations at which a step from pc ends.
func (s *Session) stepPCs(kind StepKind, to Location, pc int) ([]int, error) {
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
			ok = l.stepsTo(k, depth)
		case StepOut:
			ok = l.depth[k] < depth && (l.back[k] || l.start[k])
		case StepInst:
			ok = k == 0 || s.t.p.Inst[k-1] != s.t.p.Inst[k] || len(l.flow.Preds[k]) != 1 || l.flow.Preds[k][0] != int32(k-1)
		case StepBarrier:
			ok = s.t.barrier(k)
		}
		if ok {
			out = append(out, k)
		}
	}
	if kind == StepOut && depth <= 1 {
		return nil, fmt.Errorf("the outermost function; continue runs to its end")
	}
	if kind == StepTo {
		return s.t.resolve(to)
	}
	return out, nil
}

// stepMany lets every warp of the thread's tile, or of all running ones, do a
// step for itself.
func (s *Session) stepMany(kind StepKind, scope Scope, to Location) (*Stop, error) {
	about := s.about
	if !s.t.c.HasStarted(about.Tile) {
		// The tile has not started: its first thread leads it in.
		g := &goal{pcs: []int{s.t.p.Entry}}
		g.broke = func(w *warp.Warp) *Stop {
			if uint64(w.T.Index) == about.Tile {
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
		if scope == GridScope || uint64(t.Index) == about.Tile {
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
		pcs, err := s.stepPCs(kind, to, w.PC)
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
		last = &Stop{Reason: AtStep, Thread: about}
	}
	return s.settle(last), nil
}

// driveOne lets one warp run until it comes to one of pcs, or waits, or has
// finished.
func (s *Session) driveOne(tile uint64, index int, pcs []int) (*Stop, error) {
	for {
		w := s.t.c.Tile(tile).Warps[index]
		s.choose(w)
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
