package main

import (
	"bytes"
	"context"
	"fmt"
	"testing"
)

// TestSameBytesEveryTime checks and runs a sample of kernels twenty times, with
// one, two and three workers: what is written is the same, byte for byte.
func TestSameBytesEveryTime(t *testing.T) {
	dirs := map[string][]string{
		"../../testdata/": {
			"race/race_intra_tile_shared", "race/race_inter_tile", "race/race_padding", "race/norace_release_fence", "race/uninit_tile_static",
			"race/oob_buffer", "race/undefined_shift_range", "diverge/diverge_exited_across_warps", "diverge/clean_missing",
			"spin/spin_flags_across_tiles", "spin/spin_lock_in_warp", "amp/tile_average", "features/atomics", "features/subgroup_ballot", "features/debug_printf",
		},
		"../../racecheck/testdata/": {"order/order_reset", "order/order_append", "widths/ballot", "schedules/oob_many"},
	}
	var files []string
	for _, dir := range []string{"../../testdata/", "../../racecheck/testdata/"} {
		for _, name := range dirs[dir] {
			files = append(files, dir+name+".amber")
		}
	}
	type call struct{ command, format string }
	first := map[string]string{}
	for round := range 20 {
		workers := fmt.Sprint(1 + round%3)
		for _, c := range []call{{"check", "text"}, {"check", "json"}, {"run", "text"}} {
			for i, file := range files {
				args := []string{c.command, "--workers", workers, "--format", c.format, file}
				switch {
				case c.command == "check" && i > 0:
					continue // all in one call
				case c.command == "check":
					args = append([]string{"check", "--repeat-seeds", "2", "--workers", workers, "--format", c.format}, files...)
				}
				var out, errs bytes.Buffer
				code := run(context.Background(), args, nil, &out, &errs)
				got := fmt.Sprintf("exit %d\n%s%s", code, out.String(), errs.String())
				key := fmt.Sprint(c, i)
				if want, ok := first[key]; !ok {
					first[key] = got
				} else if got != want {
					t.Fatalf("%v the %d-th time:\n%s\nbefore:\n%s", args, round, got, want)
				}
			}
		}
	}
}
