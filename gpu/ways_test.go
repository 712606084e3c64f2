//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"context"
	"os"
	"strings"
	"testing"

	"ampdbg/launch"
)

// open opens the first device that is there, or skips the test; with
// AMPDBG_REQUIRE_GPU=1 in the environment it fails instead.
func open(t testing.TB, opt Options) *Accelerator {
	t.Helper()
	a, err := Open(os.Getenv("AMPDBG_TEST_DEVICE"), opt)
	if err != nil {
		if os.Getenv("AMPDBG_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// run runs a dispatch and fails the test on any error.
func run(t testing.TB, a *Accelerator, d *launch.Dispatch) *Result {
	t.Helper()
	r, err := a.Run(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Messages {
		t.Error(m)
	}
	return r
}

// everyWay runs a test with mapped memory, with copies through staging
// memory, and under the validation layer where that is installed.
func everyWay(t *testing.T, opt Options, f func(t *testing.T, a *Accelerator)) {
	t.Run("mapped", func(t *testing.T) { f(t, open(t, opt)) })
	t.Run("copied", func(t *testing.T) {
		a := open(t, opt)
		a.copying = true
		f(t, a)
	})
	t.Run("validated", func(t *testing.T) {
		opt.Validate = true
		f(t, openValidated(t, opt))
	})
}

// openValidated is open, but skips the test without the validation layer.
func openValidated(t testing.TB, opt Options) *Accelerator {
	t.Helper()
	a, err := Open(os.Getenv("AMPDBG_TEST_DEVICE"), Options{Validate: true})
	if err != nil && strings.Contains(err.Error(), "VK_LAYER_KHRONOS_validation is not installed") {
		t.Skip(err)
	}
	if err == nil {
		a.Close()
	}
	return open(t, opt)
}
