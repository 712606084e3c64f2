// Package enginetest holds an engine to the interpreter, which is the reference.
package enginetest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"ampdbg/program"
	"ampdbg/program/programtest"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// Compare runs random programs on an engine and on the reference, a turn at a
// time, and compares after each what every warp has come to: rows, masks, pc,
// steps, open constructs, status and fault; and what the turn has done: memory,
// accesses as an observer sees them, output. n is how many programs.
func Compare(t testing.TB, e warp.Engine, n int) {
	t.Helper()
	for seed := range uint64(n) {
		for _, width := range []int{1, 3, 4, 8, 32, 128} {
			opt := programtest.Options{Width: width, Alone: seed%4 == 0}
			p := programtest.Random(rand.New(rand.NewPCG(seed, 1)), opt)
			if what := differ(e, p, seed); what != "" {
				var text strings.Builder
				p.Dump(&text, program.DumpOptions{})
				t.Fatalf("program %d for warps of %d: %s\n%s", seed, width, what, &text)
			}
		}
	}
}

// maxTurns ends a comparison.
const maxTurns = 300

// differ runs a program on both and says how they differ.
func differ(e warp.Engine, p *program.Program, seed uint64) string {
	want, err := NewTile(warp.Interpreter{Plain: true}, p, seed)
	if err != nil {
		return err.Error()
	}
	got, err := NewTile(e, p, seed)
	if err != nil {
		return err.Error()
	}
	r := rand.New(rand.NewPCG(seed, 2))
	for turn := range maxTurns {
		over := true
		for i, w := range want.Warps {
			v := got.Warps[i]
			limit := w.Steps + 1 + r.Uint64N(200)
			a, b := w.Run(limit), v.Run(limit)
			if a != b || w.PC != v.PC || w.Steps != v.Steps || w.Active() != v.Active() || w.Live() != v.Live() {
				return fmt.Sprintf("turn %d, warp %d: status %d at %d after %d steps, lanes %v of %v; expected %d at %d after %d, %v of %v",
					turn, i, b, v.PC, v.Steps, v.Active(), v.Live(), a, w.PC, w.Steps, w.Active(), w.Live())
			}
			for k, bits := range w.R[:p.Scratch] {
				if v.R[k] != bits {
					return fmt.Sprintf("turn %d, warp %d: lane %d of row %d is %#x, expected %#x", turn, i, k%p.Stride, k/p.Stride, v.R[k], bits)
				}
			}
			if x, y := hash(w), hash(v); x != y {
				return fmt.Sprintf("turn %d, warp %d: the state differs", turn, i)
			}
			if x, y := fmt.Sprint(w.Fault), fmt.Sprint(v.Fault); x != y {
				return fmt.Sprintf("turn %d, warp %d: fault %s, expected %s", turn, i, y, x)
			}
			if a == warp.Faulted {
				return ""
			}
			over = over && a == warp.Finished
		}
		if x, y := want.did(), got.did(); x != y {
			return fmt.Sprintf("turn %d: did\n%s\nexpected\n%s", turn, y, x)
		}
		if over {
			return ""
		}
		want.Release()
		got.Release()
	}
	return fmt.Sprintf("no end after %d turns", maxTurns)
}

func hash(w *warp.Warp) uint64 {
	h := fnv.New64a()
	w.HashInto(h)
	return h.Sum64()
}

// Tile is a tile of a random program, with what its warps do taken down.
type Tile struct {
	*warp.Tile
	log       strings.Builder
	undefined uint32
}

// NewTile makes the warps of a random program, at their start. seed decides what
// is in memory, and whether an observer sees plain accesses.
func NewTile(e warp.Engine, p *program.Program, seed uint64) (*Tile, error) {
	code, err := e.Compile(p)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 3))
	t := &Tile{Tile: &warp.Tile{Groups: [3]uint32{1, 1, 1}, Views: make([]tilemem.View, programtest.Views)}}
	for i := 1; i < len(t.Views); i++ {
		data := make([]byte, programtest.Tile*programtest.Share)
		for k := range data {
			data[k] = byte(r.IntN(5))
		}
		t.Views[i] = tilemem.View{Data: data, Mem: &tilemem.Memory{ID: i}, ReadOnly: i == programtest.Views-1, Slow: seed&1 != 0, Seen: seed&1 != 0, Shown: seed&3 == 3}
	}
	t.Obs, t.Undefined = warp.Observers{Memory: t, Barrier: t, Fence: t}, &t.undefined
	t.Print = func(w *warp.Warp, lane int, text string) { fmt.Fprintln(&t.log, "print", w.Index, lane, text) }
	for i := 0; i*p.Width < programtest.Tile; i++ {
		w := warp.New(code)
		w.Keep = seed&4 != 0
		t.Warps = append(t.Warps, w)
	}
	for i, w := range t.Warps {
		w.Reset(t.Tile, i)
	}
	return t, nil
}

// Release lets warps go on that wait, if all that have not finished do.
func (t *Tile) Release() {
	for _, w := range t.Warps {
		if s := w.Status(); s != warp.Blocked && s != warp.Finished {
			return
		}
	}
	for _, w := range t.Warps {
		w.Release()
	}
}

// did is what has been done to memory, and what has been seen.
func (t *Tile) did() string {
	return fmt.Sprint(t.log.String(), t.undefined, t.Changed, t.Views[1].Data, t.Views[2].Data)
}

// Access implements warp.MemoryObserver.
func (t *Tile) Access(w *warp.Warp, a *warp.Access) {
	fmt.Fprint(&t.log, "access ", w.Index, a.PC, a.Kind, a.Mask, a.Size, a.Width, a.Op, a.Old, a.New)
	for l := a.Mask.First(); l >= 0; l = a.Mask.Next(l) {
		fmt.Fprint(&t.log, " ", a.View[l], ":", a.Off[l])
	}
	fmt.Fprintln(&t.log)
}

// Fence implements warp.FenceObserver.
func (t *Tile) Fence(w *warp.Warp, pc int) { fmt.Fprintln(&t.log, "fence", w.Index, pc, w.Active()) }

// Barrier implements warp.BarrierObserver.
func (t *Tile) Barrier(w *warp.Warp, pc int) {
	fmt.Fprintln(&t.log, "barrier", w.Index, pc, w.Active())
}
