package debugger

import (
	"errors"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/racecheck"
	"ampdbg/tilemem"
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
	s       *Session
	races   *racecheck.Watch
	values  *racecheck.ValueWatch
	at      moment    // up to where they have seen the dispatch
	tracing bool      // the dispatch runs operation by operation
	shown   operation // an access that races have been shown, and that has not happened yet

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
		k.tracing = true
	}
	g.observe = k.observer(g.observe)
	if race {
		g.observe = haltObserver{g.observe, k}
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
		k.races = racecheck.NewWatch(s.t.c.Machine, racecheck.Options{})
		k.races.Halt(false)
		k.shown = operation{}
	}
	if value {
		k.values = racecheck.NewValueWatch(s.t.c.Machine, racecheck.Options{Uninitialized: s.opt.Uninitialized})
	}
	k.tracing = value
	st, err := s.replay(func() *goal { return &goal{observe: k.observer(nil), turn: s.halted} }, now)
	k.tracing = false
	if err == nil && st == nil {
		return true, nil
	}
	k.lose()
	if err == nil {
		err = s.travel(now) // drive sees the end of the context next
	}
	return false, err
}

// observer shows accesses to the detectors, and to another observer, which may
// be nil.
func (k *checks) observer(other warp.Observer) warp.Observer {
	if k.races != nil {
		other = seeBoth(&raceObserver{everyRead{k.races.Observer()}, k}, other)
	}
	if k.values != nil {
		other = seeBoth(k.values.Observer(), other)
	}
	return other
}

// lose forgets what has been seen: history has been gone back in.
func (k *checks) lose() { k.races, k.values = nil, nil }

// end ends what begin began.
func (k *checks) end() {
	k.at = k.s.now()
	k.telling, k.index = false, nil
	if k.tracing {
		k.tracing = false
		if k.values != nil {
			k.values.Halt(racecheck.Origins{})
		}
	}
}

// wantedOrigins says which values and operations the user wants to stop at.
func (s *Session) wantedOrigins() racecheck.Origins {
	return racecheck.Origins{Uninitialized: s.catch["uninit"], Undefined: s.catch["undefined"]}
}

// before follows the values of what a warp executes next, if the dispatch runs
// operation by operation. It reports whether to stop there.
func (k *checks) before(w *warp.Warp) bool { return k.tracing && k.values.Before(w) }

// valueStop is the stop at what the warp is about to execute. A use that has
// been told, or that a race is the reason for, is passed over; the error is
// errAhead where that is not known.
func (k *checks) valueStop(w *warp.Warp) (st *Stop, pass bool, err error) {
	if !k.tracing {
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
	st, err := s.replay(func() *goal { return &goal{observe: everyRead{log.Observer()}, turn: s.halted} }, end)
	if k.log = log; err == nil && st != nil {
		k.log = nil
	} // an error says that the dispatch ends early, by a fault or its budget
	return s.travel(now)
}

// everyRead is a race detector that is shown every read, so that others are,
// too: it takes down none in logs, which stay with a tile.
type everyRead struct{ warp.Observer }

// Wants implements emu.Wants.
func (o everyRead) Wants(m *tilemem.Memory) bool { return o.Observer.(emu.Wants).Wants(m) }

// TileBegin implements warp.Observer.
func (o everyRead) TileBegin(t *warp.Tile) {
	o.Observer.TileBegin(t)
	for v := range t.Views {
		t.Views[v].Reads = nil
	}
}

// raceObserver shows the race detector an access once: one that a warp has been
// halted before comes again when that goes on.
type raceObserver struct {
	everyRead
	k *checks
}

// Access implements warp.Observer.
func (o *raceObserver) Access(w *warp.Warp, a *warp.Access) {
	if o.k.shown == (operation{w, a.PC}) {
		o.k.shown = operation{}
		return
	}
	o.Observer.Access(w, a)
}

// operation is what a warp executes next.
type operation struct {
	w  *warp.Warp
	pc int
}

// haltObserver sees what all others see, and notes the access that one of them
// halts a warp before, be it for a race, a value or a watchpoint.
type haltObserver struct {
	warp.Observer
	k *checks
}

// Wants implements emu.Wants.
func (o haltObserver) Wants(m *tilemem.Memory) bool {
	wants, ok := o.Observer.(emu.Wants)
	return !ok || wants.Wants(m)
}

// Access implements warp.Observer.
func (o haltObserver) Access(w *warp.Warp, a *warp.Access) {
	o.Observer.Access(w, a)
	if w.T.Halt && haltsBefore(o.k.s.t.p.Code[a.PC].Code) {
		o.k.shown = operation{w, a.PC}
	}
}

// seeBoth is an observer of which both see everything; either may be nil.
func seeBoth(a, b warp.Observer) warp.Observer {
	if b == nil {
		return a
	}
	return both{a, b}
}

// both lets two observers see everything.
type both struct{ a, b warp.Observer }

// Wants makes all memory observed: the second observer may want any.
func (o both) Wants(*tilemem.Memory) bool { return true }

func (o both) Access(w *warp.Warp, a *warp.Access) { o.a.Access(w, a); o.b.Access(w, a) }
func (o both) Fence(w *warp.Warp, pc int)          { o.a.Fence(w, pc); o.b.Fence(w, pc) }
func (o both) Barrier(w *warp.Warp, pc int)        { o.a.Barrier(w, pc); o.b.Barrier(w, pc) }
func (o both) Released(t *warp.Tile)               { o.a.Released(t); o.b.Released(t) }
func (o both) TileBegin(t *warp.Tile)              { o.a.TileBegin(t); o.b.TileBegin(t) }
func (o both) TileEnd(t *warp.Tile)                { o.a.TileEnd(t); o.b.TileEnd(t) }
