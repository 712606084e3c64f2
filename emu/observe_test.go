package emu_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// journal observes everything, and writes it down.
type journal struct {
	list  []string
	tiles emu.PerTile[int]
	n     int
}

func (j *journal) note(format string, args ...any) {
	j.list = append(j.list, fmt.Sprintf(format, args...))
}

func (j *journal) Access(w *warp.Warp, a *warp.Access) {
	j.note("tile %d warp %d access at %d by %v, %d since it began", w.T.Index, w.Index, a.PC, a.Mask, j.tiles.Of(w.T))
}
func (j *journal) Barrier(w *warp.Warp, pc int) { j.note("warp %d barrier at %d", w.Index, pc) }
func (j *journal) Fence(w *warp.Warp, pc int)   { j.note("warp %d fence at %d", w.Index, pc) }
func (j *journal) Branch(w *warp.Warp, pc int)  { j.note("warp %d branches at %d", w.Index, pc) }
func (j *journal) Before(w *warp.Warp)          { j.note("warp %d before %d", w.Index, w.PC) }
func (j *journal) After(w *warp.Warp, pc int)   { j.note("warp %d after %d", w.Index, pc) }
func (j *journal) Released(t *warp.Tile)        { j.note("tile %d goes on", t.Index) }
func (j *journal) TileBegin(t *warp.Tile) {
	j.n++
	j.tiles.Begin(t, j.n)
	j.note("tile %d begins", t.Index)
}
func (j *journal) TileEnd(t *warp.Tile) {
	j.note("tile %d ends, number %d", t.Index, j.tiles.Of(t))
	j.tiles.End(t)
}

// Of a journal, observers that are shown a part of what it is.
type (
	memoryOnly   struct{ j *journal }
	tilesOnly    struct{ j *journal }
	bufferOnly   struct{ memoryOnly }
	branchesOnly struct{ j *journal }
	nothing      struct{}
)

func (o memoryOnly) Access(w *warp.Warp, a *warp.Access) { o.j.Access(w, a) }
func (o tilesOnly) TileBegin(t *warp.Tile)               { o.j.TileBegin(t) }
func (o tilesOnly) TileEnd(t *warp.Tile)                 { o.j.TileEnd(t) }
func (o bufferOnly) Wants(m *tilemem.Memory) bool        { return m.Space == tilemem.Global }
func (o branchesOnly) Branch(w *warp.Warp, pc int)       { o.j.Branch(w, pc) }
func (o bufferOnly) Access(w *warp.Warp, a *warp.Access) {
	o.j.note("%v", w.T.Views[a.View[a.Mask.First()]].Mem.Space)
}

// observed runs a script's dispatch with observers.
func observed(t *testing.T, script string, seed uint64, list ...emu.Observer) uint64 {
	t.Helper()
	r, err := emu.Run(context.Background(), dispatch(t, script), emu.Options{
		Seed: seed, Observe: func(*emu.Machine) ([]emu.Observer, error) { return list, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Steps
}

// Observers that are attached together are each shown what they are shown alone,
// in the canonical schedule and in others, and the dispatch runs as without any.
func TestObserversSeeTogetherWhatTheySeeAlone(t *testing.T) {
	for _, script := range []string{"../testdata/amp/reduction.amber", "../testdata/features/atomics.amber", "../testdata/features/storage_images.amber"} {
		for _, seed := range []uint64{0, 3} {
			steps := observed(t, script, seed)
			of := []func(j *journal) emu.Observer{
				func(j *journal) emu.Observer { return memoryOnly{j} },
				func(j *journal) emu.Observer { return tilesOnly{j} },
				func(j *journal) emu.Observer { return bufferOnly{memoryOnly{j}} },
				func(j *journal) emu.Observer { return branchesOnly{j} },
				func(j *journal) emu.Observer { return j },
			}
			var all []emu.Observer
			var together []*journal
			for _, o := range of {
				j := &journal{}
				together, all = append(together, j), append(all, o(j))
			}
			if n := observed(t, script, seed, all...); n != steps {
				t.Errorf("%s, seed %d: %d steps observed, %d unobserved", script, seed, n, steps)
			}
			for i, o := range of {
				j := &journal{}
				observed(t, script, seed, o(j))
				if !slices.Equal(j.list, together[i].list) {
					t.Errorf("%s, seed %d, observer %d: %d events alone, %d with others", script, seed, i, len(j.list), len(together[i].list))
				}
				if len(j.list) == 0 {
					t.Errorf("%s: observer %d has seen nothing", script, i)
				}
			}
			if slices.ContainsFunc(together[2].list, func(s string) bool { return s != tilemem.Global.String() }) {
				t.Errorf("%s, seed %d: memory that nobody wants is shown", script, seed)
			}
		}
	}
}

// Every operation is shown before and after it is executed, in the order of
// execution, and a tile's events lie between its begin and its end.
func TestOperationsAreShownOneByOne(t *testing.T) {
	j := &journal{}
	observed(t, "../testdata/amp/reduction.amber", 0, j)
	before := map[string]int{}
	for i, s := range j.list {
		var w, pc int
		if n, _ := fmt.Sscanf(s, "warp %d after %d", &w, &pc); n == 2 {
			if k := before[fmt.Sprint(w)]; j.list[k] != fmt.Sprintf("warp %d before %d", w, pc) {
				t.Fatalf("%d: %s, and %s before", i, s, j.list[k])
			}
		}
		if n, _ := fmt.Sscanf(s, "warp %d before %d", &w, &pc); n == 2 {
			before[fmt.Sprint(w)] = i
		}
	}
	if j.list[0] != "tile 0 begins" || j.list[len(j.list)-1] != fmt.Sprintf("tile %d ends, number %d", j.n-1, j.n) {
		t.Errorf("from %q to %q", j.list[0], j.list[len(j.list)-1])
	}
}

// A value that has no method of an observer is a mistake, which is told.
func TestObserverOfNothing(t *testing.T) {
	e := &emu.Emulator{Options: emu.Options{Observe: func(*emu.Machine) ([]emu.Observer, error) { return []emu.Observer{nothing{}}, nil }}}
	if err := e.Dispatch(context.Background(), dispatch(t, "../testdata/amp/reduction.amber")); diag.AsBug(err) == nil {
		t.Errorf("got %v", err)
	}
}

// logging takes down reads.
type logging struct {
	memoryOnly
	log tilemem.ReadLog
}

func (o *logging) ReadLog(*warp.Tile, int) *tilemem.ReadLog { o.log.Open = true; return &o.log }

// Reads are taken down where nobody else wants to see them, and shown again as
// soon as somebody does: attaching an observer undoes nothing of another's.
func TestReadLogsAreForOneObserver(t *testing.T) {
	e := &emu.Emulator{}
	c, err := e.Control(context.Background(), dispatch(t, "../testdata/amp/reduction.amber"))
	if err != nil {
		t.Fatal(err)
	}
	l := &logging{memoryOnly: memoryOnly{&journal{}}}
	logs := func(want bool, list ...emu.Observer) {
		t.Helper()
		c.Observe(list...)
		if _, err := c.Resume(); err != nil {
			t.Fatal(err)
		}
		for _, tile := range c.Resident() {
			for v := range tile.Views {
				if view := &tile.Views[v]; view.Mem != nil && (view.Reads != nil) != want {
					t.Errorf("view %d has a log: %v, want %v", v, !want, want)
				}
			}
		}
	}
	logs(true, l)
	logs(false, l, memoryOnly{&journal{}})
	logs(true, l)
	logs(true, l, tilesOnly{&journal{}})
	logs(false)
}
