package emu_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ampdbg/diag"
	"ampdbg/emu"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files anew")

// golden compares text with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// sourceText finds sources beside the scripts.
func sourceText(dir string) diag.Sources {
	return func(file string) (string, bool) {
		text, err := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		return string(text), err == nil
	}
}

// barrierKind is the class of divergent barrier that a script's name promises.
func barrierKind(name string) string {
	name = strings.TrimPrefix(name, "diverge_")
	for _, k := range []string{
		diag.BarrierExited, diag.BarrierMissing, diag.BarrierOther, diag.BarrierOtherIteration,
		diag.BarrierOtherCallSite, diag.BarrierFallthrough, diag.BarrierAfterDivergentReturn,
	} {
		if strings.HasPrefix(name, strings.ReplaceAll(k, "-", "_")) {
			return k
		}
	}
	return "?"
}

// TestVerdicts runs the kernels with divergent barriers and spin loops: one
// finding each, of the kind in the script's name, whole reports as goldens.
func TestVerdicts(t *testing.T) {
	for _, path := range scripts(t) {
		v := verdict(path)
		if v == "clean" || strings.Contains(path, "/race/") {
			continue // the checker's tests have goldens of those
		}
		name := strings.TrimSuffix(filepath.Base(path), ".amber")
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			got, e, err := outcome(path, emu.Options{Steps: 1 << 24})
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(name, "spin_endless") {
				// Its registers change for ever: nothing can be proved.
				if got != "budget" {
					t.Errorf("got %s, want the end of the budget", got)
				}
				return
			}
			fs := e.Findings()
			if len(fs) != 1 {
				t.Fatalf("%d findings, want 1", len(fs))
			}
			switch v {
			case "diverge":
				if fs[0].Code != diag.DivergentBarrier || fs[0].Class != barrierKind(name) {
					t.Errorf("got %s, want divergent-barrier/%s", fs[0].Rule(), barrierKind(name))
				}
			case "spin":
				if fs[0].Code != diag.Livelock && fs[0].Code != diag.Deadlock {
					t.Errorf("got %s, want a livelock or deadlock", fs[0].Rule())
				}
				if d := time.Since(start); d > 5*time.Second {
					t.Errorf("took %v", d)
				}
			}
			var b strings.Builder
			err = diag.WriteText(&b, []*diag.Report{{Name: path, Findings: fs}}, diag.TextOptions{Sources: sourceText(filepath.Dir(path))})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "verdicts/"+name+".txt", b.String())
		})
	}
}

// TestVerdictsDoNotDependOnWorkers compares findings on one and on two
// workers.
func TestVerdictsDoNotDependOnWorkers(t *testing.T) {
	for _, path := range scripts(t) {
		if verdict(path) == "clean" || strings.Contains(path, "/race/") || strings.Contains(path, "spin_endless") {
			continue
		}
		_, one, err := outcome(path, emu.Options{Steps: 1 << 24})
		if err != nil {
			t.Fatal(err)
		}
		_, two, err := outcome(path, emu.Options{Steps: 1 << 24, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(one.Findings(), two.Findings()); d != "" {
			t.Errorf("%s: 1 worker (-), 2 workers (+):\n%s", path, d)
		}
	}
}

// TestOneBugIsOneFinding runs a kernel whose threads miss a barrier in other
// ways in each of its tiles, and then miss each other at six more.
func TestOneBugIsOneFinding(t *testing.T) {
	k := kernel{size: 8, body: `
%l = OpLoad %uint %local
%w = OpLoad %v3uint %tileid
%x = OpCompositeExtract %uint %w 0
%c = OpUGreaterThan %bool %l %x
OpSelectionMerge %end None
OpBranchConditional %c %then %end
%then = OpLabel
OpControlBarrier %uint_2 %uint_2 %uint_264
OpBranch %end
%end = OpLabel
` + strings.Repeat("OpControlBarrier %uint_2 %uint_2 %uint_264\n", 6)}
	d := k.dispatch(t, 7)
	for _, workers := range []int{1, 2} {
		r, err := emu.Run(context.Background(), d, emu.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != 1 || r.Findings[0].Times() != 7 {
			t.Errorf("%d workers: %d findings, the first %d times; want 1, 7 times", workers, len(r.Findings), r.Findings[0].Times())
		}
	}
}
