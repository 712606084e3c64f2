package racecheck

import (
	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/warp"
)

// RaceCatch looks for races in a dispatch that someone else runs, such as a
// debugger: its observer observes the dispatch from its start on, and halts the
// warp whose access completes a race (see warp.Tile.Halt).
type RaceCatch struct {
	obs observer
	opt Options
	// An access that has been shown and is to be shown again.
	again   *warp.Warp
	againPC int
}

// NewRaceCatch looks over a dispatch that is about to start.
func NewRaceCatch(m *emu.Machine, opt Options) *RaceCatch {
	w := &RaceCatch{opt: opt}
	w.obs.opt, w.obs.stop, w.obs.whole = &w.opt, true, true
	w.obs.begin(m)
	return w
}

// Observer is to observe the dispatch.
func (w *RaceCatch) Observer() emu.Observer { return raceCatchObserver{&w.obs, w} }

// Again says that a warp has been halted before the access at pc, which has been
// shown: when it comes again, it is not looked at.
func (w *RaceCatch) Again(x *warp.Warp, pc int) { w.again, w.againPC = x, pc }

// raceCatchObserver is the observer of a RaceCatch.
type raceCatchObserver struct {
	*observer
	w *RaceCatch
}

// Access implements warp.MemoryObserver.
func (o raceCatchObserver) Access(w *warp.Warp, a *warp.Access) {
	if o.w.again == w && o.w.againPC == a.PC {
		o.w.again = nil
		return
	}
	o.observer.Access(w, a)
}

// Halt says whether races halt warps from now on; at first they do.
func (w *RaceCatch) Halt(on bool) { w.obs.stop, w.obs.stopped = on, false }

// Race is the race that it halted a warp at since the last call, with
// the earlier access first; false if there was none.
func (w *RaceCatch) Race() (diag.Finding, bool) {
	if !w.obs.stopped {
		return diag.Finding{}, false
	}
	w.obs.stopped = false
	return w.obs.latest, true
}
