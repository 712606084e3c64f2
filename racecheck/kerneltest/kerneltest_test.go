package kerneltest_test

import (
	"testing"

	"ampdbg/diag"
	"ampdbg/racecheck/kerneltest"
)

func TestCheckPassesCleanKernels(t *testing.T) {
	kerneltest.Check(t, kerneltest.Load(t, "../../testdata/race/norace_barrier.amber"), kerneltest.Warp(1, 2, 4, 8, 32), kerneltest.Seeds(0, 1, 2))
	kerneltest.Check(t, kerneltest.Load(t, "../../testdata/amp/reduction.amber"))
}

func TestExpectFindsWhatIsThere(t *testing.T) {
	race := func(name string) *kerneltest.Kernel { return kerneltest.Load(t, "../../testdata/race/"+name+".amber") }
	kerneltest.Expect(t, race("race_intra_tile_shared"), kerneltest.Race("s"))
	kerneltest.Expect(t, race("race_atomic_plain"), kerneltest.RaceClass(diag.RaceAtomicPlain, "count"))
	kerneltest.Expect(t, race("race_unfenced_barrier"), kerneltest.Race("data"))
	kerneltest.Expect(t, race("oob_buffer"), kerneltest.OutOfBounds("Result"))
	kerneltest.Expect(t, race("uninit_tile_static"), kerneltest.Uninitialized("s"))
	kerneltest.Expect(t, kerneltest.Load(t, "../../testdata/diverge/diverge_missing_in_warp.amber"), kerneltest.DivergentBarrier())
}
