package emu

import (
	"ampdbg/diag"
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
	last int // the warp that ran last
	idle int // warps that are blocked or finished
	// arrived counts the warps that wait at the barrier that place and instance
	// tell, each with all its threads.
	arrived  int
	place    int
	instance uint64
	// outOfStep says that the threads did not meet at the last barrier.
	outOfStep bool
}

// storage is the memory of a tile, which goes from one that has ended to the
// next. newTile writes all of it.
type storage struct {
	mem   []byte // tile_static memory
	views []tilemem.View
	warps []*warp.Warp
	spins []spin // by warp
	held  []bool // by warp: a debugger lets it not run
	met   []meeting
}

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

// newTile makes the index-th tile of the grid resident.
func (m *Machine) newTile(index uint64) *tile {
	t := m.makeTile()
	g := m.Dispatch.Groups
	t.Index, t.Groups = int(index), g
	t.ID = spirv.Extent(g).At(index)
	clear(t.mem)
	for i, w := range t.Warps {
		w.Reset(&t.Tile, i)
		t.spins[i], t.held[i], t.met[i] = spin{}, false, meeting{-1, 0}
	}
	t.last = len(t.Warps) - 1
	return t
}

// release gives a tile's storage to the next one.
func (m *Machine) release(t *tile) { m.pool = append(m.pool, t.storage) }

// makeTile makes a tile that is at no place of the grid yet, of storage that no
// other one has.
func (m *Machine) makeTile() *tile {
	var st *storage
	if n := len(m.pool); n > 0 {
		st, m.pool = m.pool[n-1], m.pool[:n-1]
	} else {
		st = m.makeStorage()
	}
	t := &tile{storage: st, Tile: warp.Tile{
		Images: m.res.slots, Views: st.views, Warps: st.warps,
		Robust: m.opt.Robust || m.Dispatch.Robust, Undefined: m.opt.Undefined, Used: m.opt.Used,
	}}
	copy(t.Views, m.res.views)
	for _, v := range m.res.tileViews {
		t.Views[v.view].Data = t.mem[v.off : v.off+v.size : v.off+v.size]
	}
	if f := m.opt.OnFault; f != nil {
		t.OnFault = func(w *warp.Warp, fault *warp.Fault) bool { return f(m, w, fault) }
	}
	if f := m.opt.Printf; f != nil {
		t.Print = func(w *warp.Warp, lane int, text string) { f(Thread(w, lane), text) }
	}
	return t
}

func (m *Machine) makeStorage() *storage {
	p := m.Program
	size := int(p.TileSize[0] * p.TileSize[1] * p.TileSize[2])
	n := (size + p.Width - 1) / p.Width
	st := &storage{
		mem: make([]byte, m.res.tileStatic), views: make([]tilemem.View, len(m.res.views)), warps: make([]*warp.Warp, n),
		spins: make([]spin, n), held: make([]bool, n), met: make([]meeting, n),
	}
	for i := range st.warps {
		st.warps[i] = warp.New(m.code)
		st.warps[i].Keep = m.opt.Exact
	}
	return st
}

// Thread describes lane l of w.
func Thread(w *warp.Warp, l int) diag.Thread {
	return diag.Thread{
		Global: w.GlobalID(l), Tile: w.T.ID, Local: uint32(w.Index*w.P.Width + l), Warp: uint32(w.Index), Lane: uint32(l),
	}
}
