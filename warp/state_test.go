package warp_test

import (
	"bytes"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"ampdbg/program/programtest"
	"ampdbg/warp"
	"ampdbg/warp/enginetest"
)

// randomTile is the tile of a random program on the interpreter.
func randomTile(t *testing.T, seed uint64, opt programtest.Options) *enginetest.Tile {
	t.Helper()
	p := programtest.Random(rand.New(rand.NewPCG(seed, 4)), opt)
	tile, err := enginetest.NewTile(warp.Interpreter{}, p, seed)
	if err != nil {
		t.Fatal(err)
	}
	return tile
}

func stateOf(tile *enginetest.Tile) uint64 {
	h := fnv.New64a()
	for _, w := range tile.Warps {
		w.HashInto(h)
	}
	for _, v := range tile.Views {
		h.Write(v.Data)
	}
	return h.Sum64()
}

// turn runs each warp for some steps, and reports whether that goes on.
func turn(tile *enginetest.Tile, r *rand.Rand) bool {
	more := false
	for _, w := range tile.Warps {
		s := w.Run(w.Steps + 1 + r.Uint64N(60))
		more = more || s != warp.Finished && s != warp.Faulted
	}
	tile.Release()
	return more
}

// A tile that goes back to where it was saved does again what it did, and its
// hash is the same exactly where its state is.
func TestSavedWarpsDoTheSameAgain(t *testing.T) {
	repeated, moved := 0, 0
	for seed := range uint64(400) {
		tile := randomTile(t, seed, programtest.Options{Width: 4})
		var states []uint64
		var saved []*warp.Saved
		var memory [][]byte
		at := int(seed % 7)
		r := rand.New(rand.NewPCG(seed, 5))
		for n := range 60 {
			if n == at {
				for _, w := range tile.Warps {
					saved = append(saved, w.Save())
				}
				for _, v := range tile.Views {
					memory = append(memory, bytes.Clone(v.Data))
				}
				r = rand.New(rand.NewPCG(seed, 6))
			}
			before := stateOf(tile)
			snapshots := []*warp.Snapshot{}
			for _, w := range tile.Warps {
				snapshots = append(snapshots, w.Snapshot())
			}
			more := turn(tile, r)
			states = append(states, stateOf(tile))
			if states[n] != before {
				moved++
			} else {
				for i, w := range tile.Warps {
					if !w.Same(snapshots[i]) {
						t.Fatalf("program %d: warp %d has moved, and its hash is what it was", seed, i)
					}
				}
			}
			if !more {
				break
			}
		}
		if saved == nil {
			continue
		}
		for i, w := range tile.Warps {
			if saved[i].Size() < 8*int(w.P.Scratch) {
				t.Errorf("program %d: %d bytes for %d elements", seed, saved[i].Size(), w.P.Scratch)
			}
			w.Restore(saved[i])
		}
		for i, v := range tile.Views {
			copy(v.Data, memory[i])
		}
		if at > 0 && stateOf(tile) != states[at-1] {
			t.Fatalf("program %d: restored, the state is another", seed)
		}
		r = rand.New(rand.NewPCG(seed, 6))
		for n := at; n < len(states); n++ {
			turn(tile, r)
			if stateOf(tile) != states[n] {
				t.Fatalf("program %d: turn %d goes elsewhere the second time", seed, n)
			}
			repeated++
		}
	}
	if repeated < 100 || moved < 100 {
		t.Errorf("%d turns repeated, %d that did something", repeated, moved)
	}
}

// Threads that do not look at each other end alike, whichever of them are held
// back for a while; those that are stay where they are.
func TestFrozenLanesEndAsOthers(t *testing.T) {
	frozen := 0
	for seed := range uint64(200) {
		opt := programtest.Options{Width: 8, Alone: true}
		free, held := randomTile(t, seed, opt), randomTile(t, seed, opt)
		r := rand.New(rand.NewPCG(seed, 7))
		for i, w := range held.Warps {
			free.Warps[i].Keep, w.Keep = true, true
			if s := free.Warps[i].Run(1 << 40); s != warp.Finished {
				t.Fatalf("program %d: status %d", seed, s)
			}
			for n := 0; w.Status() != warp.Finished; n++ {
				if n > 1<<12 {
					t.Fatalf("program %d: no end", seed)
				}
				if can := w.CanFreeze(); n < 40 && r.IntN(2) == 0 {
					m := can.And(warp.Mask{r.Uint64()})
					w.Freeze(m)
					if !m.AndNot(w.Frozen()).IsZero() || !w.CanFreeze().And(w.Frozen()).IsZero() || !w.Active().And(w.Frozen()).IsZero() {
						t.Fatalf("program %d: lanes %v of %v are frozen, %v run", seed, m, w.Frozen(), w.Active())
					}
					frozen += m.Count()
				}
				still := w.Frozen()
				places := w.Places()
				w.Run(w.Steps + 1 + r.Uint64N(20))
				for l, p := range w.Places() {
					if still.Has(l) && p.PC != places[l].PC {
						t.Fatalf("program %d: lane %d is held at %d and goes to %d", seed, l, places[l].PC, p.PC)
					}
				}
				if w.Status() == warp.Blocked || r.IntN(3) == 0 || n >= 40 {
					w.Thaw(w.Frozen())
				}
			}
			if w.Steps != free.Warps[i].Steps {
				t.Errorf("program %d: %d steps, %d without freezing", seed, w.Steps, free.Warps[i].Steps)
			}
			for k := range w.R[:w.P.Scratch] {
				if l := k % w.P.Stride; l < w.Lanes && w.R[k] != free.Warps[i].R[k] {
					t.Fatalf("program %d: lane %d of row %d is %#x, %#x without freezing", seed, l, k/w.P.Stride, w.R[k], free.Warps[i].R[k])
				}
			}
		}
		for i := range held.Views {
			if !slices.Equal(held.Views[i].Data, free.Views[i].Data) {
				t.Fatalf("program %d: view %d differs", seed, i)
			}
		}
	}
	if frozen < 200 {
		t.Errorf("%d lanes were frozen", frozen)
	}
}
