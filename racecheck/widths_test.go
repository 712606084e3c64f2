package racecheck_test

import (
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// TestWidthsAtWhichFindingsGoAway checks kernels that assume warps of 32 lanes,
// and some whose findings have nothing to
// do with the width.
func TestWidthsAtWhichFindingsGoAway(t *testing.T) {
	for script, want := range map[string]struct {
		noted, all int
		says       string
	}{
		"testdata/widths/lockstep_reduce.amber":             {8, 12, "with --warp 32 lockstep alone"},
		"testdata/widths/ballot.amber":                      {1, 1, "goes away with --warp 32"},
		"../testdata/race/race_lockstep.amber":              {0, 1, ""},
		"../testdata/race/race_intra_tile_shared.amber":     {0, 1, ""},
		"../testdata/race/race_inter_tile.amber":            {0, 1, ""},
		"../testdata/spin/spin_flag_never_set.amber":        {0, 1, ""},
		"../testdata/diverge/diverge_missing_in_warp.amber": {0, 1, ""},
		"../testdata/race/race_same_instruction_loop.amber": {0, 1, ""},
	} {
		load := func() (*launch.Launch, error) { return launch.Load(script, launch.LoadOptions{}) }
		r, _, err := racecheck.RepeatSeeds(t.Context(), load, racecheck.Options{}, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		fs, err := racecheck.NoteWidths(t.Context(), load, racecheck.Options{}, 1, r.Steps, r.Findings)
		if err != nil {
			t.Fatal(err)
		}
		noted := 0
		for _, f := range fs {
			for _, n := range f.Notes {
				if strings.HasPrefix(n.Msg, "this depends on the width") {
					noted++
					if !strings.Contains(n.Msg, want.says) {
						t.Errorf("%s: %s", script, n.Msg)
					}
				}
			}
		}
		if noted != want.noted || len(fs) != want.all {
			t.Errorf("%s: %d of %d findings have a note, want %d of %d", script, noted, len(fs), want.noted, want.all)
		}
	}
}

// TestExpectThatHoldsAtAnotherWidth notes it on the failure.
func TestExpectThatHoldsAtAnotherWidth(t *testing.T) {
	load := func() (*launch.Launch, error) {
		return launch.Load("testdata/widths/shuffle.amber", launch.LoadOptions{})
	}
	var failed []diag.Finding
	l, _ := load()
	r, err := racecheck.Run(t.Context(), l, racecheck.Options{}, func(e *launch.ExpectResult) {
		failed = append(failed, diag.Finding{Code: diag.ExpectFailed, Pos: e.Expect.Pos})
	})
	if err != nil {
		t.Fatal(err)
	}
	fs, err := racecheck.NoteWidths(t.Context(), load, racecheck.Options{}, 1, r.Steps, failed)
	if err != nil || len(fs) != 1 || len(fs[0].Notes) != 1 || !strings.Contains(fs[0].Notes[0].Msg, "--warp 32") {
		t.Errorf("%+v %v", fs, err)
	}
}
