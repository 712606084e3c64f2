package racecheck

import (
	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/warp"
)

// UninitWatch looks for uses of values that come from nowhere in a dispatch
// that someone else runs operation by operation, such as a debugger. Its
// observer must see the dispatch from its start on, and Before must be called
// before every operation. Each variable is found once.
type UninitWatch struct{ t *tracer }

// NewUninitWatch makes a watch over a dispatch that is about to start.
func NewUninitWatch(m *emu.Machine, opt Options) *UninitWatch {
	return &UninitWatch{newTracer(m, &opt)}
}

// Observer is what the dispatch must have for its observer. While Halting is
// on, it halts a warp before a store of such a value (see warp.Tile.Halt).
func (w *UninitWatch) Observer() warp.Observer { return w.t }

// Halting says whether uses are told and warps halted at them from now on.
func (w *UninitWatch) Halting(on bool) { w.t.halting, w.t.latest = on, nil }

// Before follows the values of the operation that a warp executes next. It
// reports whether that uses one which Found tells about.
func (w *UninitWatch) Before(x *warp.Warp) bool {
	w.t.before(x, x.PC, &w.t.m.Program.Code[x.PC])
	if w.t.latest != nil {
		x.T.Halt = false
	}
	return w.t.latest != nil
}

// Found is the use found since the last call, with the read of the value as
// the first access; false if there was none.
func (w *UninitWatch) Found() (diag.Finding, bool) {
	f := w.t.latest
	if w.t.latest = nil; f == nil {
		return diag.Finding{}, false
	}
	return *f, true
}
