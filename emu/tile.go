package emu

import (
	"slices"

	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// tile is a resident tile. Everything about it is made anew with it, so that
// nothing of an earlier tile (its observer, what that hung on it, its logs)
// can reach into its life. Only its storage is used again.
type tile struct {
	warp.Tile
	*storage
	tileState
}

// tileState is what the schedule knows of a tile.
type tileState struct {
	last int // the warp that ran last
	idle int // warps that are blocked or finished
	// arrived counts the warps that wait at the barrier that place and instance
	// tell, each with all its threads.
	arrived  int
	place    int
	instance uint64
	// outOfStep says that the threads did not meet at the last barrier.
	outOfStep bool
	spins     []spin // by warp
	held      []bool // by warp: a debugger lets it not run
	met       []meeting
}

// clone copies what is known of a tile. Nothing that either changes is shared.
func (s *tileState) clone() tileState {
	c := *s
	c.spins, c.held, c.met = slices.Clone(s.spins), slices.Clone(s.held), slices.Clone(s.met)
	for i := range c.spins {
		c.spins[i].reads = slices.Clone(c.spins[i].reads) // snapshots do not change
	}
	return c
}

// storage is the memory of a tile, which goes from one that has ended to the
// next. newTile writes all of it.
type storage struct {
	mem   []byte // tile_static memory
	views []tilemem.View
	warps []*warp.Warp
	state tileState // for its slices
}

// pool keeps the storage of tiles of a program that have ended.
type pool struct {
	program *program.Program
	free    []*storage
}

// give puts the storage of a tile into the pool.
func (p *pool) give(t *tile) { p.free = append(p.free, t.storage) }

// meeting is where a warp was let go on from a barrier: while it is there, it
// has done nothing since.
type meeting struct {
	pc    int
	steps uint64
}

// arrive notes that w waits at a barrier.
func (t *tile) arrive(w *warp.Warp) {
	a, whole := w.Meets()
	if !whole {
		return
	}
	if t.arrived == 0 {
		t.place, t.instance = a.PC, a.Key
	}
	if t.place == a.PC && t.instance == a.Key {
		t.arrived++
	}
}

// newTile makes the index-th tile of the grid, at the start of the kernel.
func (r *run) newTile(index uint64) *tile {
	var st *storage
	if n := len(r.pool.free); n > 0 {
		st, r.pool.free = r.pool.free[n-1], r.pool.free[:n-1]
	} else {
		st = r.makeStorage()
	}
	g := r.Dispatch.Groups
	t := &tile{storage: st, tileState: tileState{last: len(st.warps) - 1, spins: st.state.spins, held: st.state.held, met: st.state.met}, Tile: warp.Tile{
		Index: int(index), Groups: g,
		ID:     spirv.Extent(g).At(index),
		Images: r.res.slots, Views: st.views, Warps: st.warps,
		Robust: r.opt.Robust || r.Dispatch.Robust, Locks: r.locks, Undefined: r.opt.Undefined, Used: r.opt.Used,
	}}
	clear(t.mem)
	copy(t.Views, r.res.views)
	for _, v := range r.res.tileViews {
		t.Views[v.view].Data = t.mem[v.off : v.off+v.size : v.off+v.size]
	}
	if f := r.opt.OnFault; f != nil {
		t.OnFault = func(w *warp.Warp, fault *warp.Fault) bool { return f(r.Machine, w, fault) }
	}
	if f := r.opt.Printf; f != nil {
		t.Print = func(w *warp.Warp, lane int, text string) { f(Thread(w, lane), text) }
	}
	for i, w := range t.Warps {
		w.Reset(&t.Tile, i)
		t.spins[i], t.held[i], t.met[i] = spin{}, false, meeting{-1, 0}
	}
	return t
}

func (r *run) makeStorage() *storage {
	p := r.Program
	size := int(p.TileSize[0] * p.TileSize[1] * p.TileSize[2])
	n := (size + p.Width - 1) / p.Width
	st := &storage{
		mem: make([]byte, r.res.tileStatic), views: make([]tilemem.View, len(r.res.views)), warps: make([]*warp.Warp, n),
		state: tileState{spins: make([]spin, n), held: make([]bool, n), met: make([]meeting, n)},
	}
	for i := range st.warps {
		st.warps[i] = warp.New(r.Code())
		st.warps[i].Keep = r.opt.Exact
	}
	return st
}

// Thread describes lane l of w.
func Thread(w *warp.Warp, l int) diag.Thread {
	return diag.Thread{
		Global: w.GlobalID(l), Tile: w.T.ID, Local: uint32(w.Index*w.P.Width + l), Warp: uint32(w.Index), Lane: uint32(l),
	}
}
