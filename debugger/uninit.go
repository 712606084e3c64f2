package debugger

import (
	"ampdbg/racecheck"
	"ampdbg/warp"
)

// uninit looks for uses of uninitialised values while the user wants to stop
// at them. The dispatch runs operation by operation then. As with races, what
// it knows is not part of checkpoints.
type uninit struct {
	s       *Session
	watch   *racecheck.UninitWatch
	at      moment // up to where it has seen the dispatch
	tracing bool
}

// begin makes a goal follow values, if the user wants that.
func (u *uninit) begin(g *goal) error {
	if !u.s.catch["uninit"] {
		u.watch = nil
		return nil
	}
	now := u.s.now()
	if u.watch == nil || u.at != now {
		if err := u.s.travel(u.s.startOf(now.dispatch)); err != nil {
			return err
		}
		u.watch = racecheck.NewUninitWatch(u.s.t.c.Machine, racecheck.Options{})
		u.tracing = true
		st, err := u.s.replay(func() *goal { return &goal{observe: u.watch.Observer(), turn: u.s.halted} }, now)
		u.tracing = false
		if err != nil {
			u.watch = nil
			return err
		}
		if st != nil {
			u.watch = nil
			return u.s.travel(now) // drive sees Halt next
		}
	}
	u.watch.Halting(true)
	u.tracing = true
	if g.observe == nil {
		g.observe = u.watch.Observer()
	} else {
		g.observe = both{u.watch.Observer(), g.observe}
	}
	return nil
}

// end ends what begin began.
func (u *uninit) end() {
	if u.tracing {
		u.watch.Halting(false)
		u.tracing, u.at = false, u.s.now()
	}
}

// stop is the stop at a use that the warp is about to execute.
func (u *uninit) stop(w *warp.Warp) *Stop {
	if !u.tracing {
		return nil
	}
	f, ok := u.watch.Found()
	if !ok {
		return nil
	}
	w.T.Halt = false
	st := u.s.stopAt(AtFinding, w, w.Active())
	st.Finding = &f
	if n := len(f.Accesses); n > 0 {
		st.Thread = u.s.threadOf(f.Accesses[n-1].Thread)
	}
	return st
}
