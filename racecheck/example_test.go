package racecheck_test

import (
	"context"
	"fmt"

	"ampdbg/launch"
	"ampdbg/racecheck"
)

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
