package emu

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// spin is what is known of a warp that has used up its quantum, in one turn or
// in several: it is due to be probed. A probe runs it from back edge to back
// edge and keeps its state at one of them, suspect; if it comes to the same
// state again and memory has not changed in between, it will go round forever
// unless another warp writes: it is quiet then, and is not run until another
// warp has written.
type spin struct {
	due     bool
	suspect *warp.Snapshot
	quiet   bool
	ran     uint64     // thread-instructions since it was probed, or waited at a barrier
	turns   int        // times that the quantum was used up
	reads   []spinRead // what it has read since suspect
}

// spinRead is a place in memory that a spinning thread reads.
type spinRead struct {
	pc, lane   int
	view, size int
	off        int64
}

// lapObserver notes what a suspect reads, for the report.
type lapObserver struct{ sp *spin }

// maxSpinReads bounds how many places are noted for a warp.
const maxSpinReads = 4

// Access implements warp.MemoryObserver.
func (o *lapObserver) Access(_ *warp.Warp, a *warp.Access) {
	if a.Kind == warp.Write || len(o.sp.reads) == maxSpinReads {
		return
	}
	l := a.Mask.First()
	r := spinRead{pc: a.PC, lane: l, view: int(a.View[l]), size: a.Width, off: a.Off[l]}
	for _, known := range o.sp.reads {
		if known.view == r.view && known.off == r.off {
			return
		}
	}
	o.sp.reads = append(o.sp.reads, r)
}

// A probe takes at least minLaps back edges, and more the longer the warp runs:
// a loop with loops inside comes round to its state late.
const (
	minLaps = 1 << 8
	maxLaps = 1 << 16
)

// laps is how many back edges the next probe may take.
func (sp *spin) laps() int { return max(minLaps, min(minLaps*sp.turns/8, maxLaps)) }

// suspect counts what a turn of w has executed, and makes it due to be probed
// when it has used up its quantum: each time at first, then four times while
// what it has executed doubles, so that a loop that does useful work is hardly
// slower for it.
func (t *tile) suspect(w *warp.Warp, steps uint64) {
	sp := &t.spins[w.Index]
	if sp.ran += steps; sp.ran < t.quantum(w) {
		return
	}
	sp.ran = 0
	sp.turns++
	sp.due = sp.turns&(1<<max(bits.Len(uint(sp.turns))-3, 0)-1) == 0
}

// quantum is how many thread-instructions w executes in a turn.
func (t *tile) quantum(w *warp.Warp) uint64 {
	return min(uint64(minQuantum)<<min(t.spins[w.Index].turns, 32), maxQuantum) * uint64(w.Lanes)
}

// progress makes quiet warps run again: memory may have changed.
func (r *run) progress() {
	if r.quiet == 0 {
		return
	}
	r.quiet = 0
	for _, t := range r.tiles {
		for i := range t.spins {
			t.spins[i].quiet = false
		}
	}
}

// beginProbe starts a turn that runs a warp from back edge to back edge,
// watching memory, to see whether it comes to the same state again.
func (r *run) beginProbe() {
	t, w := r.current()
	sp := &t.spins[w.Index]
	r.probing, r.lap, sp.reads = true, 0, sp.reads[:0]
	t.Changed = false
	r.show(t)
	w.Countdown = -1
	if sp.suspect != nil && !w.Same(sp.suspect) {
		sp.suspect = nil // a debugger has changed it
	}
}

// probe runs the turn of a warp that may spin.
func (r *run) probe() warp.Status {
	t, w := r.current()
	sp := &t.spins[w.Index]
	st := warp.Yielded
	for laps := sp.laps(); r.lap < laps; {
		// A warp that stopped at a Break goes on to the same back edge.
		if st = r.runWarp(w, w.Steps); st == warp.AtBreak {
			return st
		}
		if st != warp.Yielded || t.Changed {
			break
		}
		if sp.suspect != nil && w.Same(sp.suspect) {
			sp.quiet = true
			r.quiet++
			break
		}
		// Its turn before may have ended between two back edges, and the first
		// states of a loop need not come again: now and then a later one is
		// waited for.
		if r.lap++; r.lap&(r.lap-1) == 0 {
			sp.suspect, sp.reads = w.Snapshot(), sp.reads[:0]
		}
	}
	r.endProbe()
	if !sp.quiet {
		sp.due, sp.suspect = false, nil
		r.progress()
	}
	return st
}

func (r *run) endProbe() {
	t, _ := r.current()
	r.probing = false
	r.show(t)
}

// stuck adds the finding that no thread can go on. It is a deadlock if threads
// wait at a tile barrier, or are to come to one: whether they have yet depends
// on how wide warps are, since the lanes of one wait to reconverge first.
func (r *run) stuck() {
	f := diag.Finding{Code: diag.Livelock, Kernel: r.Entry.Name}
	waits, barrier := false, false
	for _, t := range r.tiles {
		for _, p := range r.parties(t) {
			waits, barrier = waits || p.waits, barrier || p.barrier
			f.Parties = addParty(f.Parties, p.Party)
		}
	}
	if barrier {
		f.Code = diag.Deadlock
	}
	f.Message = "no thread can go on: those that run repeat the same steps, and no thread is left to change what they wait for"
	if waits {
		f.Message = "no thread can go on: some wait for threads that spin, and those spin on memory that no thread is left to change"
	}
	for _, t := range r.tiles {
		f.Notes = r.spinNotes(t, f.Notes)
	}
	if n := r.total - r.next; n > 0 {
		f.Notes = append(f.Notes, diag.Note{Msg: fmt.Sprintf("%d of %d tiles have not started; nothing promises that they would run beside the %d that spin", n, r.total, len(r.tiles))})
	}
	f.Severity = diag.DefaultSeverity(f.Code, "")
	for i := range f.Parties {
		if f.Parties[i].Pos.IsValid() {
			f.Pos = f.Parties[i].Pos
			break
		}
	}
	r.findings = append(r.findings, found{Finding: f})
}

// addParty appends p, or counts its threads with those of another tile that do
// the same at the same place.
func addParty(parties []diag.Party, p diag.Party) []diag.Party {
	for i := range parties {
		q := &parties[i]
		if q.What == p.What && q.Pos == p.Pos && q.ID == p.ID && q.First.Tile != p.First.Tile {
			if !strings.HasSuffix(q.Who, ", and others") {
				q.Who += ", and others"
			}
			q.Count += p.Count
			return parties
		}
	}
	if len(parties) == maxParties {
		return parties
	}
	return append(parties, p)
}

// spinNotes appends what the spinning threads of t read in vain, once for each
// place in the source and element.
func (m *Machine) spinNotes(t *tile, notes []diag.Note) []diag.Note {
	for i, w := range t.Warps {
		for _, r := range t.spins[i].reads {
			v := &t.Views[max(r.view, 0)]
			if !t.spins[i].quiet || len(notes) == maxParties || !tilemem.InBounds(v.Data, r.off, int64(r.size)) {
				continue
			}
			value := ""
			if r.size <= 8 && m.Views[r.view].Image == nil {
				value = fmt.Sprintf(", which holds %d", tilemem.LoadWord(v.Data, r.off, r.size))
			}
			what := fmt.Sprintf(" reads %s%s", m.Element(r.view, r.off), value)
			pos := m.pos(r.pc)
			if slices.ContainsFunc(notes, func(n diag.Note) bool { return n.Pos == pos && strings.HasSuffix(n.Msg, what) }) {
				continue
			}
			notes = append(notes, diag.Note{Pos: pos, Msg: Thread(w, r.lane).String() + what})
		}
	}
	return notes
}

// maxParties bounds how many groups of threads a finding lists.
const maxParties = 32

func budgetMessage(steps uint64, w *warp.Warp) string {
	return fmt.Sprintf("the budget of %d thread-instructions is used up; %s was running", steps, Thread(w, max(w.Active().First(), 0)).Place())
}
