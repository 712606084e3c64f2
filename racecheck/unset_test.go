package racecheck

import (
	"path/filepath"
	"testing"

	"ampdbg/emu"
	"ampdbg/launch"
)

// TestReadsUnset runs the analysis on kernels of which it is known whether
// all their variables are set before they are read.
func TestReadsUnset(t *testing.T) {
	for name, want := range map[string]bool{
		"amp/matmul_tiled": false, "amp/bitonic_sort": false, "amp/nbody": false, "amp/transpose_padded": false, "race/norace_reuse": false,
		"amp/mandelbrot": false, "amp/stencil": false, "race/oob_private_array": false,
		"race/uninit_private_branch": true, "race/uninit_private_store": true, "race/uninit_private_address": true,
		"race/norace_partly_written_array": true, // it cannot be sure
	} {
		l, err := launch.Load(filepath.Join("../testdata", name+".amber"), launch.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range launch.Dispatches(l.Steps) {
			m, err := (&emu.Emulator{}).Prepare(d)
			if err != nil {
				t.Fatal(err)
			}
			if got := readsUnset(m.Unit, m.Entry.Function); got != want {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	}
}
