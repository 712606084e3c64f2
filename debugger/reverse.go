package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/warp"
)

// ReverseContinue goes back to the last breakpoint that was passed, or access
// that a watchpoint is for, before the present, in this dispatch or an earlier
// one; without any, to the start of the launch. Hits are not counted.
func (s *Session) ReverseContinue(ctx context.Context, about ThreadID) (*Stop, error) {
	return s.run(ctx, about, 0, func() (*Stop, error) {
		told := s.stop != nil && s.stop.Watch != nil && s.stop.Watch.before && s.stop.at == s.now()
		return s.back(&trail{n: 1}, func() *goal { return s.breakGoal(&goal{}) }, s.startOf(1), told)
	})
}

// ReverseStep goes back to the place where the step before this one ended:
// the start of the present line, or of the line that was executed before, by
// the thread, a thread of its warp, or any warp of its tile or of the
// grid. A step of that kind by the whole tile or grid that ended right here is
// undone as a whole: that goes back to where it began. Before the first line
// lies the start of the dispatch, and before that the end of the one before.
// From the end of the launch it goes right back into the last dispatch.
func (s *Session) ReverseStep(ctx context.Context, step Step) (*Stop, error) {
	return s.run(ctx, step.Thread, step.Frame, func() (st *Stop, err error) {
		// Steps of one thread or warp are found in one search, unless what the next
		// would be depends on where one ends.
		each := 1
		if step.Scope != TileScope && step.Scope != GridScope && (step.Kind == StepIn || step.Kind == StepOver || step.Kind == StepInst) {
			each = max(step.Count, 1)
		}
		for left := max(step.Count, 1); left > 0; left -= each {
			if st, err = s.reverseSteps(step.Kind, step.Scope, each); err != nil || !st.steppedOn() {
				break
			}
		}
		return st, err
	})
}

// reverseSteps goes back by n steps.
func (s *Session) reverseSteps(kind StepKind, scope Scope, n int) (*Stop, error) {
	if scope == TileScope || scope == GridScope {
		if w := s.history.wholeStep(s.now(), kind, scope); w != nil {
			if err := s.travel(w.from); err != nil {
				return nil, err
			}
			return s.settle(&Stop{Reason: AtStep, Thread: w.about}), nil
		}
	}
	if s.number != s.t.number { // after the last step of the launch
		if err := s.travel(s.endOf(s.t.number)); err != nil {
			return nil, err
		}
	}
	start := s.startOf(s.number)
	if s.now() == start {
		return s.backToEnd(s.number - 1)
	}
	st := s.t.state(s.about)
	pcs, err := s.stepPCs(kind, nil, st.pc)
	if err != nil {
		return nil, err
	}
	lanes := s.lanesOf(scope)
	id, width := s.about, s.t.p.Width
	tr := &trail{n: n}
	if kind == StepOver {
		tr.lines = s.t.lines
	}
	return s.back(tr, func() *goal {
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
	}, start, false)
}

// backToEnd goes back to the end of a dispatch; if there is none, the present
// is the start of history.
func (s *Session) backToEnd(dispatch int) (*Stop, error) {
	if dispatch < 1 {
		return s.backTo(s.startOf(1))
	}
	if err := s.travel(s.endOf(dispatch)); err != nil {
		return nil, err
	}
	return s.settle(s.endStop()), nil
}

// LastWrite goes back to the last write of what an expression names in a frame of
// a thread: of a buffer or image, in this dispatch, in an earlier one, or by a COPY
// between two; of other memory, in this dispatch.
func (s *Session) LastWrite(ctx context.Context, about ThreadID, frame int, of string) (*Stop, error) {
	return s.run(ctx, about, frame, func() (*Stop, error) {
		p, err := s.newWatch(Watchpoint{Expr: of, Thread: about, Frame: frame, Kind: WatchWrite})
		if err != nil {
			return nil, err
		}
		if s.resolve(p); p.Problem != "" && p.watch.data == nil {
			return nil, errors.New(p.Problem)
		}
		from, where := s.startOf(1), "in the launch"
		if p.watch.data == nil && s.number == s.t.number {
			from, where = s.startOf(s.number), "in this dispatch"
		}
		st, err := s.search(func() (*Stop, moment, error) { return s.lastHit(p, from) })
		if st == nil && err == nil {
			err = fmt.Errorf("nothing has written %s %s before", p.spec, where)
		}
		return st, err
	})
}

// lastHit finds the last moment from from on, and before the present, at which
// a breakpoint would have stopped, without regard to others. The session is
// left somewhere between the two.
func (s *Session) lastHit(b *point, from moment) (*Stop, moment, error) {
	others := s.points
	s.points = []*point{b}
	defer func() {
		s.points = others
		for _, b := range others {
			s.resolve(b)
		}
	}()
	return s.lastBetween(&trail{n: 1}, func() *goal {
		g := s.breakGoal(&goal{})
		g.early = true
		return g
	}, from, s.now(), false)
}

// Rewind goes back to the start of a dispatch, the present one or an earlier
// one; dispatch 1 begins where history does.
func (s *Session) Rewind(ctx context.Context, about ThreadID, dispatch int) (*Stop, error) {
	return s.run(ctx, about, 0, func() (*Stop, error) {
		if dispatch < 1 || dispatch > s.t.number {
			return nil, fmt.Errorf("no dispatch %d in history: it has 1 to %d", dispatch, s.t.number)
		}
		return s.backTo(s.startOf(dispatch))
	})
}

// backTo goes back to the start of a dispatch.
func (s *Session) backTo(m moment) (*Stop, error) {
	if err := s.travel(m); err != nil {
		return nil, err
	}
	st := &Stop{Reason: AtHistoryEnd, Thread: s.about, Text: "the start of the launch"}
	if m.dispatch > 1 {
		st.Text = fmt.Sprintf("the start of dispatch %d", m.dispatch)
	}
	return s.settle(st), nil
}

// search goes back to the moment that a search finds. If there is none, it
// stays at the present and gives no stop.
func (s *Session) search(search func() (*Stop, moment, error)) (*Stop, error) {
	present, exited, about := s.now(), s.exited, s.about
	found, at, err := search()
	if err == nil && found != nil {
		err := s.travel(at)
		if err == nil && found.Watch != nil && found.Watch.before {
			s.watcher.tell(found.Watch)
		}
		return s.settled(found, err)
	}
	if err != nil && !errors.Is(err, errHalted) {
		return nil, err
	}
	if err := s.travel(present); err != nil {
		return nil, err
	}
	s.exited, s.about = exited, about
	if err != nil {
		return s.settle(s.stopHere(AtHalt)), nil
	}
	return nil, nil
}

// trail collects what a search comes by: the last n moments at which it would
// have stopped.
type trail struct {
	n    int
	list []passing // in their order
	// lines is set for steps over calls: of these each is one from where the next
	// ends, so that the list leads from outer functions into inner ones only.
	lines *lines
	full  int // moments at which those that cannot be wanted are dropped
}

// passing is a moment of a trail.
type passing struct {
	st *Stop
	at moment
	pc int // of the warp that stops
}

// add adds a moment after all others.
func (tr *trail) add(p passing) {
	for n := len(tr.list); tr.lines != nil && n > 0 && !tr.lines.stepsTo(tr.list[n-1].pc, tr.lines.depth[p.pc]); n-- {
		tr.list = tr.list[:n-1]
	}
	tr.list = append(tr.list, p)
	if len(tr.list) < tr.full || len(tr.list) <= 2*tr.n {
		return
	}
	// Of each depth, more than n are not wanted even if what is deeper is left.
	kept, run := 0, 0
	depth := func(i int) int {
		if tr.lines == nil {
			return 0
		}
		return tr.lines.depth[tr.list[i].pc]
	}
	for i := len(tr.list) - 1; i >= 0; i-- {
		if run++; i+1 < len(tr.list) && depth(i) != depth(i+1) {
			run = 1
		}
		if run <= tr.n {
			kept++
			tr.list[len(tr.list)-kept] = tr.list[i]
		}
	}
	tr.list = append(tr.list[:0], tr.list[len(tr.list)-kept:]...)
	tr.full = 2 * kept
}

// found is the n-th last moment, none if there are not so many.
func (tr *trail) found() (*Stop, moment) {
	if len(tr.list) < tr.n {
		return nil, moment{}
	}
	p := &tr.list[len(tr.list)-tr.n]
	return p.st, p.at
}

// back goes back along a trail to a moment between the start of a dispatch and the
// present at which the goal of a dispatch would have stopped, or else to that
// start. told says that the present is the stop before an access: what else
// stops at that moment comes before it.
func (s *Session) back(tr *trail, goalHere func() *goal, from moment, told bool) (*Stop, error) {
	st, err := s.search(func() (*Stop, moment, error) { return s.lastBetween(tr, goalHere, from, s.now(), told) })
	if st == nil && err == nil {
		return s.backTo(from)
	}
	return st, err
}

// lastBetween finds the n-th last moment of a trail from from on and before end at
// which a goal would have stopped; at end too, if told is set, but for stops
// before an access. The session is left somewhere between the two.
func (s *Session) lastBetween(tr *trail, goalHere func() *goal, from, end moment, told bool) (found *Stop, at moment, err error) {
	s.reversing = true
	defer func() { s.reversing = false }()
	for i := s.markBefore(end); ; i-- {
		if s.halted() != nil {
			return nil, at, errHalted
		}
		first := s.history.marks[i].at
		last := i == 0 || first.compare(from) <= 0
		if last {
			first = from
		}
		later := tr.list
		tr.list = nil
		if err := s.lastOfPiece(tr, i, goalHere, first, end, told); err != nil {
			return nil, at, err
		}
		for _, p := range later {
			tr.add(p)
		}
		if found, at = tr.found(); found != nil || last {
			return found, at, nil
		}
		end, told = first, false
	}
}

// halted is a stop if the command's context has ended.
func (s *Session) halted() *Stop {
	if s.ctx.Err() != nil {
		return &Stop{Reason: AtHalt}
	}
	return nil
}

var errHalted = errors.New("halted")

// lastOfPiece follows a trail in a piece of history after checkpoint i.
func (s *Session) lastOfPiece(tr *trail, i int, goalHere func() *goal, from, end moment, told bool) error {
	if err := s.restore(i); err != nil {
		return err
	}
	if _, err := s.replay(noGoal, from); err != nil || from == end && !told {
		return err
	}
	note := func(st *Stop, m moment) {
		if c := m.compare(end); c < 0 || c == 0 && told && (st.Watch == nil || !st.Watch.before) {
			p := passing{st: st, at: m}
			if w := s.t.c.Current(); w != nil {
				p.pc = w.PC
			}
			tr.add(p)
		}
	}
	st, err := s.replay(func() *goal {
		g := goalHere()
		g.note, g.turn = note, s.halted
		g.between = func(end moment, st *Stop) {
			st.Text = fmt.Sprintf("dispatch %d has ended", end.dispatch)
			note(st, end)
		}
		return g
	}, end)
	if err == nil && st != nil {
		err = errHalted
	}
	return err
}

// FirstAccess goes back to the earlier access of the finding that the last
// stop was at, before it happened.
func (s *Session) FirstAccess(ctx context.Context, about ThreadID) (*Stop, error) {
	return s.run(ctx, about, 0, s.firstAccess)
}

func (s *Session) firstAccess() (*Stop, error) {
	if s.stop == nil || s.stop.Finding == nil {
		return nil, errors.New("the last stop was at no finding")
	}
	f := s.stop.Finding
	if len(f.Accesses) < 2 {
		return nil, errors.New("the finding has no other access")
	}
	a := f.Accesses[0]
	id := s.t.threadOf(a.Thread)
	value := f.Code == diag.Uninitialized || f.Code == diag.UndefinedValue // the first side is an instruction, and the second a use
	var pcs []int
	for pc := range s.t.p.Code {
		p := s.t.lines.pos[pc]
		ok := p.Line == a.Pos.Line && p.File == a.Pos.File && s.t.p.Code[pc].Code.Accesses() != program.NoAccess
		if value {
			ok = s.t.c.ID(pc) == a.ID && s.t.c.Pos(pc) == a.Pos
		}
		if ok {
			pcs = append(pcs, pc)
		}
	}
	if state := s.t.state(id); value && s.stop.at == s.now() && slices.Contains(pcs, state.pc) {
		return nil, fmt.Errorf("the value is read where it is used, right here")
	}
	lane := id.Local % s.t.p.Width
	return s.back(&trail{n: 1}, func() *goal {
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
	}, s.startOf(s.number), false)
}
