package racecheck_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// TestResultsThatDependOnTheOrder repeats kernels whose accesses are all
// atomic: the one finding is what depends on the schedule, if anything does.
func TestResultsThatDependOnTheOrder(t *testing.T) {
	variables := map[string]string{
		"order_reset": "Counts.count", "order_last_writer": "Last.last[1]", "order_append": "List.list[9]",
		"order_told_once": "Last.last[1]", "order_texel": "picture[1,0]",
	}
	paths, _ := filepath.Glob("testdata/order/*.amber")
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".amber")
		t.Run(name, func(t *testing.T) {
			r := repeat(t, path, racecheck.Options{}, 4)
			var found []string
			for _, f := range r.Findings {
				found = append(found, string(f.Code))
			}
			want := map[string]string{"order": "order-dependent", "race": "race", "noorder": ""}[strings.Split(name, "_")[0]]
			if got := strings.Join(found, " "); got != want {
				t.Fatalf("found %q, want %q", got, want)
			}
			if want != "order-dependent" {
				return
			}
			f := &r.Findings[0]
			if f.Variable.String() != variables[name] {
				t.Errorf("the finding is of %s, want %s", f.Variable, variables[name])
			}
			if len(f.Accesses) != 2 || f.Accesses[0].Thread == f.Accesses[1].Thread || !f.Accesses[0].Pos.IsValid() || f.Severity != diag.SeverityWarning {
				t.Errorf("%+v", f)
			}
			off := racecheck.Options{Severity: map[string]diag.Severity{"order-dependent": diag.SeverityOff}}
			if r := repeat(t, path, off, 4); len(r.Findings) > 0 {
				t.Errorf("found %v though it is off", r.Findings)
			}
		})
	}
}

// TestUnorderedResults takes the list of an append buffer as a set.
func TestUnorderedResults(t *testing.T) {
	for name, want := range map[string]int{"0.1": 0, "second": 0, "0.1[0]": 0, "0.0": 1, "first": 1, "0.1[1]": 1} {
		r := repeat(t, "testdata/order/order_append.amber", racecheck.Options{Unordered: []string{name}}, 4)
		if len(r.Findings) != want {
			t.Errorf("--unordered %s: %d findings, want %d", name, len(r.Findings), want)
		}
	}
	if r := repeat(t, "testdata/order/order_reset.amber", racecheck.Options{Unordered: []string{"0.0"}}, 4); len(r.Findings) != 1 {
		t.Errorf("%d findings on a count that differs, want 1", len(r.Findings))
	}
}

func repeat(t *testing.T, path string, opt racecheck.Options, n int) *racecheck.Result {
	t.Helper()
	load := func() (*launch.Launch, error) { return launch.Load(path, launch.LoadOptions{}) }
	r, _, err := racecheck.RepeatSeeds(t.Context(), load, opt, n, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAnErrorLosesNoFinding: what one schedule found stands if the next ends
// early.
func TestAnErrorLosesNoFinding(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	loads := 0
	load := func() (*launch.Launch, error) {
		if loads++; loads > 1 {
			cancel()
		}
		return launch.Load("../testdata/race/race_inter_tile.amber", launch.LoadOptions{})
	}
	r, _, err := racecheck.RepeatSeeds(ctx, load, racecheck.Options{}, 3, nil)
	if !errors.Is(err, context.Canceled) || len(r.Findings) != 1 || r.Findings[0].Class != diag.RaceInterTile {
		t.Errorf("error %v, findings %v", err, r.Findings)
	}
}
