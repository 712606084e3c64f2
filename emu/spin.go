package emu

import (
	"fmt"
	"slices"
	"strings"

	"ampdbg/diag"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// spin is what is known of a warp that has used up its quantum. suspect is
// its state at a back edge; if it comes to the same state again and memory
// has not changed in between, it will go round forever unless another warp
// writes: it is quiet then, and is not run until another warp has run.
type spin struct {
	suspect *warp.Snapshot
	quiet   bool
	turns   int        // turns that ended because the quantum was used up
	reads   []spinRead // what it read on its last lap
}

// spinRead is a place in memory that a spinning thread reads.
type spinRead struct {
	pc, lane   int
	view, size int
	off        int64
}

// lapObserver notes what a suspect reads, for the report.
type lapObserver struct {
	warp.Observer // the tile's own, may be nil
	sp            *spin
}

// maxSpinReads bounds how many places are noted for a warp.
const maxSpinReads = 4

func (o *lapObserver) Access(w *warp.Warp, a *warp.Access) {
	if o.Observer != nil {
		o.Observer.Access(w, a)
	}
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

func (o *lapObserver) Fence(w *warp.Warp, pc int) {
	if o.Observer != nil {
		o.Observer.Fence(w, pc)
	}
}

func (o *lapObserver) Barrier(w *warp.Warp, pc int) {
	if o.Observer != nil {
		o.Observer.Barrier(w, pc)
	}
}

// laps is how many back edges a suspect may take to come to its state again.
const laps = 256

func (s *schedule) suspect(t *tile, w *warp.Warp) {
	sp := &t.spins[w.Index]
	sp.suspect = w.Snapshot()
	sp.turns++
}

// quantum is how many thread-instructions w executes in a turn.
func (t *tile) quantum(w *warp.Warp) uint64 {
	return min(uint64(minQuantum)<<min(t.spins[w.Index].turns, 32), maxQuantum) * uint64(w.Lanes)
}

// progress makes quiet warps run again: memory may have changed.
func (s *schedule) progress() {
	if s.quiet == 0 {
		return
	}
	s.quiet = 0
	for _, t := range s.tiles {
		for i := range t.spins {
			t.spins[i].quiet = false
		}
	}
}

// beginProbe starts a turn that runs a suspect from back edge to back edge,
// watching memory, to see whether it comes to the same state again.
func (s *schedule) beginProbe() {
	t, w := s.cur, s.warp
	sp := &t.spins[w.Index]
	s.probing, s.lap = true, 0
	s.m.setSlow(t, true)
	t.WatchChanges, t.Changed = true, false
	t.Obs = &lapObserver{s.m.opt.Observer, sp}
	if !w.Same(sp.suspect) {
		// Another schedule of the same warp came in between.
		sp.suspect = w.Snapshot()
	}
}

// probe runs the turn of a suspect.
func (s *schedule) probe() warp.Status {
	t, w := s.cur, s.warp
	sp := &t.spins[w.Index]
	st := warp.Yielded
	for ; s.lap < laps; s.lap++ {
		sp.reads = sp.reads[:0]
		// A warp that stopped at a Break goes on to the same back edge.
		if st = s.m.runWarp(w, w.Steps); st == warp.AtBreak {
			return st
		}
		if st != warp.Yielded || t.Changed {
			break
		}
		if w.Same(sp.suspect) {
			sp.quiet = true
			s.quiet++
			break
		}
	}
	s.endProbe()
	if !sp.quiet {
		sp.suspect = nil
		s.progress()
	}
	return st
}

func (s *schedule) endProbe() {
	s.probing = false
	s.cur.WatchChanges = false
	s.cur.Obs = s.m.opt.Observer
	s.m.setSlow(s.cur, false)
}

// stuck adds the finding that no thread can go on.
func (m *Machine) stuck(s *schedule) {
	f := diag.Finding{Code: diag.Livelock, Kernel: m.Entry.Name}
	waits := false
	for _, t := range s.tiles {
		for _, p := range m.parties(t) {
			waits = waits || p.waits
			f.Parties = addParty(f.Parties, p.Party)
		}
	}
	f.Message = "no thread can go on: those that run repeat the same steps, and no thread is left to change what they wait for"
	if waits {
		f.Code = diag.Deadlock
		f.Message = "no thread can go on: some wait for threads that spin, and those spin on memory that no thread is left to change"
	}
	for _, t := range s.tiles {
		f.Notes = m.spinNotes(t, f.Notes)
	}
	if n := m.total - s.next; n > 0 {
		f.Notes = append(f.Notes, diag.Note{Msg: fmt.Sprintf("%d of %d tiles have not started; nothing promises that they would run beside the %d that spin", n, m.total, len(s.tiles))})
	}
	f.Severity = diag.DefaultSeverity(f.Code, "")
	for i := range f.Parties {
		if f.Parties[i].Pos.IsValid() {
			f.Pos = f.Parties[i].Pos
			break
		}
	}
	m.findings = append(m.findings, found{Finding: f})
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
	return fmt.Sprintf("the budget of %d thread-instructions is used up; thread %v was running", steps, w.GlobalID(max(w.Active().First(), 0)))
}
