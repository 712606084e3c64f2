package emu_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/emu"
)

// TestSpinVerdictsDoNotDependOnTheSchedule runs the kernels that wait for ever,
// and those that only wait for long, under many schedules, widths and workers:
// the verdict is the same.
func TestSpinVerdictsDoNotDependOnTheSchedule(t *testing.T) {
	// Devices whose loops end by themselves (lavapipe) cannot run the locks.
	locks, err := filepath.Glob("testdata/spin/*.amber")
	if err != nil || locks == nil {
		t.Fatal("no locks", err)
	}
	for _, path := range append(scripts(t), locks...) {
		if !strings.Contains(path, "/spin/") {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(path), ".amber")
		t.Run(name, func(t *testing.T) {
			widths := []int{1, 4, 32}
			steps := uint64(1 << 26)
			switch {
			case strings.Contains(name, "_in_warp"):
				widths = widths[1:] // a warp of one lane does not split
			case strings.HasPrefix(name, "spin_endless"):
				steps = 1 << 18
			}
			want := ""
			verdict := func(opt emu.Options) {
				t.Helper()
				opt.Steps = steps
				got, _, err := outcome(path, opt)
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("%s with %d lanes, seed %d, %d workers (%v); %s before", got, opt.Warp, opt.Seed, opt.Workers, err, want)
				}
			}
			for _, width := range widths {
				for seed := range uint64(11) {
					verdict(emu.Options{Warp: width, Seed: seed})
				}
				verdict(emu.Options{Warp: width, Seed: emu.ReverseSeed})
				verdict(emu.Options{Warp: width, Workers: 2})
			}
			if wants := strings.HasPrefix(name, "spin_endless"); wants != (want == "budget") {
				t.Errorf("the verdict is %s", want)
			}
			if clean := strings.HasPrefix(name, "clean_"); clean != (want == "clean") {
				t.Errorf("the verdict is %s", want)
			}
		})
	}
}
