package racecheck

import (
	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/warp"
)

// Watch looks for races in a dispatch that someone else runs, such as a
// debugger: it is the dispatch's observer from its start on, and halts the
// warp whose access completes a race (see warp.Tile.Halt).
type Watch struct {
	obs observer
	opt Options
}

// NewWatch makes a watch over a dispatch that is about to start.
func NewWatch(m *emu.Machine, opt Options) *Watch {
	w := &Watch{opt: opt}
	w.obs.opt, w.obs.stop, w.obs.whole = &w.opt, true, true
	w.obs.begin(m)
	return w
}

// Observer is what the dispatch must have for its observer.
func (w *Watch) Observer() warp.Observer { return &w.obs }

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
