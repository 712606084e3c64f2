package emu_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/emu"
)

// dependent makes a random kernel whose tiles read, write and count in a few
// words that all of them share, in an order that matters.
func dependent(r *rand.Rand) *kernel {
	k := &kernel{size: 4, buffers: []buffer{{"uint", make([]byte, 64)}, {"uint", make([]byte, 4*4*24)}}}
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p("%%wg = OpLoad %%v3uint %%tileid\n%%tile = OpCompositeExtract %%uint %%wg 0")
	p("%%sum0 = OpCopyObject %%uint %%tile")
	n := 1 + r.IntN(5)
	apart := r.IntN(3) == 0 // every tile keeps to itself
	for i := range n {
		p("%%m%d = OpIMul %%uint %%tile %%uint_%d\n%%a%d = OpIAdd %%uint %%m%d %%uint_%d\n%%i%d = OpBitwiseAnd %%uint %%a%d %%fifteen", i, r.IntN(4), i, i, r.IntN(4), i, i)
		at, buf := fmt.Sprintf("%%i%d", i), 0
		if apart {
			at, buf = "%g", 1
		}
		p("%%p%d = OpAccessChain %%sb_uint %%b%d %%uint_0 %s", i, buf, at)
		next := fmt.Sprintf("%%sum%d", i+1)
		sum := fmt.Sprintf("%%sum%d", i)
		switch r.IntN(4) {
		case 0:
			p("%%x%d = OpLoad %%uint %%p%d\n%s = OpIAdd %%uint %s %%x%d", i, i, next, sum, i)
		case 1:
			p("OpStore %%p%d %s\n%s = OpIAdd %%uint %s %%uint_7", i, sum, next, sum)
		case 2:
			p("%%x%d = OpAtomicIAdd %%uint %%p%d %%uint_1 %%uint_0 %%uint_3\n%s = OpCopyObject %%uint %s", i, i, next, sum)
		default:
			p("%%x%d = OpAtomicIAdd %%uint %%p%d %%uint_1 %%uint_0 %%uint_3\n%s = OpIAdd %%uint %s %%x%d", i, i, next, sum, i)
		}
	}
	if !apart {
		p("%%out = OpAccessChain %%sb_uint %%b1 %%uint_0 %%g\nOpStore %%out %%sum%d", n)
	}
	k.globals = "%fifteen = OpConstant %uint 15\n"
	k.body = b.String()
	return k
}

// TestWorkersGiveTheSameResult runs kernels whose tiles depend on each other's
// order on several workers: what they leave must be what one worker leaves.
func TestWorkersGiveTheSameResult(t *testing.T) {
	programs := 300
	if testing.Short() {
		programs = 30
	}
	parallel := 0
	for seed := range uint64(programs) {
		k := dependent(rand.New(rand.NewPCG(seed, 31)))
		run := func(workers int) [][]byte {
			for _, b := range k.buffers {
				clear(b.data)
			}
			r, err := emu.Run(context.Background(), k.dispatch(t, 24), emu.Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if r.Parallel {
				parallel++
			}
			return [][]byte{slices.Clone(k.buffers[0].data), slices.Clone(k.buffers[1].data)}
		}
		want := run(1)
		for range 3 {
			got := run(3)
			if !bytes.Equal(got[0], want[0]) || !bytes.Equal(got[1], want[1]) {
				t.Fatalf("program %d\n%s", seed, k.body)
			}
		}
	}
	if parallel == 0 || parallel == 3*programs {
		t.Errorf("%d of %d runs were parallel: there should be both kinds", parallel, 3*programs)
	}
}

// TestPrintfIsInOrder prints from all tiles: the lines come in the order of
// tiles whatever the number of workers.
func TestPrintfIsInOrder(t *testing.T) {
	k := &kernel{
		size: 2, exts: []string{"SPV_KHR_non_semantic_info"},
		modes: "%fmt = OpString \"thread %d\"\n", body: "%x = OpExtInst %void %printf 1 %fmt %g",
	}
	text := strings.Replace(k.text(), `%glsl =`, "%printf = OpExtInstImport \"NonSemantic.DebugPrintf\"\n%glsl =", 1)
	k.module = assemble(t, text)
	for _, workers := range []int{1, 3} {
		var got []string
		opt := emu.Options{Workers: workers, Printf: func(at diag.Thread, text string) { got = append(got, fmt.Sprint(at.Global[0], " ", text)) }}
		if _, err := emu.Run(context.Background(), k.dispatch(t, 40), opt); err != nil {
			t.Fatal(err)
		}
		for i := range 80 {
			if want := fmt.Sprintf("%d thread %d", i, i); i >= len(got) || got[i] != want {
				t.Fatalf("%d workers: line %d of %d, want %q", workers, i, len(got), want)
			}
		}
	}
}

// A budget that the tiles together use up, but none of them alone, ends the
// run with any number of workers.
func TestBudgetIsForAllTilesTogether(t *testing.T) {
	d := dispatch(t, "../testdata/amp/reduction.amber")
	e := &emu.Emulator{Options: emu.Options{Workers: 1}}
	if err := e.Dispatch(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	steps := e.Last.Steps
	for _, workers := range []int{1, 2, 4} {
		for _, budget := range []uint64{steps - 1, steps, steps + 1} {
			for range 20 {
				e := &emu.Emulator{Options: emu.Options{Workers: workers, Steps: budget}}
				err := e.Dispatch(context.Background(), d)
				if (err == nil) != (budget > steps) {
					t.Fatalf("%d workers, a budget of %d for %d thread-instructions: %v", workers, budget, steps, err)
				}
			}
		}
	}
}
