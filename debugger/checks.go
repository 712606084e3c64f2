package debugger

import (
	"errors"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/racecheck"
	"ampdbg/warp"
)

// checks looks for races, for uses of uninitialised values and for operations
// without a defined result, while the user wants to stop at them. It has no
// rules of its own: what decides is racecheck's detectors, so that the stops
// are what a check reports.
//
// What they know is not part of checkpoints: after going back, or where one was
// switched on late, they see the dispatch again from its start. Values are
// followed operation by operation.
type checks struct {
	s      *Session
	races  *racecheck.RaceCatch
	values *racecheck.ValueCatch
	at     moment // up to where they have seen the dispatch

	// log holds the races of the whole dispatch, to tell the uses that they are
	// the reason for. It is made once, when there is such a use.
	log   *racecheck.RaceLog // nil: that was given up
	logOf moment             // see future

	// An index outside of an array that lies inside a larger object is no fault
	// of the machine: the kernel goes on. telling says that a command would stop
	// there, index is what it would tell.
	telling bool
	index   *diag.Finding
}

// fault lets the kernel go on after a bad index, and halts it there if the user
// wants to stop.
func (k *checks) fault(m *emu.Machine, w *warp.Warp, f *warp.Fault) bool {
	if f.Kind != warp.ArrayIndex {
		return false
	}
	if k.telling && k.index == nil {
		found := m.Fault(w, f)
		k.index, w.T.Halt = &found, true
	}
	return true
}

// indexStop is the stop at a bad index that the warp was halted after.
func (k *checks) indexStop(w *warp.Warp) *Stop {
	f := k.index
	if f == nil {
		return nil
	}
	k.index = nil
	st := k.s.stopAt(AtFinding, w, w.Active())
	st.Finding = f
	if len(f.Accesses) > 0 {
		st.Thread = k.s.t.threadOf(f.Accesses[0].Thread)
	}
	return st
}

// errAhead asks to look ahead in the dispatch, for its races, before a use of
// an uninitialised value is told.
var errAhead = errors.New("the races of the dispatch are not known")

// begin makes a goal look for what the user wants to stop at.
func (k *checks) begin(g *goal) error {
	race, want := k.s.catch["race"], k.s.wantedOrigins()
	value := want != racecheck.Origins{}
	if !race {
		k.races = nil
	}
	if !value {
		k.values = nil
	}
	if !race && !value {
		return nil
	}
	now := k.s.now()
	if race && k.races == nil || value && k.values == nil || k.at != now {
		if ok, err := k.seeAgain(race, value, now); !ok || err != nil {
			return err
		}
	}
	if race {
		k.races.Halt(true)
	}
	if value {
		k.values.Halt(want)
	}
	g.observe = append(k.observers(), g.observe...)
	if race {
		g.observe = append(g.observe, haltObserver{k})
	}
	return nil
}

// seeAgain shows the dispatch to new detectors from its start to the present.
// It reports false if the context of the command ended that; the present is then as it was.
func (k *checks) seeAgain(race, value bool, now moment) (bool, error) {
	s := k.s
	if start := s.startOf(now.dispatch); now != start {
		if err := s.travel(start); err != nil {
			return false, err
		}
	}
	if race {
		k.races = racecheck.NewRaceCatch(s.t.c.Machine, racecheck.Options{})
		k.races.Halt(false)
	}
	if value {
		k.values = racecheck.NewValueCatch(s.t.c.Machine, racecheck.Options{Uninitialized: s.opt.Uninitialized})
	}
	st, err := s.replay(func() *goal { return &goal{observe: k.observers(), turn: s.halted} }, now)
	if err == nil && st == nil {
		return true, nil
	}
	k.lose()
	if err == nil {
		err = s.travel(now) // drive sees the end of the context next
	}
	return false, err
}

// observers are the detectors that there are.
func (k *checks) observers() []emu.Observer {
	var list []emu.Observer
	if k.races != nil {
		list = append(list, k.races.Observer())
	}
	if k.values != nil {
		list = append(list, k.values.Observer())
	}
	return list
}

// lose forgets what has been seen: history has been gone back in.
func (k *checks) lose() { k.races, k.values = nil, nil }

// end ends what begin began.
func (k *checks) end() {
	k.at = k.s.now()
	k.telling, k.index = false, nil
	if k.values != nil {
		k.values.Halt(racecheck.Origins{})
	}
}

// wantedOrigins says which values and operations the user wants to stop at.
func (s *Session) wantedOrigins() racecheck.Origins {
	return racecheck.Origins{Uninitialized: s.catch["uninit"], Undefined: s.catch["undefined"]}
}

// valueStop is the stop at what the warp is about to execute. A use that has
// been told, or that a race is the reason for, is passed over; the error is
// errAhead where that is not known.
func (k *checks) valueStop(w *warp.Warp) (st *Stop, pass bool, err error) {
	if k.values == nil {
		return nil, false, nil
	}
	f, ok := k.values.Found()
	if !ok {
		return nil, false, nil
	}
	w.T.Halt = false
	if k.told(&f) {
		return nil, true, nil
	}
	text := ""
	if f.Code == diag.Uninitialized {
		switch {
		case k.logOf != k.future():
			return nil, false, errAhead
		case k.log == nil:
			text = "whether a race is the reason has not been found out"
		case k.log.Excuses(f):
			return nil, true, nil
		}
	}
	st = k.s.stopAt(AtFinding, w, w.Active())
	st.Finding, st.Text = &f, text
	st.Thread = k.s.t.threadOf(f.Accesses[len(f.Accesses)-1].Thread)
	return st, false, nil
}

// told reports whether the last stop was at a finding, right here: detectors
// that have seen the dispatch again find it again.
func (k *checks) told(f *diag.Finding) bool {
	last := k.s.stop
	return last != nil && last.at == k.s.now() && last.Finding != nil && last.Finding.Fingerprint() == f.Fingerprint()
}

// raceStop is the stop at a race that the warp was halted at, and that has not
// been told.
func (k *checks) raceStop(w *warp.Warp) *Stop {
	if k.races == nil {
		return nil
	}
	f, ok := k.races.Race()
	if !ok {
		return nil
	}
	if k.told(&f) {
		return nil
	}
	st := k.s.stopAt(AtFinding, w, w.Active())
	st.Finding = &f
	if n := len(f.Accesses); n > 0 {
		st.Thread = k.s.t.threadOf(f.Accesses[n-1].Thread)
	}
	return st
}

// future names the course of the dispatch that follows from the changes made
// so far.
func (k *checks) future() moment {
	return moment{dispatch: k.s.number, acts: k.s.history.done}
}

// lookAhead runs the dispatch from its start to its end, looking for races, and
// comes back. The end of the command's context ends that early.
func (k *checks) lookAhead() error {
	s, now := k.s, k.s.now()
	k.logOf = k.future()
	if err := s.travel(s.startOf(now.dispatch)); err != nil {
		return err
	}
	log := racecheck.NewRaceLog(s.t.c.Machine, racecheck.Options{})
	end := s.endOf(now.dispatch)
	end.acts = now.acts
	st, err := s.replay(func() *goal { return &goal{observe: []emu.Observer{log.Observer()}, turn: s.halted} }, end)
	if k.log = log; err == nil && st != nil {
		k.log = nil
	} // an error says that the dispatch ends early, by a fault or its budget
	return s.travel(now)
}

// haltObserver notes the access that one of the observers before it halts a warp
// before, be it for a race, a value or a watchpoint: it comes again when the warp
// goes on.
type haltObserver struct{ k *checks }

// Access implements warp.MemoryObserver.
func (o haltObserver) Access(w *warp.Warp, a *warp.Access) {
	if w.T.Halt && haltsBefore(o.k.s.t.p.Code[a.PC].Code) {
		o.k.races.Again(w, a.PC)
	}
}
