package racecheck_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// TestSeverities runs kernels whose findings options turn off or on.
func TestSeverities(t *testing.T) {
	for _, c := range []struct {
		script string
		opt    racecheck.Options
		want   []string
	}{
		{"race_lockstep", racecheck.Options{AssumeLockstep: true}, nil},
		{"race_intra_tile_shared", racecheck.Options{AssumeLockstep: true}, []string{"error race/intra-tile"}},
		{"race_same_instruction", racecheck.Options{AssumeLockstep: true}, []string{"error race/same-instruction"}},
		{"race_same_instruction_image", racecheck.Options{AssumeLockstep: true}, []string{"error race/same-instruction"}},
		{"race_same_instruction_loop", racecheck.Options{AssumeLockstep: true}, []string{"error race/same-instruction"}},
		{"race_same_value", racecheck.Options{}, []string{"warning race/same-value"}},
		{"race_same_value", racecheck.Options{SameValue: racecheck.UniformWrites}, nil},
		{"race_same_value_global", racecheck.Options{SameValue: racecheck.Unchanged}, nil},
		{"race_inter_tile_same_value_first", racecheck.Options{SameValue: racecheck.UniformWrites}, []string{"error race/inter-tile"}},
		{"race_inter_tile_same_value_first", racecheck.Options{Severity: map[string]diag.Severity{"same-value": diag.SeverityOff}}, []string{"error race/inter-tile"}},
		{"race_half_fenced", racecheck.Options{}, []string{"warning race/half-fenced"}},
		{"race_half_fenced", racecheck.Options{Strict: true}, []string{"error race/half-fenced"}},
		{"race_half_fenced", racecheck.Options{Severity: map[string]diag.Severity{"race": diag.SeverityOff}}, nil},
		{"race_aliased_binding", racecheck.Options{Strict: true}, []string{"error race/aliased-binding"}},
		{"race_private", racecheck.Options{Strict: true}, []string{"error race/private"}},
		{"oob_buffer", racecheck.Options{Robust: true}, nil},
		{"uninit_tile_static", racecheck.Options{Severity: map[string]diag.Severity{"uninitialized": diag.SeverityNote}}, []string{"note uninitialized"}},
	} {
		t.Run(fmt.Sprintf("%s %+v", c.script, c.want), func(t *testing.T) {
			var got []string
			for _, f := range check(t, "../testdata/race/"+c.script+".amber", c.opt).Findings {
				got = append(got, f.Severity.String()+" "+f.Rule())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}

func check(tb testing.TB, path string, opt racecheck.Options) *racecheck.Result {
	tb.Helper()
	l, err := launch.Load(path, launch.LoadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	r, err := racecheck.Run(tb.Context(), l, opt, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestBufferDeclaredUninitialised(t *testing.T) {
	const script = "../testdata/race/norace_reads.amber"
	if r := check(t, script, racecheck.Options{Uninitialized: []string{"data"}}); len(r.Findings) != 1 || r.Findings[0].Code != diag.Uninitialized {
		t.Errorf("found %v, want one use of unwritten memory", r.Findings)
	}
}

// TestOutputIsTheSameEveryTime writes all reports twenty times.
func TestOutputIsTheSameEveryTime(t *testing.T) {
	paths := slices.Concat(scripts(t, "race/*.amber"), scripts(t, "diverge/diverge_*.amber"))
	all := func() []byte {
		var b bytes.Buffer
		for _, path := range paths {
			r := check(t, path, racecheck.Options{})
			report := &diag.Report{Name: filepath.Base(path), Findings: r.Findings, Coverage: &r.Coverage}
			if err := diag.WriteText(&b, []*diag.Report{report}, diag.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := diag.WriteJSON(&b, []*diag.Report{report}); err != nil {
				t.Fatal(err)
			}
		}
		return b.Bytes()
	}
	first := all()
	for range 19 {
		if !bytes.Equal(first, all()) {
			t.Fatal("two runs of the checks gave different reports")
		}
	}
}

// TestFindingsDoNotDependOnTheSchedule compares what seeds find in kernels
// with barriers and relaxed atomics.
func TestFindingsDoNotDependOnTheSchedule(t *testing.T) {
	for _, name := range []string{"race_intra_tile_shared", "race_intra_tile_reuse", "race_inter_tile", "race_inter_tile_next_tile", "race_atomic_plain", "race_unfenced_barrier", "race_same_value", "norace_reuse", "norace_atomics"} {
		path := "../testdata/race/" + name + ".amber"
		text := func(seed uint64) string {
			var b bytes.Buffer
			report := &diag.Report{Name: name, Findings: check(t, path, racecheck.Options{Seed: seed}).Findings}
			if err := diag.WriteText(&b, []*diag.Report{report}, diag.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		want := text(0)
		for seed := range uint64(10) {
			if got := text(seed + 1); got != want {
				t.Errorf("%s: in the canonical order\n%s\nunder seed %d\n%s", name, want, seed+1, got)
			}
		}
	}
}

// TestRacesHaveTheValuesOfBothSides looks at what a first access left where
// memory no longer holds it when the second comes.
func TestRacesHaveTheValuesOfBothSides(t *testing.T) {
	for _, c := range []struct{ script, wrote string }{
		{"race_same_value", "1"},               // by another lane of the same instruction
		{"race_atomic_plain_overwritten", "5"}, // overwritten since
		{"race_inter_tile", "0"},
	} {
		r := check(t, "../testdata/race/"+c.script+".amber", racecheck.Options{})
		if got := r.Findings[0].Accesses[0].New; got != c.wrote {
			t.Errorf("%s: the first access wrote %q, want %q", c.script, got, c.wrote)
		}
	}
}

// TestStoppingCountsWhatWasLookedAt stops at the second lane of a warp of four.
func TestStoppingCountsWhatWasLookedAt(t *testing.T) {
	if r := check(t, "../testdata/race/race_same_instruction.amber", racecheck.Options{StopOnFinding: true}); r.Coverage.Checked != 2 {
		t.Errorf("%d accesses checked, want 2", r.Coverage.Checked)
	}
}

// TestLockInWarpNamesWarp1 looks for the outcome with warps of one thread.
func TestLockInWarpNamesWarp1(t *testing.T) {
	for script, want := range map[string]string{
		"../testdata/spin/spin_lock_in_warp":            "[livelock race/intra-tile]",
		"../emu/testdata/spin/spin_fenced_lock_in_warp": "[livelock]",
	} {
		r := check(t, script+".amber", racecheck.Options{Steps: 1 << 22})
		if got := fmt.Sprint(rules(r)); got != want {
			t.Errorf("%s: found %v, want %v", script, got, want)
		}
		for _, f := range r.Findings {
			if !slices.ContainsFunc(f.Notes, func(n diag.Note) bool { return strings.Contains(n.Msg, "with --warp 1") }) {
				t.Errorf("%s: %s does not name --warp 1", script, f.Rule())
			}
		}
	}
}

func rules(r *racecheck.Result) []string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, f.Rule())
	}
	return out
}

func TestStopsAtTheSecondAccess(t *testing.T) {
	l, err := launch.Load("../testdata/race/race_intra_tile_shared.amber", launch.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := racecheck.Run(t.Context(), l, racecheck.Options{StopOnFinding: true}, nil)
	if err != nil || !r.Stopped || len(r.Findings) != 1 {
		t.Fatalf("stopped %v with %v, %v", r.Stopped, r.Findings, err)
	}
	// The first warp has stored its results, the second is before its store.
	if got := l.Buffers[0].Data[4*4]; got != 0 {
		t.Errorf("thread 4 has gone on: result %d", got)
	}
}

func TestWitnessAndWhatIf(t *testing.T) {
	load := func() (*launch.Launch, error) {
		return launch.Load("../testdata/race/race_intra_tile_shared.amber", launch.LoadOptions{})
	}
	r, base, err := racecheck.RepeatSeeds(t.Context(), load, racecheck.Options{}, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := racecheck.FindWitnesses(t.Context(), load, racecheck.Options{}, 4, r.Findings)
	if err != nil || len(w) != 1 || w[0] == nil || w[0].InA == w[0].InB || w[0].Swap == nil {
		t.Fatalf("witnesses %v, %v", w, err)
	}
	for _, c := range []struct {
		line            int
		gone, left, new int
	}{{11, 1, 0, 0}, {10, 0, 1, 0}} {
		out, err := racecheck.Try(t.Context(), load, racecheck.Options{}, racecheck.Change{File: "race_intra_tile_shared.comp", Line: c.line}, base, r.Findings)
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Gone) != c.gone || len(out.Left) != c.left || len(out.New) != c.new {
			t.Errorf("barrier before line %d: %v", c.line, out)
		}
	}
	if _, err := racecheck.Try(t.Context(), load, racecheck.Options{}, racecheck.Change{File: "x.comp", Line: 1}, base, r.Findings); err == nil {
		t.Error("a barrier before a line that does not exist: no error")
	}
}

// TestNothingRanIsNoSuccess: a launch that ran no thread, or whose end was
// turned off, is an error for whoever asks.
func TestNothingRanIsNoSuccess(t *testing.T) {
	for name, c := range map[string]struct {
		path string
		opt  racecheck.Options
		none bool
	}{
		"an empty grid":     {path: "../testdata/race/norace_barrier.amber", none: true},
		"a livelock is off": {path: "../testdata/spin/spin_flag_never_set.amber", opt: racecheck.Options{Severity: map[string]diag.Severity{"livelock": diag.SeverityOff, "deadlock": diag.SeverityOff}}},
	} {
		l, err := launch.Load(c.path, launch.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if c.none {
			for _, d := range launch.Dispatches(l.Steps) {
				d.Groups[1] = 0
			}
		}
		r, err := racecheck.Run(t.Context(), l, c.opt, nil)
		var d *diag.Error
		if !errors.As(err, &d) || d.Class != diag.NotRun {
			t.Errorf("%s: findings %v, error %v; want one of class %v", name, rules(r), err, diag.NotRun)
		}
	}
}

// TestRunOptions uses the options that say how a launch runs and who is told.
func TestRunOptions(t *testing.T) {
	const printf = "../testdata/features/debug_printf.amber"
	said := func(opt racecheck.Options) (threads []diag.Thread) {
		opt.Printf = func(t diag.Thread, text string) { threads = append(threads, t) }
		check(t, printf, opt)
		return threads
	}
	canonical := said(racecheck.Options{Warp: 1})
	if len(canonical) == 0 {
		t.Fatal("nothing was printed")
	}
	for _, th := range canonical {
		if th.Lane != 0 || th.Warp != th.Local {
			t.Errorf("%s in warps of one lane", th)
		}
	}
	orders := 0
	for seed := uint64(1); seed <= 8; seed++ {
		threads := said(racecheck.Options{Warp: 1, Seed: seed})
		if len(threads) != len(canonical) {
			t.Errorf("seed %d: %d lines, want %d", seed, len(threads), len(canonical))
		}
		if !slices.Equal(threads, canonical) {
			orders++
		}
	}
	if orders == 0 {
		t.Error("eight seeds print in the canonical order")
	}

	var last emu.Progress
	r := check(t, "../testdata/speed/matmul_tiled.amber", racecheck.Options{Progress: func(p emu.Progress) { last = p }})
	if last.Tiles == 0 || last.Tiles > last.TilesTotal || last.Steps == 0 || last.Steps > r.Steps {
		t.Errorf("the last progress told of is %+v of %d steps", last, r.Steps)
	}

	l, err := launch.Load(printf, launch.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = racecheck.Run(t.Context(), l, racecheck.Options{Steps: 3}, nil)
	var e *diag.Error
	if !errors.As(err, &e) || e.Class != diag.Budget {
		t.Errorf("3 steps: %v, want the end of the budget", err)
	}
}
