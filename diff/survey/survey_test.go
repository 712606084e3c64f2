package survey

import (
	"math"
	"os"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/gpu"
)

// The emulator is inside all bounds, and most of its results are the nearest
// numbers: that holds the exact results of this package against those of
// another implementation.
func TestEmulatorIsInsideAllBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("65,536 inputs of each operation")
	}
	rows, err := Run(t.Context(), &emu.Emulator{Options: emu.Options{Warp: 64}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		r := &rows[i]
		if r.Lacking != "" || !r.Inside() {
			t.Errorf("%s on %d bits: %s, %d outside; at %v got %v, want %v", r.Operation.Name, r.Operation.Width, r.Lacking, r.Outside, r.Args, r.Got, r.Want)
		}
		if r.Operation.bound != nil && !r.Operation.absolute && !strings.Contains(r.Operation.Bound, "sum") && r.Error > 3 {
			t.Errorf("%s on %d bits is %g ULP off at %v: got %v, want %v", r.Operation.Name, r.Operation.Width, r.Error, r.Args, r.Got, r.Want)
		}
	}
	t.Log("\n" + Table(rows))
}

func TestDeviceIsInsideAllBounds(t *testing.T) {
	a, err := gpu.Open(os.Getenv("AMPDBG_TEST_DEVICE"), gpu.Options{})
	if err != nil {
		if os.Getenv("AMPDBG_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	defer a.Close()
	rows, err := Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if r := &rows[i]; r.Lacking == "" && !r.Inside() {
			t.Errorf("%s on %d bits: %d results outside; at %v got %v, want %v", r.Operation.Name, r.Operation.Width, r.Outside, r.Args, r.Got, r.Want)
		}
	}
	t.Log("\n" + Table(rows))
}

func TestRounding(t *testing.T) {
	for _, c := range []struct {
		x, want float64
		width   int
	}{
		{1 + 0x1p-11, 1, 16},
		{1 + 3*0x1p-11, 1 + 0x1p-9, 16},
		{-1 - 0x1p-10, -1 - 0x1p-10, 16},
		{0x1p-14 + 0x1p-25, 0x1p-14, 16},
		{1 + 0x1p-24, 1, 32},
		{math.Pi, float64(float32(math.Pi)), 32},
		{math.Pi, math.Pi, 64},
	} {
		if got := round(c.x, c.width); got != c.want {
			t.Errorf("round(%v, %d) = %v, want %v", c.x, c.width, got, c.want)
		}
	}
	for _, c := range []struct {
		x, want float64
		width   int
	}{{1, 0x1p-23, 32}, {1.999, 0x1p-23, 32}, {-4, 0x1p-21, 32}, {1, 0x1p-10, 16}, {0x1p-14, 0x1p-24, 16}, {0x1p-20, 0x1p-24, 16}, {1, 0x1p-52, 64}, {0, 0x1p-149, 32}} {
		if got := ulp(c.x, c.width); got != c.want {
			t.Errorf("ulp(%v, %d) = %v, want %v", c.x, c.width, got, c.want)
		}
	}
}

// A wrong result is seen as one.
func TestErrorsAreMeasured(t *testing.T) {
	exact := &Operation{Width: 32}
	if share, err := exact.judge(nil, 1+0x1p-23, 1); !math.IsInf(share, 1) || err != 1 {
		t.Errorf("one unit off an exact result: share %v, error %v", share, err)
	}
	loose := &Operation{Width: 32, bound: ulps(4)}
	if share, err := loose.judge(nil, 1+0x1p-23, 1); share != 0.25 || err != 1 {
		t.Errorf("one unit of four: share %v, error %v", share, err)
	}
	if share, _ := loose.judge(nil, math.NaN(), 1); !math.IsInf(share, 1) {
		t.Errorf("a NaN: share %v", share)
	}
	absolute := &Operation{Width: 32, bound: abs(0x1p-11), absolute: true}
	if share, err := absolute.judge(nil, 0x1p-12, 0); share != 0.5 || err != 0x1p-12 {
		t.Errorf("half of an absolute bound: share %v, error %v", share, err)
	}
}
