package emu_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/program"
	"ampdbg/warp"
)

// Indexes that are loop counters are checked where they may be too large, and
// only there, in optimised modules.
func TestChecksOfLoopCounters(t *testing.T) {
	for _, tool := range []string{"glslangValidator", "spirv-opt"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	for _, tt := range []struct {
		loop   string
		faults int // indexes outside of an array of 4
		checks bool
	}{
		{"for (int k = 0; k < 4; k++) sum += a[k];", 0, false},
		{"for (uint k = 0; k < 4; k++) sum += a[k];", 0, false},
		{"for (int k = 0; k <= 3; k++) sum += a[k];", 0, false},
		{"for (int k = 1; k < 4; k += 2) sum += a[k];", 0, false},
		{"for (int k = 0; k < 5; k++) sum += a[k];", 1, true},
		{"for (int k = 0; k <= 4; k++) sum += a[k];", 1, true},
		{"for (int k = 0; k < 7; k += 3) sum += a[k];", 1, true},
		{"for (int k = -1; k < 4; k++) sum += a[k];", 1, true},
		{"for (int k = 3; k >= -1; k--) sum += a[k];", 1, true},
		{"int k; for (k = 0; k < 4; k++) sum += b[k]; sum += a[k];", 1, true},
		{"for (int k = 0; k < 4; k++) { k += int(b[0]); sum += a[k]; }", 1, true},
		{"for (int k = 0; k < 4; k++) sum += a[k + 1];", 1, true},
		{"int k = 0; do { sum += a[k]; k++; } while (k < 5);", 1, true},
		{"for (int k = 0; k < 4; k++) for (int j = 0; j <= k; j++) sum += a[k] + a[j];", 0, true},
	} {
		dir := t.TempDir()
		src, spv := filepath.Join(dir, "k.comp"), filepath.Join(dir, "k.spv")
		text := "#version 450\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer B { float sum; float a[4]; float b[4]; };\nvoid main() { " + tt.loop + " }\n"
		if err := os.WriteFile(src, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, cmd := range [][]string{{"glslangValidator", "-V", "-o", spv, src}, {"spirv-opt", "--eliminate-local-multi-store", "--inline-entry-points-exhaustive", "-o", spv, spv}} {
			if out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", cmd, err, out)
			}
		}
		l, err := launch.Load(spv, launch.LoadOptions{Binds: []string{"0.0=float[9]:fill 5"}})
		if err != nil {
			t.Fatal(err)
		}
		faults, checks := 0, false
		e := &emu.Emulator{Options: emu.Options{
			Checks: true,
			Observe: func(m *emu.Machine) ([]emu.Observer, error) {
				for i := range m.Program.Code {
					checks = checks || m.Program.Code[i].Code == program.CheckIndex
				}
				return nil, nil
			},
			OnFault: func(_ *emu.Machine, _ *warp.Warp, f *warp.Fault) bool {
				if f.Kind == warp.ArrayIndex {
					faults++
				}
				return true
			},
		}}
		if _, err := l.Execute(context.Background(), e, nil); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", tt.loop, err))
		}
		if faults != tt.faults || checks != tt.checks {
			t.Errorf("%s: %d faults, checks: %v; want %d, %v", tt.loop, faults, checks, tt.faults, tt.checks)
		}
	}
}
