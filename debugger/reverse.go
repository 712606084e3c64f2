package debugger

import (
	"fmt"
	"slices"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/warp"
)

// ReverseContinue goes back to the last breakpoint that was passed, or access
// that a watchpoint is for, before the present; without any, to the start of
// the dispatch. Hits are not counted.
func (s *Session) ReverseContinue() (*Stop, error) {
	return s.back(func() *goal { return s.breakGoal(&goal{}) })
}

// ReverseStep goes back to the place where the step before this one ended:
// the start of the present line, or of the line that was executed before, by
// the focused thread, a thread of its warp, or any warp of its tile or of the
// grid. A step of that kind by the whole tile or grid that ended right here is
// undone as a whole: that goes back to where it began.
func (s *Session) ReverseStep(kind StepKind, scope Scope) (*Stop, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	if scope == TileScope || scope == GridScope {
		if w := s.history.wholeStep(s.now(), kind, scope); w != nil {
			s.exited = false
			if err := s.travel(w.from); err != nil {
				return nil, err
			}
			return s.settle(&Stop{Reason: AtStep, Thread: w.focus}), nil
		}
	}
	st := s.state(s.focus)
	pcs, err := s.stepPCs(kind, "", st.pc)
	if err != nil {
		return nil, err
	}
	lanes := s.lanesOf(scope)
	id, width := s.focus, s.t.p.Width
	return s.back(func() *goal {
		g := &goal{pcs: pcs}
		g.only = func(w *warp.Warp) bool {
			return scope == GridScope || uint64(w.T.Index) == id.Tile && (scope == TileScope || w.Index == id.Local/width)
		}
		g.broke = func(w *warp.Warp) *Stop {
			if m := lanes(w); g.only(w) && !m.IsZero() {
				return s.stopAt(AtStep, w, m)
			}
			return nil
		}
		return g
	})
}

// LastWrite goes back to the last write of what an expression names.
func (s *Session) LastWrite(text string) (*Stop, error) {
	b, err := s.Watch(text, WatchWrite, 0)
	if err != nil {
		return nil, err
	}
	others := s.breakpoints
	s.breakpoints = []*Breakpoint{b}
	defer func() {
		s.breakpoints = slices.DeleteFunc(others, func(x *Breakpoint) bool { return x == b })
		s.lastID--
	}()
	return s.back(func() *goal { return s.breakGoal(&goal{}) })
}

// Rewind goes back to the start of the dispatch.
func (s *Session) Rewind() (*Stop, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	s.exited = false
	s.restore(0)
	return s.settle(&Stop{Reason: AtHistoryEnd, Thread: s.focus, Text: "the start of the dispatch"}), nil
}

// back goes to the last moment before the present at which a goal would have
// stopped.
func (s *Session) back(make func() *goal) (*Stop, error) {
	if _, err := s.live(); err != nil {
		return nil, err
	}
	s.exited = false
	s.halt.Store(false)
	present := s.now()
	s.reversing = true
	defer func() { s.reversing = false }()
	end := present
	for i := s.markBefore(present); ; i-- {
		found, at, err := s.lastBefore(i, end, make())
		if err != nil {
			if s.halt.Swap(false) {
				err = s.travel(present)
				st := s.stopHere(AtHalt)
				return s.settled(st, err)
			}
			return nil, err
		}
		if found != nil {
			if err := s.travel(at); err != nil {
				return nil, err
			}
			return s.settle(found), nil
		}
		if i == 0 {
			break
		}
		m := &s.history.marks[i]
		end = moment{m.k.Time, m.acts}
	}
	return s.Rewind()
}

// halted is a stop if Halt has been called.
func (s *Session) halted() *Stop {
	if s.halt.Load() {
		return &Stop{Reason: AtHalt}
	}
	return nil
}

var errHalted = fmt.Errorf("halted")

// lastBefore replays from checkpoint i up to a moment, and gives the last
// moment at which the goal would have stopped.
func (s *Session) lastBefore(i int, end moment, g *goal) (found *Stop, at moment, err error) {
	s.restore(i)
	if s.now() == end {
		return nil, at, nil
	}
	note := func(st *Stop) {
		if st != nil {
			found, at = st, s.now()
		}
	}
	inner := g.broke
	if inner != nil {
		g.broke = func(w *warp.Warp) *Stop { note(inner(w)); return nil }
	}
	after := g.after
	if after != nil {
		g.after = func(w *warp.Warp) *Stop { note(after(w)); return nil }
	}
	g.turn = s.halted
	if g.observe != nil {
		s.watcher.found = func(b *Breakpoint, w *warp.Warp, a *warp.Access, lane int) {
			if !s.watchHolds(b, w, lane) {
				return
			}
			t := moment{emu.Time{Turn: s.t.c.Time().Turn, Place: 1, Steps: w.Steps, PC: a.PC}, s.history.done}
			s.watcher.report(b, w, a, lane)
			w.T.Halt = false
			found, at = s.watcher.hit, t
			found.Watch.before = true
			s.watcher.hit = nil
		}
		defer func() { s.watcher.found = nil }()
	}
	st, err := s.replay(g, end)
	if err == nil && st != nil {
		err = errHalted
	}
	return found, at, err
}

// FirstAccess goes back to the earlier access of the finding that the last
// stop was at, before it happened.
func (s *Session) FirstAccess() (*Stop, error) {
	f := s.stop.Finding
	if f == nil || len(f.Accesses) < 2 {
		return nil, fmt.Errorf("the last stop was at no finding with two accesses")
	}
	a := f.Accesses[0]
	id := s.threadOf(a.Thread)
	var pcs []int
	for pc := range s.t.p.Code {
		p := s.t.lines.pos[pc]
		ok := p.Line == a.Pos.Line && p.File == a.Pos.File && touchesMemory(s.t.p.Code[pc].Code)
		if f.Code == diag.Uninitialized {
			ok = s.t.c.ID(pc) == a.ID && s.t.c.Pos(pc) == a.Pos
		}
		if ok {
			pcs = append(pcs, pc)
		}
	}
	if state := s.state(id); f.Code == diag.Uninitialized && s.stop.at == s.now() && slices.Contains(pcs, state.pc) {
		return nil, fmt.Errorf("the value is read where it is used, right here")
	}
	lane := id.Local % s.t.p.Width
	return s.back(func() *goal {
		g := &goal{pcs: pcs}
		g.broke = func(w *warp.Warp) *Stop {
			if uint64(w.T.Index) != id.Tile || w.Index != id.Local/s.t.p.Width || !w.Active().Has(lane) {
				return nil
			}
			st := s.stopAt(AtStep, w, w.Active())
			st.Thread = id
			return st
		}
		return g
	})
}

// touchesMemory reports whether an operation accesses memory that threads
// share.
func touchesMemory(c warp.Code) bool {
	switch c {
	case warp.Load8, warp.Load16, warp.Load32, warp.Load64, warp.LoadPtr,
		warp.Store8, warp.Store16, warp.Store32, warp.Store64, warp.StorePtr, warp.Atomic, warp.ImageOp:
		return true
	}
	return false
}
