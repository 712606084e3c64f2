package emu

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"ampdbg/tilemem"
	"ampdbg/warp"
)

// run is a dispatch that runs on one goroutine: its state, and what it runs
// with.
type run struct {
	*Machine
	opt      Options
	ctx      context.Context
	rng      *rand.Rand // what a seed chooses, drawn from state.source; nil in the canonical schedule
	order    order      // in which tiles start
	budget   uint64
	alone    uint64 // not 0: a tile runs by itself, for so many steps at most
	locks    *tilemem.Locks
	pool     *pool
	audience *audience
	stepper  *warp.Stepper // made when it is needed
	told     time.Time     // when progress was last told
	untold   uint8         // turns since the clock was read

	// code is what a warp executes, nil for what it does otherwise.
	code func(w *warp.Warp) warp.Code
	// One operation is to be executed, and has been.
	single, stepped bool
	// pause makes settle stop at a divergent barrier before it lets the threads
	// go on.
	pause bool
	ended func(t *tile) // takes a tile that has ended

	state
	tiles []*tile // resident
}

// state is what has become of a run so far, but for its tiles. What the run will
// do follows from it, them and memory.
type state struct {
	source  rand.PCG // behind run.rng
	next    uint64   // turns of run.order in which tiles have started
	end     uint64   // turns that there are
	steps   uint64
	stint   uint64 // steps since a tile has ended, or been put behind others
	quiet   int    // warps that spin without effect
	done    uint64
	stopped bool
	turns   uint64 // that have ended
	settled uint64 // 1 + the index of the tile that waits for release, 0: none

	// The turn in progress, if any, is that of the warp of tile cur that ran last.
	cur     uint64 // 1 + the tile's index, 0: none
	before  uint64 // the warp's Steps when the turn began
	limit   uint64
	probing bool // to see whether it goes round without effect
	lap     int

	findings []found
}

func newRun(ctx context.Context, m *Machine, opt Options, p *pool) *run {
	r := &run{Machine: m, opt: opt, ctx: ctx, pool: p, budget: opt.steps(), told: time.Now(), state: state{end: m.total}}
	if opt.Seed != 0 && opt.Seed != ReverseSeed {
		r.source = *rand.NewPCG(opt.Seed, 0x9e3779b97f4a7c15)
		r.rng = rand.New(&r.source)
	}
	r.order = newOrder(m.total, opt.Seed, r.rng)
	r.audience = newAudience(m, nil)
	return r
}

// clone copies a state. Nothing that either changes is shared.
func (s *state) clone() state {
	c := *s
	c.findings = slices.Clone(s.findings)
	return c
}

// resident is the resident tile with an index, nil if there is none.
func (r *run) resident(index uint64) *tile {
	for _, t := range r.tiles {
		if uint64(t.Index) == index {
			return t
		}
	}
	return nil
}

// current is the warp whose turn is in progress, with its tile; nil between
// turns.
func (r *run) current() (*tile, *warp.Warp) {
	if r.cur == 0 {
		return nil, nil
	}
	t := r.resident(r.cur - 1)
	return t, t.Warps[t.last]
}
