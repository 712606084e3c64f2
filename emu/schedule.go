package emu

import (
	"context"
	"fmt"
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
	// Beyond manyWarps resident ones, a seed's choice does not look at all of them.
	manyWarps = 1 << 10
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

// The canonical schedule runs tile after tile, and in a tile warp after warp,
// each until it waits at a barrier or its quantum is used up; a further tile
// starts early only when no thread of the resident ones can go on without it,
// or they have gone on for long (see patience).
// A seed other than 0 starts tiles in another order, keeps several resident and
// switches between warps at random visible operations.

// toEnd runs all tiles.
func (r *run) toEnd() error {
	for !r.stopped {
		if _, ok := r.advance(); !ok {
			return nil
		}
		if r.ctx.Err() != nil {
			return r.interrupted()
		}
		if ended, err := r.resume(); err != nil {
			return err
		} else if !ended {
			r.stopped = true // an observer halted the warp
		}
	}
	return nil
}

// advance begins the next turn, and starts tiles as need be. It reports false
// if there is none, and why.
func (r *run) advance() (Event, bool) {
	want := 1
	if r.rng != nil {
		want = 4
	}
	for {
		for len(r.tiles) < want && r.next < r.end {
			r.admit()
		}
		if len(r.tiles) == 0 {
			return Ended, false
		}
		if t, w := r.pick(); w != nil {
			r.begin(t, w)
			return 0, true
		}
		if r.next < r.end && r.room() {
			r.admit()
			continue
		}
		if r.anyHeld() {
			return HeldUp, false
		}
		r.stopped = true
		if r.alone == 0 { // else it waits for another tile
			r.stuck()
		}
		return Failed, false
	}
}

// anyHeld reports whether a debugger keeps a thread from going on.
func (r *run) anyHeld() bool {
	for _, t := range r.tiles {
		for i, w := range t.Warps {
			if t.held[i] && w.Status() != warp.Finished || !w.Frozen().IsZero() {
				return true
			}
		}
	}
	return false
}

// room reports whether another tile may become resident.
func (r *run) room() bool {
	p := r.Program
	bytes := p.Rows * p.Stride * 8 * len(r.tiles[0].Warps)
	return len(r.tiles) < maxResident && (len(r.tiles)+1)*bytes <= maxResidentBytes
}

func (r *run) admit() {
	t := r.newTile(r.opt.Swap.tile(r.Dispatch.Groups, r.order.at(r.next)))
	t.last = r.opt.Swap.warp(t, t.last)
	r.next++
	r.tiles = append(r.tiles, t)
	for _, o := range r.audience.tiles {
		o.TileBegin(&t.Tile)
	}
	r.show(t)
}

// pick chooses the warp that runs next, nil if every one is blocked, finished
// or spinning without effect.
func (r *run) pick() (*tile, *warp.Warp) {
	if r.rng != nil {
		if n := len(r.tiles[0].Warps) * len(r.tiles); n > manyWarps {
			// Most turns find one of many at once.
			for range 64 {
				i := r.rng.IntN(n)
				if t := r.tiles[i%len(r.tiles)]; t.ready(i / len(r.tiles)) {
					return t, t.Warps[i/len(r.tiles)]
				}
			}
		}
		n := 0
		var tt *tile
		var ww *warp.Warp
		for _, t := range r.tiles {
			for i, w := range t.Warps {
				if t.ready(i) {
					n++
					if r.rng.IntN(n) == 0 {
						tt, ww = t, w
					}
				}
			}
		}
		return tt, ww
	}
	for _, t := range r.tiles {
		if i := t.last + 1; i < len(t.Warps) && r.opt.Seed != ReverseSeed && r.opt.Swap == nil && t.ready(i) {
			return t, t.Warps[i]
		}
		for k := range t.Warps {
			i := r.opt.Swap.warp(t, (r.opt.Swap.warp(t, t.last)+1+k)%len(t.Warps))
			if r.opt.Seed == ReverseSeed {
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

// interrupted is the error of a dispatch whose context has ended.
func (r *run) interrupted() error {
	_, w := r.current()
	return &launch.Interrupted{Pos: r.pos(w.PC), Err: context.Cause(r.ctx), Where: fmt.Sprintf(
		"%d of %d tiles of the dispatch had ended, and a warp of tile %s was here", r.done, r.total, diag.Triple(w.T.ID))}
}

// begin starts the turn of a warp.
func (r *run) begin(t *tile, w *warp.Warp) {
	t.last = w.Index
	r.cur, r.before = 1+uint64(t.Index), w.Steps
	if t.spins[w.Index].due {
		r.beginProbe()
		return
	}
	t.Changed = false
	n := min(t.quantum(w), r.budget-r.steps)
	if r.rng != nil {
		n = min(n, 4096)
		w.Countdown = r.rng.IntN(24)
	}
	r.limit = w.Steps + n
}

// resume runs the turn in progress to its end, and does what follows from how
// it ended. It reports false if the warp came to a Break: the turn goes on
// with the next call.
func (r *run) resume() (ended bool, err error) {
	t, w := r.current()
	var st warp.Status
	if r.probing {
		if st = r.probe(); st == warp.AtBreak {
			return false, nil
		}
	} else {
		if st = r.runWarp(w, r.limit); st == warp.AtBreak {
			return false, nil
		}
		if t.Changed {
			r.progress()
		}
		if st == warp.Yielded {
			t.suspect(w, w.Steps-r.before)
		}
	}
	r.steps += w.Steps - r.before
	r.stint += w.Steps - r.before
	r.cur = 0
	r.turns++
	switch st {
	case warp.Conflict:
		r.stopped = true
		return true, nil
	case warp.Faulted:
		r.findings = append(r.findings, found{Finding: r.Fault(w, w.Fault)})
		r.stopped = true
		return true, nil
	case warp.Blocked, warp.Finished:
		t.spins[w.Index].ran = 0
		if st == warp.Blocked {
			t.arrive(w)
		}
		if t.idle++; t.idle == len(t.Warps) {
			r.settle(t)
		}
	}
	if r.steps >= r.budget {
		return true, &diag.Error{Class: diag.Budget, Pos: r.pos(w.PC), Msg: budgetMessage(r.opt.steps(), w)}
	}
	if n := uint64(len(r.tiles)); r.alone > 0 && r.stint > r.alone {
		r.stopped = true // it may wait for another tile
	} else if r.alone == 0 && r.stint > patience*n*n {
		r.putBehind(t)
	}
	r.tell()
	return true, nil
}

// putBehind lets other tiles come before t, one that has not started included.
func (r *run) putBehind(t *tile) {
	r.stint = 0
	if r.next < r.end && r.room() {
		r.admit()
	}
	if i := slices.Index(r.tiles, t); i >= 0 {
		r.tiles = append(slices.Delete(r.tiles, i, i+1), t)
	}
}

// settle completes the barrier, or the tile, when none of its warps can run.
func (r *run) settle(t *tile) {
	if t.arrived == len(t.Warps) { // nearly always
		t.outOfStep = false
		r.release(t)
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
		r.checkBarrier(t)
		if r.pause && t.outOfStep && !astray {
			r.settled = 1 + uint64(t.Index)
			return
		}
		r.release(t)
		return
	}
	for _, o := range r.audience.tiles {
		o.TileEnd(&t.Tile)
	}
	for i, x := range r.tiles {
		if x == t {
			r.tiles = append(r.tiles[:i], r.tiles[i+1:]...)
			break
		}
	}
	if r.ended != nil {
		r.ended(t)
	} else {
		r.pool.give(t)
	}
	r.done++
	r.stint = 0
}

// release lets the threads that wait at barriers of t go on.
func (r *run) release(t *tile) {
	t.idle, t.arrived = 0, 0
	for i, w := range t.Warps {
		t.met[i] = meeting{-1, 0}
		if w.Release(); w.Status() == warp.Finished {
			t.idle++
		} else {
			t.met[i] = meeting{w.PC, w.Steps}
		}
	}
	for _, o := range r.audience.releases {
		o.Released(&t.Tile)
	}
}

// tell reports progress about ten times a second.
func (r *run) tell() {
	f := r.opt.Progress
	if r.untold++; f == nil || r.untold%32 != 0 { // reading the clock takes as long as a short turn
		return
	}
	if now := time.Now(); now.Sub(r.told) > 100*time.Millisecond {
		r.told = now
		f(Progress{Tiles: r.done, TilesTotal: r.total, Steps: r.steps})
	}
}
