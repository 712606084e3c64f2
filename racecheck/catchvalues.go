package racecheck

import (
	"ampdbg/diag"
	"ampdbg/emu"
)

// ValueCatch looks for uses of values that come from nowhere, and for
// operations without a defined result, in a dispatch that someone else runs,
// such as a debugger: what a check reports, where it happens. Its observer must
// see the dispatch from its start on. Each variable, and each operation, is found
// once.
type ValueCatch struct{ t *tracer }

// Origins says which of them are told.
type Origins struct {
	Uninitialized bool // uses of memory that no one wrote, and of OpUndef
	Undefined     bool // operations without a defined result
}

// NewValueCatch looks over a dispatch that is about to start.
func NewValueCatch(m *emu.Machine, opt Options) *ValueCatch {
	return &ValueCatch{newTracer(m, &opt)}
}

// Observer is to observe the dispatch. It may halt a warp before an operation that
// does what Found tells about (see warp.Tile.Halt).
func (w *ValueCatch) Observer() emu.Observer { return w.t }

// Halt says what is told, and warps halted at, from now on.
func (w *ValueCatch) Halt(at Origins) { w.t.halting, w.t.latest = at, nil }

// Found is what has been found since the last call, for a value from memory
// with its read as the first access; false if there was nothing.
func (w *ValueCatch) Found() (diag.Finding, bool) {
	f := w.t.latest
	if w.t.latest = nil; f == nil {
		return diag.Finding{}, false
	}
	return *f, true
}

// RaceLog collects the races of a dispatch that someone else runs, to tell
// which reads of memory that no one wrote are the races' doing: the write came
// too late. A check leaves those out.
type RaceLog struct {
	obs observer
	opt Options
}

// NewRaceLog makes a log of a dispatch that is about to start.
func NewRaceLog(m *emu.Machine, opt Options) *RaceLog {
	r := &RaceLog{opt: opt}
	r.obs.opt = &r.opt
	r.obs.begin(m)
	return r
}

// Observer is to observe the dispatch from its start on.
func (r *RaceLog) Observer() emu.Observer { return &r.obs }

// Excuses reports whether a race that has been seen is the reason for a
// finding.
func (r *RaceLog) Excuses(f diag.Finding) bool {
	return len(withoutRacyReads(append(r.obs.findings(), f))) == len(r.obs.findings())
}
