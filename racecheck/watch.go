package racecheck

import (
	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/warp"
)

// Watch looks for races in a dispatch that someone else runs, such as a
// debugger: its observer observes the dispatch from its start on, and halts the
// warp whose access completes a race (see warp.Tile.Halt).
type Watch struct {
	obs observer
	opt Options
	// An access that has been shown and is to be shown again.
	again   *warp.Warp
	againPC int
}

// NewWatch makes a watch over a dispatch that is about to start.
func NewWatch(m *emu.Machine, opt Options) *Watch {
	w := &Watch{opt: opt}
	w.obs.opt, w.obs.stop, w.obs.whole = &w.opt, true, true
	w.obs.begin(m)
	return w
}

// Observer is to observe the dispatch.
func (w *Watch) Observer() emu.Observer { return watchObserver{&w.obs, w} }

// Again says that a warp has been halted before the access at pc, which has been
// shown: when it comes again, it is not looked at.
func (w *Watch) Again(x *warp.Warp, pc int) { w.again, w.againPC = x, pc }

// watchObserver is the observer of a Watch.
type watchObserver struct {
	*observer
	w *Watch
}

// Access implements warp.MemoryObserver.
func (o watchObserver) Access(w *warp.Warp, a *warp.Access) {
	if o.w.again == w && o.w.againPC == a.PC {
		o.w.again = nil
		return
	}
	o.observer.Access(w, a)
}

// Halt says whether races halt warps from now on; at first they do.
func (w *Watch) Halt(on bool) { w.obs.stop, w.obs.stopped = on, false }

// Race is the race that the watch halted a warp at since the last call, with
// the earlier access first; false if there was none.
func (w *Watch) Race() (diag.Finding, bool) {
	if !w.obs.stopped {
		return diag.Finding{}, false
	}
	w.obs.stopped = false
	return w.obs.latest, true
}
