package emu

import (
	"math/rand/v2"
	"testing"
)

// TestOrderTakesEveryTileOnce walks the orders of small grids, and steps of
// large ones.
func TestOrderTakesEveryTileOnce(t *testing.T) {
	for total := uint64(0); total < 70; total++ {
		for _, seed := range []uint64{0, 1, 2, 3, 99, ReverseSeed} {
			o := newOrder(total, seed, rand.New(rand.NewPCG(seed, 1)))
			seen := map[uint64]bool{}
			for i := range total {
				tile := o.at(i)
				if tile >= total || seen[tile] {
					t.Fatalf("%d tiles, seed %d: tile %d is the %d-th", total, seed, tile, i)
				}
				seen[tile] = true
				if got := o.turn(tile); got != i {
					t.Fatalf("%d tiles, seed %d: turn of tile %d is %d, want %d", total, seed, tile, got, i)
				}
				if want := map[uint64]uint64{0: i, ReverseSeed: total - 1 - i}; (seed == 0 || seed == ReverseSeed) && tile != want[seed] {
					t.Fatalf("%d tiles, seed %d: tile %d is the %d-th", total, seed, tile, i)
				}
			}
		}
	}
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 2))
		total := 1 + r.Uint64N(1<<62)
		o := newOrder(total, seed, r)
		if i := r.Uint64N(total); o.turn(o.at(i)) != i {
			t.Fatalf("%d tiles, seed %d: %d is not its own inverse's", total, seed, i)
		}
	}
}
