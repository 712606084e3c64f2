package emu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/warp"
)

const (
	// A warp executes minQuantum instructions before others get their turn, and
	// twice as many each time it comes to the end of them, up to maxQuantum.
	minQuantum = 1 << 12
	maxQuantum = 1 << 16
	// maxResident is how many tiles may be resident while all of them wait for
	// something: beyond that the rest do not start.
	maxResident = 4096
	// maxResidentBytes bounds the memory of resident tiles likewise.
	maxResidentBytes = 512 << 20
	// patience is how many instructions n resident tiles execute, times n
	// squared, without one of them ending, before another tile comes first. One
	// that waits, and counts how long, never does the same thing twice, but what
	// it waits for may be a tile's that has not started.
	patience = 1 << 20
	// Likewise for a tile that runs at the same time as others, on a schedule of
	// its own: then all run in order, which costs the more the longer tiles are.
	// Without atomics it is hardly another that it waits for.
	patienceAlone, patienceAtomic = 1 << 30, 1 << 26
)

// schedule runs the tiles of a dispatch on one goroutine.
//
// The canonical schedule runs tile after tile, and in a tile warp after warp,
// each until it waits at a barrier or its quantum is used up; a further tile
// starts early only when no thread of the resident ones can go on without it,
// or they have gone on for long (see patience).
// A seed other than 0 starts tiles in another order, keeps several resident and
// switches between warps at random visible operations.
type schedule struct {
	m        *Machine
	ctx      context.Context
	reverse  bool       // see ReverseSeed
	rng      *rand.Rand // nil in the canonical schedule
	tiles    []*tile    // resident
	next     uint64     // tiles that have started
	order    order      // in which they do
	steps    uint64
	alone    uint64 // not 0: tiles run by themselves, for so many steps at most
	stint    uint64 // steps since a tile has ended, or been put behind others
	quiet    int    // warps that spin without effect
	budget   uint64
	done     uint64
	stopped  bool
	conflict bool
	told     time.Time // when progress was last told

	// The turn in progress, if any.
	cur     *tile
	warp    *warp.Warp
	before  uint64 // its Steps when the turn began
	limit   uint64
	probing bool // to see whether it goes round without effect
	lap     int
	turns   uint64 // turns that have ended

	src *rand.PCG // behind rng

	audience *audience
	// code is what a warp executes, nil for the machine's.
	code            func(w *warp.Warp) warp.Code
	single, stepped bool // one operation is to be executed, and has been

	// pause makes settle stop at a divergent barrier before it lets the threads
	// go on.
	pause   bool
	settled *tile // waits for release
	ended   func(t *tile)
}

func newSchedule(m *Machine, ctx context.Context) *schedule {
	s := &schedule{m: m, ctx: ctx, budget: m.opt.steps(), told: time.Now()}
	s.reverse = m.opt.Seed == ReverseSeed
	if m.opt.Seed != 0 && !s.reverse {
		s.src = rand.NewPCG(m.opt.Seed, 0x9e3779b97f4a7c15)
		s.rng = rand.New(s.src)
	}
	s.order = newOrder(m.total, m.opt.Seed, s.rng)
	s.audience = newAudience(m, nil)
	return s
}

// run runs all tiles.
func (s *schedule) run() error {
	want := 1
	if s.rng != nil {
		want = 4
	}
	for !s.stopped {
		for len(s.tiles) < want && s.next < s.m.total {
			s.admit()
		}
		if len(s.tiles) == 0 {
			return nil
		}
		t, w := s.pick()
		if w == nil {
			if s.next < s.m.total && s.room() {
				s.admit()
				continue
			}
			s.m.stuck(s)
			s.stopped = true
			break
		}
		if err := s.turn(t, w); err != nil {
			return err
		}
	}
	return nil
}

// room reports whether another tile may become resident.
func (s *schedule) room() bool {
	p := s.m.Program
	bytes := p.Rows * p.Stride * 8 * len(s.tiles[0].Warps)
	return len(s.tiles) < maxResident && (len(s.tiles)+1)*bytes <= maxResidentBytes
}

func (s *schedule) admit() {
	t := s.m.newTile(s.m.opt.Swap.tile(s.m.Dispatch.Groups, s.order.at(s.next)))
	t.last = s.m.opt.Swap.warp(t, t.last)
	s.next++
	s.tiles = append(s.tiles, t)
	for _, o := range s.audience.tiles {
		o.TileBegin(&t.Tile)
	}
	s.show(t)
}

// pick chooses the warp that runs next, nil if every one is blocked, finished
// or spinning without effect.
func (s *schedule) pick() (*tile, *warp.Warp) {
	if s.rng != nil {
		n := 0
		var tt *tile
		var ww *warp.Warp
		for _, t := range s.tiles {
			for i, w := range t.Warps {
				if t.ready(i) {
					n++
					if s.rng.IntN(n) == 0 {
						tt, ww = t, w
					}
				}
			}
		}
		return tt, ww
	}
	for _, t := range s.tiles {
		if i := t.last + 1; i < len(t.Warps) && !s.reverse && s.m.opt.Swap == nil && t.ready(i) {
			return t, t.Warps[i]
		}
		for k := range t.Warps {
			i := s.m.opt.Swap.warp(t, (s.m.opt.Swap.warp(t, t.last)+1+k)%len(t.Warps))
			if s.reverse {
				i = (t.last - k + len(t.Warps)) % len(t.Warps)
			}
			if t.ready(i) {
				return t, t.Warps[i]
			}
		}
	}
	return nil, nil
}

// ready reports whether warp i can do something that it has not proved to be
// without effect.
func (t *tile) ready(i int) bool {
	st := t.Warps[i].Status()
	return st != warp.Finished && st != warp.Blocked && !t.spins[i].quiet && !t.held[i]
}

// turn lets a warp run, and does what follows from how its run ended.
func (s *schedule) turn(t *tile, w *warp.Warp) error {
	if s.ctx.Err() != nil {
		return s.interrupted(w)
	}
	s.begin(t, w)
	ended, err := s.resume()
	if !ended && err == nil {
		s.stopped = true // an observer halted the warp
	}
	return err
}

// interrupted is the error of a dispatch whose context has ended, when it was
// the turn of w.
func (s *schedule) interrupted(w *warp.Warp) error {
	return &launch.Interrupted{Pos: s.m.pos(w.PC), Err: context.Cause(s.ctx), Where: fmt.Sprintf(
		"%d of %d tiles of the dispatch had ended, and a warp of tile %s was here", s.done, s.m.total, diag.Triple(w.T.ID))}
}

// begin starts the turn of a warp.
func (s *schedule) begin(t *tile, w *warp.Warp) {
	t.last = w.Index
	s.cur, s.warp, s.before = t, w, w.Steps
	if t.spins[w.Index].due {
		s.beginProbe()
		return
	}
	t.Changed = false
	n := min(t.quantum(w), s.budget-s.steps)
	if s.rng != nil {
		n = min(n, 4096)
		w.Countdown = s.rng.IntN(24)
	}
	s.limit = w.Steps + n
}

// resume runs the turn in progress to its end, and does what follows from how
// it ended. It reports false if the warp came to a Break: the turn goes on
// with the next call.
func (s *schedule) resume() (ended bool, err error) {
	t, w := s.cur, s.warp
	var st warp.Status
	if s.probing {
		if st = s.probe(); st == warp.AtBreak {
			return false, nil
		}
	} else {
		if st = s.runWarp(w, s.limit); st == warp.AtBreak {
			return false, nil
		}
		if t.Changed {
			s.progress()
		}
		if st == warp.Yielded {
			t.suspect(w, w.Steps-s.before)
		}
	}
	s.steps += w.Steps - s.before
	s.stint += w.Steps - s.before
	s.cur, s.warp = nil, nil
	s.turns++
	switch st {
	case warp.Conflict:
		s.conflict = true
		return true, nil
	case warp.Faulted:
		s.m.addFault(w)
		s.stopped = true
		return true, nil
	case warp.Blocked, warp.Finished:
		t.spins[w.Index].ran = 0
		if st == warp.Blocked {
			t.arrive(w)
		}
		if t.idle++; t.idle == len(t.Warps) {
			s.settle(t)
		}
	}
	if s.steps >= s.budget {
		return true, &diag.Error{Class: diag.Budget, Pos: s.m.pos(w.PC), Msg: budgetMessage(s.m.opt.steps(), w)}
	}
	if n := uint64(len(s.tiles)); s.alone > 0 && s.stint > s.alone {
		s.stopped = true // it may wait for another tile
	} else if s.alone == 0 && s.stint > patience*n*n {
		s.putBehind(t)
	}
	s.tell()
	return true, nil
}

// putBehind lets other tiles come before t, one that has not started included.
func (s *schedule) putBehind(t *tile) {
	s.stint = 0
	if s.next < s.m.total && s.room() {
		s.admit()
	}
	if i := slices.Index(s.tiles, t); i >= 0 {
		s.tiles = append(slices.Delete(s.tiles, i, i+1), t)
	}
}

// settle completes the barrier, or the tile, when none of its warps can run.
func (s *schedule) settle(t *tile) {
	if t.arrived == len(t.Warps) { // nearly always
		t.outOfStep = false
		s.release(t)
		return
	}
	finished := true
	for _, w := range t.Warps {
		switch w.Status() {
		case warp.Finished:
		case warp.Blocked:
			finished = false
		default:
			return
		}
		if !w.Frozen().IsZero() {
			return
		}
	}
	if !finished {
		astray := t.outOfStep
		s.m.checkBarrier(t)
		if s.pause && t.outOfStep && !astray {
			s.settled = t
			return
		}
		s.release(t)
		return
	}
	for _, o := range s.audience.tiles {
		o.TileEnd(&t.Tile)
	}
	for i, x := range s.tiles {
		if x == t {
			s.tiles = append(s.tiles[:i], s.tiles[i+1:]...)
			break
		}
	}
	if s.ended != nil {
		s.ended(t)
	} else {
		s.m.release(t)
	}
	s.done++
	s.stint = 0
}

// release lets the threads that wait at barriers of t go on.
func (s *schedule) release(t *tile) {
	t.idle, t.arrived = 0, 0
	for i, w := range t.Warps {
		t.met[i] = meeting{-1, 0}
		if w.Release(); w.Status() == warp.Finished {
			t.idle++
		} else {
			t.met[i] = meeting{w.PC, w.Steps}
		}
	}
	for _, o := range s.audience.releases {
		o.Released(&t.Tile)
	}
}

// tell reports progress about ten times a second.
func (s *schedule) tell() {
	f := s.m.opt.Progress
	if f == nil {
		return
	}
	if now := time.Now(); now.Sub(s.told) > 100*time.Millisecond {
		s.told = now
		f(Progress{Tiles: s.done, TilesTotal: s.m.total, Steps: s.steps})
	}
}
