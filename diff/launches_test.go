package diff

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/gpu"
)

// faults are launches whose results lavapipe (Mesa 22.3) gets wrong, with what
// it does.
var faults = map[string]string{}

// TestLaunchesOfTestdata compares every launch of the project's own kernels
// that has no fault: emulator and device must agree.
func TestLaunchesOfTestdata(t *testing.T) {
	device := open(t, gpu.Options{}).Device()
	files, err := filepath.Glob("../testdata/*/*.amber")
	if err != nil || len(files) == 0 {
		t.Fatal("no launches in ../testdata", err)
	}
	count := map[string]int{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".amber")
		if verdict, _, _ := strings.Cut(name, "_"); verdict == "spin" || verdict == "diverge" || verdict == "oob" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			x, y := load(t, file), load(t, file)
			a := open(t, gpu.Options{Require: y.Require, Timeout: 30 * time.Second})
			o, err := Compare(t.Context(), [2]*Side{EmulatorSide(x, emu.Options{}), GPUSide(y, a)}, Options{Override: NoOverride})
			var lack *diag.Error
			if errors.As(err, &lack) && lack.Class == diag.Unsupported && strings.Contains(err.Error(), device.Name) {
				count["lacking"]++
				t.Log(err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			count[o.Class()]++
			t.Log(text(o))
			if !o.Same() {
				t.Fail()
			}
		})
	}
	t.Log(count)
}
