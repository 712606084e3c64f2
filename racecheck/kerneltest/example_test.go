package kerneltest_test

import (
	"testing"

	"ampdbg/racecheck/kerneltest"
)

// A test that fails if the kernel has a bug, for warps of several widths.
func ExampleCheck() {
	_ = func(t *testing.T) {
		k := kerneltest.Load(t, "testdata/reduce.amber")
		kerneltest.Check(t, k, kerneltest.Warp(4, 32), kerneltest.Seeds(0, 1, 2))
	}
}

// A test of a kernel that should be caught.
func ExampleExpect() {
	_ = func(t *testing.T) {
		k := kerneltest.Load(t, "testdata/broken_reduce.amber")
		kerneltest.Expect(t, k, kerneltest.Race("sums"))
	}
}
