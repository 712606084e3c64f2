package racecheck_test

import (
	"slices"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/racecheck"
)

func TestSchedules(t *testing.T) {
	const reverse = emu.ReverseSeed
	for _, c := range []struct {
		seed uint64
		want []uint64
	}{
		{0, []uint64{0, reverse, 1, 2}}, {5, []uint64{5, reverse, 6, 7}}, {reverse, []uint64{reverse, 0, 1, 2}},
		{reverse - 1, []uint64{reverse - 1, reverse, 0, 1}},
	} {
		for n := range len(c.want) {
			if got := racecheck.Schedules(c.seed, n+1); !slices.Equal(got, c.want[:n+1]) {
				t.Errorf("%d schedules from %d: %d, want %d", n+1, c.seed, got, c.want[:n+1])
			}
		}
	}
}

// TestTheReverseOrderIsTheSecondSchedule repeats a kernel whose data is only
// read where the tiles run the other way round.
func TestTheReverseOrderIsTheSecondSchedule(t *testing.T) {
	const script = "testdata/schedules/scope_reverse.amber"
	for n, want := range map[int]string{1: "race/atomic-scope", 2: "race/atomic-scope race/scope"} {
		var found []string
		for _, f := range repeat(t, script, racecheck.Options{}, n).Findings {
			found = append(found, f.Rule())
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%d schedules find %s, want %s", n, got, want)
		}
	}
}

// TestCoverageSaysWhatIsOfTheTrace checks that it does where a verdict depends
// on the schedule, and not where it is exact.
func TestCoverageSaysWhatIsOfTheTrace(t *testing.T) {
	const fences, steers = "fences, acquires and releases", "results of atomics that steer branches or addresses"
	for script, want := range map[string][]string{
		"../testdata/race/norace_barrier.amber":          nil,
		"../testdata/race/norace_atomics.amber":          nil,
		"../testdata/race/race_atomic_plain.amber":       nil,
		"../testdata/amp/histogram.amber":                nil,
		"../testdata/amp/matmul_tiled.amber":             nil,
		"../testdata/race/norace_release_fence.amber":    {fences, steers},
		"../testdata/race/race_half_fenced.amber":        {fences},
		"../testdata/spin/spin_flag_never_set.amber":     {steers},
		"testdata/order/order_append.amber":              {steers},
		"../emu/testdata/spin/clean_turns.amber":         {steers},
		"../testdata/features/atomics.amber":             nil,
		"../testdata/race/norace_subgroup_barrier.amber": {fences},
	} {
		c := repeat(t, script, racecheck.Options{}, 1).Coverage
		if !slices.Equal(c.Traced, want) || c.Exact() != (want == nil) {
			t.Errorf("%s: %q, want %q", script, c.Traced, want)
		}
		if says := strings.Contains(c.String(), "--repeat-seeds"); says != (want != nil) {
			t.Errorf("%s: %s", script, c.String())
		}
	}
}
