package emu

import (
	"fmt"
	"slices"

	"ampdbg/tilemem"
	"ampdbg/warp"
)

// Observer is shown what a dispatch does: what it has methods for, of
//
//	warp.MemoryObserver    accesses to memory, before they happen
//	warp.BarrierObserver   barriers of any scope
//	warp.FenceObserver     fences
//	BranchObserver         branches on conditions
//	OperationObserver      every operation
//	TileObserver           a tile's start and end
//	ReleaseObserver        threads that go on from a tile barrier
//
// One of accesses to memory may also implement Wants and ReadLogger. Any number
// of observers are attached to a dispatch at once (Options.Observe,
// Control.Observe); they are called in the order in which they were given. All
// calls come from one goroutine, in the order of execution.
type Observer any

// TileObserver is shown tiles.
type TileObserver interface {
	// TileBegin and TileEnd enclose everything a tile does.
	TileBegin(t *warp.Tile)
	TileEnd(t *warp.Tile)
}

// ReleaseObserver is shown the ends of barriers.
type ReleaseObserver interface {
	// Released is called when the threads that wait at tile barriers of t go on.
	Released(t *warp.Tile)
}

// BranchObserver is shown branches. The warps of its dispatch run operation by
// operation.
type BranchObserver interface {
	// Branch is called before the active lanes of w execute the branch on a
	// condition, or the switch, at pc.
	Branch(w *warp.Warp, pc int)
}

// OperationObserver is shown every operation: warps run one at a time, in the
// form in which each stands alone (program.Program's Code).
type OperationObserver interface {
	// Before is called before w executes the operation at w.PC. With w.T.Halt
	// set, it keeps it from that; when the warp goes on, Before is called again.
	Before(w *warp.Warp)
	// After is called when w has executed the operation at pc.
	After(w *warp.Warp, pc int)
}

// Wants is implemented by observers of memory that do not need to see all of it.
type Wants interface {
	// Wants reports whether accesses to mem are to be shown. It is asked when the
	// observer is attached.
	Wants(mem *tilemem.Memory) bool
}

// ReadLogger is implemented by observers that may look at reads later, all at
// once.
type ReadLogger interface {
	// ReadLog is the log that takes down reads through a view of a tile while it
	// is open, nil for none. It is asked for where nobody else sees the view.
	ReadLog(t *warp.Tile, view int) *tilemem.ReadLog
}

// PerTile is what an observer keeps of each tile that has begun and not ended.
type PerTile[T any] struct {
	all   map[*warp.Tile]T
	tile  *warp.Tile // the latest that was asked for
	value T
}

// Begin gives a tile its value.
func (p *PerTile[T]) Begin(t *warp.Tile, value T) {
	if p.all == nil {
		p.all = map[*warp.Tile]T{}
	}
	p.all[t] = value
	p.tile, p.value = t, value
}

// Of is the value of a tile, the zero value if it has none.
func (p *PerTile[T]) Of(t *warp.Tile) T {
	if p.tile != t {
		p.tile, p.value = t, p.all[t]
	}
	return p.value
}

// End forgets the value of a tile.
func (p *PerTile[T]) End(t *warp.Tile) {
	var none T
	delete(p.all, t)
	p.tile, p.value = nil, none
}

// audience is who observes a run, by what they are shown.
type audience struct {
	obs        warp.Observers // of tiles that are not probed
	memory     viewers
	branches   []BranchObserver
	operations []OperationObserver
	tiles      []TileObserver
	releases   []ReleaseObserver
	seen       []bool       // by view: some observer of memory wants it
	logger     []ReadLogger // by view: of the only one that does, nil if it has none
}

// nobody is the audience of a run that nobody observes.
var nobody audience

// newAudience sorts observers of a dispatch of m by what they are shown.
func newAudience(m *Machine, list []Observer) *audience {
	if len(list) == 0 {
		return &nobody
	}
	a := &audience{seen: make([]bool, len(m.res.views)), logger: make([]ReadLogger, len(m.res.views))}
	var barriers barriers
	var fences fences
	for _, o := range list {
		known := false
		if o, ok := o.(warp.MemoryObserver); ok {
			a.memory, known = append(a.memory, viewer{o, wanted(m, o)}), true
		}
		known = add((*[]warp.BarrierObserver)(&barriers), o) || known
		known = add((*[]warp.FenceObserver)(&fences), o) || known
		known = add(&a.branches, o) || known
		known = add(&a.operations, o) || known
		known = add(&a.tiles, o) || known
		known = add(&a.releases, o) || known
		if !known {
			panic(fmt.Sprintf("emu: %T observes nothing", o))
		}
	}
	a.obs = warp.Observers{Memory: a.memory.one(), Barrier: one(barriers, warp.BarrierObserver(barriers)), Fence: one(fences, warp.FenceObserver(fences))}
	for v := range a.seen {
		viewers := 0
		for i := range a.memory {
			if a.memory[i].wants[v] {
				viewers++
				a.logger[v], _ = a.memory[i].o.(ReadLogger)
			}
		}
		a.seen[v] = viewers > 0
		if viewers > 1 {
			a.logger[v] = nil
		}
	}
	return a
}

// add appends an observer to those of an interface that it implements.
func add[T any](list *[]T, o Observer) bool {
	x, ok := o.(T)
	if ok {
		*list = append(*list, x)
	}
	return ok
}

// wanted tells by view what an observer of memory wants to see.
func wanted(m *Machine, o warp.MemoryObserver) []bool {
	w, picky := o.(Wants)
	out := make([]bool, len(m.res.views))
	for v := range out {
		mem := m.res.views[v].Mem
		out[v] = mem != nil && (!picky || w.Wants(mem))
	}
	return out
}

// one is the only observer of a list, nil for none; many stands for several.
func one[T any](list []T, many T) T {
	switch len(list) {
	case 0:
		var none T
		return none
	case 1:
		return list[0]
	}
	return many
}

// viewers shows an access to those that want the view of one of its lanes.
type viewers []viewer

type viewer struct {
	o     warp.MemoryObserver
	wants []bool // by view
}

// one is the observer that shows what all of them are to be shown.
func (list viewers) one() warp.MemoryObserver {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0].o
	}
	return list
}

// Access implements warp.MemoryObserver.
func (list viewers) Access(w *warp.Warp, a *warp.Access) {
	for i := range list {
		for l := a.Mask.First(); l >= 0; l = a.Mask.Next(l) {
			if list[i].wants[a.View[l]] {
				list[i].o.Access(w, a)
				break
			}
		}
	}
}

type barriers []warp.BarrierObserver

// Barrier implements warp.BarrierObserver.
func (list barriers) Barrier(w *warp.Warp, pc int) {
	for _, o := range list {
		o.Barrier(w, pc)
	}
}

type fences []warp.FenceObserver

// Fence implements warp.FenceObserver.
func (list fences) Fence(w *warp.Warp, pc int) {
	for _, o := range list {
		o.Fence(w, pc)
	}
}

// observe makes list, and nobody else, those who observe the run.
func (r *run) observe(list []Observer) {
	r.audience = newAudience(r.Machine, list)
	for _, t := range r.tiles {
		r.show(t)
	}
}

// show makes a tile show what it does to those who observe the run and, while
// it is probed, to the probe.
//
// This alone says who a tile's warps call and what its views are to them: it
// follows from the observers, the probe, the seed and trackers.
func (r *run) show(t *tile) {
	a := r.audience
	probed := r.probing && r.cur == 1+uint64(t.Index)
	t.Obs, t.ExactChanges = a.obs, probed
	if probed {
		all := slices.Repeat([]bool{true}, len(t.Views))
		t.Obs.Memory = append(slices.Clip(a.memory), viewer{&lapObserver{&t.spins[t.last]}, all}).one()
	}
	for i := range t.Views {
		v := &t.Views[i]
		other := probed || r.opt.Seed != 0 || v.Mem != nil && v.Mem.Track != nil
		v.Seen = v.Mem != nil && (probed || a.seen != nil && a.seen[i])
		v.Slow, v.Shown, v.Reads = v.Seen || other, v.Seen && !other, nil
		if v.Shown && a.logger != nil && a.logger[i] != nil {
			v.Reads = a.logger[i].ReadLog(&t.Tile, i)
		}
	}
}

// breaks reports whether a warp is before a Break of the code that it would
// execute.
func (r *run) breaks(w *warp.Warp) bool {
	if r.code == nil {
		return false
	}
	patch, ok := r.code(w).(*warp.Patch)
	return ok && patch.Breaks(w.PC)
}

// runWarp runs a warp as Warp.Run does, operation by operation if that is asked
// for or an observer has to see that.
func (r *run) runWarp(w *warp.Warp, limit uint64) warp.Status {
	a := r.audience
	if !r.single && a.branches == nil && a.operations == nil {
		return w.Run(limit)
	}
	if r.stepper == nil {
		code, err := warp.Interpreter{}.Interpret(r.Program)
		if err != nil {
			panic(err) // the engine has compiled it
		}
		r.stepper = code.NewStepper()
	}
	for {
		switch st := w.Status(); st {
		case warp.Finished, warp.Blocked, warp.Faulted:
			return st
		}
		pc := w.PC
		if r.stepped || !r.single && r.breaks(w) {
			return r.stepper.Stop(w)
		}
		for _, o := range a.operations {
			o.Before(w)
		}
		if w.T.Halt {
			return r.stepper.Stop(w)
		}
		if w.P.Code[pc].Code.Branches() {
			for _, o := range a.branches {
				o.Branch(w, pc)
			}
		}
		st := r.stepper.Step(w, limit)
		r.stepped = r.single
		// A warp that is halted before an access, or gives its turn away before a
		// visible operation, has not executed it.
		if st != warp.Faulted && (w.PC != pc || st != warp.Yielded && !w.T.Halt) {
			for _, o := range a.operations {
				o.After(w, pc)
			}
		}
		if st != warp.AtBreak || w.T.Halt {
			return st
		}
	}
}
