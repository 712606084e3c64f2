package debugger

import (
	"context"
	"errors"
	"fmt"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/program"
	"ampdbg/warp"
)

// codes are the copies of a program's code that warps execute under a
// debugger.
type codes struct {
	broken *warp.Patch // with the Breaks of the command that runs
	plain  *warp.Patch // for warps that the command is not about
	aimPC  int         // has a Break in broken and plain, -1
	set    []bool
	pcs    []int // those set
	goal   *goal
}

func (k *codes) reset(p *program.Program) {
	code, err := warp.Interpreter{}.Interpret(p)
	if err != nil {
		panic(err) // the machine runs it
	}
	*k = codes{broken: code.NewPatch(), plain: code.NewPatch(), aimPC: -1, set: make([]bool, len(p.Code)), goal: &goal{}}
}

// goal is what a command waits for.
type goal struct {
	pcs  []int                   // Breaks
	only func(w *warp.Warp) bool // the warps that they hold for; nil: all
	// broke is asked before an operation of pcs; turn between turns. They
	// answer with a stop, or nil to go on. before is told of an operation of pcs
	// that is about to be executed, and after, once it has been, answers with a
	// stop too.
	broke   func(w *warp.Warp) *Stop
	hit     func(w *warp.Warp) *Stop // broke, but for breakpoints only
	turn    func() *Stop
	before  func(w *warp.Warp)
	after   func() *Stop
	observe []emu.Observer
	// note is told of the stops of a replay, which goes on past them. With early
	// set, that is the moment before an access, of whatever kind.
	note  func(st *Stop, at moment)
	early bool
	// between is told, in a replay, of a COPY between two dispatches that a
	// watchpoint waits for, and the end of the dispatch before it.
	between func(end moment, st *Stop)
}

// codeOf gives the code that a warp executes next.
func (s *Session) codeOf(w *warp.Warp) warp.Code {
	k := &s.code
	if k.goal.only != nil && !k.goal.only(w) {
		return k.plain
	}
	return k.broken
}

// arm sets the Breaks of a goal.
func (s *Session) arm(g *goal) {
	k := &s.code
	k.goal = g
	for _, pc := range g.pcs {
		if !k.set[pc] {
			k.set[pc] = true
			k.pcs = append(k.pcs, pc)
			k.broken.Set(pc, true)
		}
	}
	s.t.c.Observe(g.observe...)
}

func (s *Session) disarm() {
	k := &s.code
	s.aim(-1)
	for _, pc := range k.pcs {
		k.set[pc] = false
		k.broken.Set(pc, false)
	}
	k.pcs = k.pcs[:0]
	k.goal = &goal{}
	s.t.c.Observe()
}

func (s *Session) armed(pc int) bool { return s.code.set[pc] }

// aim sets one more Break, or none.
func (s *Session) aim(pc int) {
	k := &s.code
	if k.aimPC == pc {
		return
	}
	if old := k.aimPC; old >= 0 {
		k.plain.Set(old, false)
		k.broken.Set(old, k.set[old])
	}
	k.aimPC = pc
	if pc >= 0 {
		k.plain.Set(pc, true)
		k.broken.Set(pc, true)
	}
}

// resume runs on to a Break or the end of a turn; only one operation of the
// current warp if off is set.
func (s *Session) resume(off bool) (emu.Event, error) {
	w := s.t.c.Current()
	if !off || w == nil {
		return s.t.c.Resume()
	}
	if s.code.goal.before != nil && s.armed(w.PC) {
		s.code.goal.before(w)
	}
	return s.t.c.Step()
}

// stand notes that the session stands at what the current warp is about to
// execute: what is set there has been told.
func (s *Session) stand() {
	if w := s.t.c.Current(); w != nil {
		if s.stood == nil {
			s.stood = map[accessKey]bool{}
		}
		s.stood[s.place(w)] = true
	}
}

// place names what a warp is about to execute.
func (s *Session) place(w *warp.Warp) accessKey {
	return accessKey{s.number, uint64(w.T.Index), w.Index, w.Steps, w.PC}
}

// untold is the stop at breakpoints at which the current warp is, but has never
// stopped: it waited there, at a barrier or for its turn, until it was chosen.
func (s *Session) untold(g *goal) *Stop {
	w := s.t.c.Current()
	if w == nil || g.hit == nil || !s.armed(w.PC) || s.stood[s.place(w)] {
		return nil
	}
	return g.hit(w)
}

// arrived is the stop at the operation that a warp comes to: what the one
// before it did and what is set at this one are told as one. stepped says that
// only that one has been executed.
func (s *Session) arrived(g *goal, w *warp.Warp, stepped bool) *Stop {
	var st *Stop
	if stepped && g.after != nil {
		st = g.after()
	}
	if s.armed(w.PC) && (g.only == nil || g.only(w)) {
		st = st.and(g.broke(w))
	}
	return st
}

// stopAt makes a stop at the current warp, of one of the lanes: the thread that
// the command is about if it is among them, else the lowest.
func (s *Session) stopAt(r Reason, w *warp.Warp, lanes warp.Mask) *Stop {
	if lanes.IsZero() {
		lanes = w.Live()
	}
	id := s.t.id(w, max(lanes.First(), 0))
	if f := s.about; f.Tile == id.Tile && f.Local/s.t.p.Width == w.Index && lanes.Has(f.Local%s.t.p.Width) {
		id = f
	}
	return &Stop{Reason: r, Thread: id, Active: w.Active().Count()}
}

// settle makes a stop the present one, and fills in the place.
func (s *Session) settle(st *Stop) *Stop {
	s.frame = 0
	if s.t != nil {
		st.at = s.now()
		if s.t.check(st.Thread) != nil { // of a dispatch with more threads
			st.Thread = ThreadID{}
		}
		s.about = st.Thread
		if state := s.t.state(st.Thread); state.pc >= 0 {
			st.Pos = s.t.lines.pos[state.pc]
			if fs := s.t.lines.stack(state.pc); len(fs) > 0 {
				st.Func = fs[0].Func
			}
		}
	}
	s.stop = st
	return st
}

// drive runs forward until the goal is reached or something else ends the
// run.
func (s *Session) drive(g *goal) (*Stop, error) {
	s.forget()
	own := g.observe
	for {
		g.observe = own
		st, err := s.driveOn(g)
		if err != errAhead {
			return st, err
		}
		if err := s.checks.lookAhead(); err != nil {
			return nil, err
		}
	}
}

func (s *Session) driveOn(g *goal) (*Stop, error) {
	if err := s.checks.begin(g); err != nil {
		return nil, err
	}
	defer s.checks.end()
	s.checks.telling = s.catch["index"]
	c := s.t.c // which that may have made anew
	s.arm(g)
	defer s.disarm()
	defer s.stand()
	off := c.Current() != nil
	if st := s.untold(g); st != nil {
		return st, nil
	}
	for {
		if st := s.halted(); st != nil {
			return s.stopHere(AtHalt), nil
		}
		stepped := off
		ev, err := s.resume(off)
		off = false
		if err != nil {
			if d, ok := err.(*diag.Error); ok && d.Class == diag.Budget {
				st := s.stopHere(AtBudget)
				st.Text = d.Msg
				return st, nil
			}
			return nil, err
		}
		switch ev {
		case emu.TurnEnded:
			s.history.pass(s)
			if stepped && g.after != nil {
				if st := g.after(); st != nil {
					return st, nil
				}
			}
			if g.turn != nil {
				if st := g.turn(); st != nil {
					return st, nil
				}
			}
		case emu.Broke:
			w := c.Current()
			if st, pass, err := s.checks.valueStop(w); st != nil || err != nil {
				return st, err
			} else if pass {
				off = true
				continue
			}
			if w.T.Halt {
				w.T.Halt = false
				st := s.watcher.stop()
				if st != nil && !st.Watch.before {
					st = st.and(s.arrived(g, w, false))
				}
				if st = st.and(s.checks.indexStop(w)).and(s.checks.raceStop(w)); st != nil {
					return st, nil
				}
				off = true
				continue
			}
			if st := s.arrived(g, w, stepped); st != nil {
				return st, nil
			}
			off = s.armed(w.PC) && (g.only == nil || g.only(w))
		case emu.Diverged, emu.Failed:
			if st := s.foundStop(ev); st != nil {
				return st, nil
			}
		case emu.HeldUp:
			st := s.stopHere(AtHeld)
			st.Text = "only frozen threads could go on, or all others wait for them"
			return st, nil
		case emu.Ended:
			return s.endStop(), nil
		}
	}
}

// stopHere is a stop wherever the machine is: at the current warp if there is one,
// else of the thread that the command is about.
func (s *Session) stopHere(r Reason) *Stop {
	if w := s.t.c.Current(); w != nil && !w.Active().IsZero() {
		return s.stopAt(r, w, w.Active())
	}
	return &Stop{Reason: r, Thread: s.about}
}

// foundStop is the stop at the latest finding: a fault, a divergent barrier,
// or a state from which no thread can go on. It is nil if the user does not
// want to stop there and the kernel goes on.
func (s *Session) foundStop(ev emu.Event) *Stop {
	list := s.t.c.Found()
	if ev == emu.Diverged && !s.catch["barrier"] {
		return nil
	}
	st := s.stopHere(AtFinding)
	for _, t := range s.t.c.Resident() {
		for _, w := range t.Warps {
			if w.Status() == warp.Faulted {
				st = s.stopAt(AtFinding, w, w.Fault.Lanes)
				f := s.t.c.Fault(w, w.Fault)
				st.Finding = &f
			}
		}
	}
	if st.Finding == nil && len(list) > 0 {
		f := list[len(list)-1]
		st.Finding = &f
		if len(f.Parties) > 0 {
			p := f.Parties[0].First
			st.Thread = s.t.threadOf(p)
		}
	}
	return st
}

// endStop is the stop at the end of a dispatch.
func (s *Session) endStop() *Stop {
	st := s.stopHere(AtEnd)
	st.Text = fmt.Sprintf("dispatch %d has ended", s.number)
	return st
}

// Continue runs until a breakpoint, a watchpoint, a finding, the end of ctx, or
// the end of the launch: dispatches that end on the way are gone on from. If
// several threads come to the stop, it tells about among them, and else the first.
func (s *Session) Continue(ctx context.Context, about ThreadID) (*Stop, error) {
	return s.run(ctx, about, 0, s.goOn)
}

func (s *Session) goOn() (*Stop, error) {
	for {
		if s.exited {
			return nil, errExited
		}
		if s.t.c.Stopped() {
			st, err := s.cross()
			if err != nil {
				return nil, err
			}
			if s.exited || st.Watch != nil || st.Failed != nil {
				return s.settle(st), nil
			}
		}
		st, err := s.drive(s.breakGoal(&goal{}))
		if err != nil {
			return nil, err
		}
		if st.Reason == AtEnd {
			continue
		}
		return s.settle(st), nil
	}
}

// cross goes on from the end of a dispatch to the start of the next, or to the
// end of the launch.
func (s *Session) cross() (*Stop, error) {
	s.forget()
	if s.failedDispatch() {
		s.exited = true
		return &Stop{Reason: AtExit, Thread: s.about, Text: "the launch has ended at a fault of the kernel"}, nil
	}
	failed := len(s.failed)
	st, err := s.advance()
	if err != nil {
		return nil, err
	}
	if !s.exited {
		s.history.pass(s)
	}
	if st == nil {
		st = &Stop{Reason: AtStart}
	}
	st.Thread, st.Text = s.about, fmt.Sprintf("dispatch %d is about to start", s.number)
	if s.exited {
		st.Reason, st.Text = AtExit, "the launch has ended"
	} else if s.catch["expect"] {
		st.Failed = s.expected()[failed:]
	}
	if len(st.Failed) == 0 {
		st.Failed = nil
	}
	return st, nil
}

// failedDispatch reports whether the dispatch ended by a fault.
func (s *Session) failedDispatch() bool {
	ev, err := s.t.c.Resume()
	return err == nil && ev == emu.Failed
}

var errExited = errors.New("the launch has ended; restart runs it anew, reverse commands go back into it")
