//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ampdbg/diag"
	"ampdbg/launch"
)

// Every launch of the project's own kernels runs under the validation layer,
// where that is installed, with its expectations kept and without a message.
// What the device lacks is said and no failure.
func TestLaunchesOfTestdata(t *testing.T) {
	files, err := filepath.Glob("../testdata/*/*.amber")
	if err != nil || len(files) == 0 {
		t.Fatal("no launches in ../testdata", err)
	}
	device := open(t, Options{}).Device()
	validated, err := Open("", Options{Validate: true})
	validate := err == nil
	if validate {
		validated.Close()
	}
	ran, lacking := 0, 0
	for _, file := range files {
		verdict, _, _ := strings.Cut(filepath.Base(file), "_")
		if (verdict == "spin" || verdict == "diverge") && !device.Accelerator.IsEmulated {
			continue // made to hang hardware
		}
		if verdict == "fault" || verdict == "expect" {
			continue // made to fault, which a driver that runs on the processor does not survive, or to fail
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			l, err := launch.Load(file, launch.LoadOptions{})
			if err != nil {
				t.Skip(err)
			}
			opt := Options{Validate: validate, Require: l.Require, Timeout: 30 * time.Second, OnResult: func(d *launch.Dispatch, r *Result) {
				t.Logf("%s: on the device %v", d.Pipeline, Summarize(r.Device))
				for _, m := range r.Messages {
					t.Error(m)
				}
			}}
			a, err := Open("", opt)
			if err == nil {
				defer func() {
					if err := a.Close(); err != nil {
						t.Error(err)
					}
				}()
				_, err = l.Execute(t.Context(), a, func(r *launch.ExpectResult) {
					// lavapipe ends a wait after 65,535 rounds.
					waits := filepath.Base(filepath.Dir(file)) == "spin" || strings.HasPrefix(filepath.Base(file), "norace_release_")
					if !r.OK() && !(waits && device.Accelerator.IsEmulated) {
						t.Error(r)
					}
				})
				for _, m := range a.Messages() {
					t.Error(m)
				}
			}
			var lack *diag.Error
			var outside *OutsideError
			switch {
			case err == nil, verdict == "oob" && errors.As(err, &outside):
				ran++
			case errors.As(err, &lack) && lack.Class == diag.Unsupported && strings.Contains(err.Error(), device.Name):
				t.Log(err)
				lacking++
			default:
				t.Error(err)
			}
		})
	}
	t.Logf("%d launches ran, %d ask for what the device lacks", ran, lacking)
}
