package diff

import (
	"testing"

	"ampdbg/emu"
	"ampdbg/launch"
)

// BenchmarkBounds is what the replay with error bounds takes, and a plain run.
func BenchmarkBounds(b *testing.B) {
	for _, file := range []string{"testdata/gemm_naive.amber", "testdata/gemm_tiled.amber", "testdata/attention.amber"} {
		l := load(b, file)
		list := launch.Dispatches(l.Steps)
		d := list[len(list)-1]
		t, err := tolerancesOf(d, false, NoOverride)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(file+"/plain", func(b *testing.B) {
			for b.Loop() {
				if _, err := emu.Run(b.Context(), d, emu.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(file+"/bounds", func(b *testing.B) {
			for b.Loop() {
				if _, err := replayBounds(b.Context(), d, emu.Options{}, t.flow); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
