package warp_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ampdbg/program/programtest"
	"ampdbg/warp"
	"ampdbg/warp/enginetest"
)

// A shadow program does what its program does, in as many steps, and nothing
// undefined is used where nothing was undefined.
func TestShadowsDoTheSame(t *testing.T) {
	used, unused := 0, 0
	for seed := range uint64(1500) {
		p := programtest.Random(rand.New(rand.NewPCG(seed, 8)), programtest.Options{Width: 4, Alone: seed%2 == 0})
		q, err := p.Shadow(0)
		if err != nil {
			t.Fatal(err)
		}
		tile, err := enginetest.NewTile(warp.Interpreter{}, p, seed)
		if err != nil {
			t.Fatal(err)
		}
		shadow, err := enginetest.NewTile(warp.Interpreter{}, q, seed)
		if err != nil {
			t.Fatal(err)
		}
		uses := false
		shadow.Used = func() { uses = true }
		for range 50 {
			for i, w := range tile.Warps {
				v := shadow.Warps[i]
				a, b := w.Run(1<<40), v.Run(1<<40)
				if a != b || w.Steps != v.Steps || w.Live() != v.Live() {
					t.Fatalf("program %d: status %d after %d steps, with shadows %d after %d", seed, a, w.Steps, b, v.Steps)
				}
				for k, bits := range w.R[:p.Scratch] {
					if v.R[k] != bits {
						t.Fatalf("program %d: lane %d of row %d is %#x, with shadows %#x\n%s", seed, k%4, k/4, bits, v.R[k], text(p))
					}
				}
			}
			tile.Release()
			shadow.Release()
		}
		for i := range tile.Views {
			if !slices.Equal(tile.Views[i].Data, shadow.Views[i].Data) {
				t.Fatalf("program %d: view %d differs", seed, i)
			}
		}
		if uses && *tile.Undefined == 0 {
			t.Errorf("program %d: something undefined is used, and nothing was undefined", seed)
		}
		if uses {
			used++
		} else {
			unused++
		}
	}
	if used < 10 || unused < 10 {
		t.Errorf("%d programs use something undefined, %d do not", used, unused)
	}
}
