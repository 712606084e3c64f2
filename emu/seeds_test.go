package emu_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"ampdbg/emu"
	"ampdbg/warp"
)

// firsts notes the warps in the order of their first accesses.
type firsts struct{ list []string }

func (f *firsts) Access(w *warp.Warp, _ *warp.Access) {
	if s := fmt.Sprintf("%d.%d", w.T.Index, w.Index); !slices.Contains(f.list, s) {
		f.list = append(f.list, s)
	}
}

// TestSeedsBeginDifferently runs tiles of four warps that do one store each:
// no two seeds begin with the same four warps, and the reverse order ends with
// the first warp.
func TestSeedsBeginDifferently(t *testing.T) {
	k := kernel{
		size: 16, buffers: []buffer{{"uint", make([]byte, 4*16*8)}},
		body: "%p = OpAccessChain %sb_uint %b0 %uint_0 %g\nOpStore %p %g\n",
	}
	d := k.dispatch(t, 8)
	begun := map[string]uint64{}
	for _, seed := range []uint64{0, emu.ReverseSeed, 1, 2, 3, 4, 5, 6, 7} {
		f := &firsts{}
		if _, err := emu.Run(context.Background(), d, emu.Options{Seed: seed, Observe: func(*emu.Machine) ([]emu.Observer, error) { return []emu.Observer{f}, nil }}); err != nil {
			t.Fatal(err)
		}
		if len(f.list) != 32 {
			t.Fatalf("seed %d: %d warps, want 32", seed, len(f.list))
		}
		start := fmt.Sprint(f.list[:4])
		if other, ok := begun[start]; ok {
			t.Errorf("seeds %d and %d both begin with %s", other, seed, start)
		}
		begun[start] = seed
		if seed == emu.ReverseSeed && (f.list[0] != "7.3" || f.list[31] != "0.0") {
			t.Errorf("the reverse order is %v", f.list)
		}
	}
}
