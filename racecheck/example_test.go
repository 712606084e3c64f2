package racecheck_test

import (
	"context"
	"fmt"
	"testing"

	"ampdbg/launch"
	"ampdbg/racecheck"
)

// A test that fails if the kernel has a bug, for warps of several widths.
func ExampleCheck() {
	_ = func(t *testing.T) {
		k := racecheck.Load(t, "testdata/reduce.amber")
		racecheck.Check(t, k, racecheck.Warp(4, 32), racecheck.Seeds(0, 1, 2))
	}
}

// A test of a kernel that should be caught.
func ExampleExpect() {
	_ = func(t *testing.T) {
		k := racecheck.Load(t, "testdata/broken_reduce.amber")
		racecheck.Expect(t, k, racecheck.Race("sums"))
	}
}

// Checks outside of a test.
func ExampleRun() {
	l, err := launch.Load("../testdata/race/race_intra_tile_shared.amber", launch.LoadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := racecheck.Run(context.Background(), l, racecheck.Options{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range r.Findings {
		fmt.Println(f.Severity, f.Rule(), f.Variable, f.Times())
	}
	fmt.Println(r.Coverage.String())
	// Output:
	// error race/intra-tile s[0] 8
	// 24 accesses checked, 0 not checked
}
