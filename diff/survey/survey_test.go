package survey

import (
	"math"
	"os"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/gpu/isolate"
	"ampdbg/launch"
)

func TestMain(m *testing.M) {
	isolate.ServeChild()
	os.Exit(m.Run())
}

// all measures operations on a machine, and logs the table.
func all(t *testing.T, ex launch.Executor) []Row {
	t.Helper()
	var rows []Row
	var table strings.Builder
	table.WriteString("\n" + TableHead)
	for _, op := range Operations() {
		r, err := Measure(t.Context(), ex, op)
		if err != nil {
			t.Fatal(op.ID(), err)
		}
		if r.Lacking == "" && !r.Inside() {
			t.Errorf("%s: %d results outside of the bound; at %v got %v, want %v", op.ID(), r.Outside, r.Args, r.Got, r.Want)
		}
		rows = append(rows, r)
		table.WriteString(r.String())
	}
	t.Log(table.String())
	return rows
}

// The emulator is inside all bounds, and most of its results are the nearest
// numbers: that holds the exact results of this package against those of
// another implementation.
func TestEmulatorIsInsideAllBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("65,536 inputs of each operation")
	}
	rows := all(t, &emu.Emulator{Options: emu.Options{Warp: 64}})
	for i := range rows {
		r := &rows[i]
		if r.Lacking != "" {
			t.Errorf("%s: %s", r.Operation.ID(), r.Lacking)
		}
		if r.Operation.bound != nil && !r.Operation.absolute && !strings.Contains(r.Operation.Bound, "sum") && r.Error > 3 {
			t.Errorf("%s is %g ULP off at %v: got %v, want %v", r.Operation.ID(), r.Error, r.Args, r.Got, r.Want)
		}
	}
}

func TestDeviceIsInsideAllBounds(t *testing.T) {
	var h isolate.Host
	defer h.Close()
	a, err := h.Open(t.Context(), os.Getenv("AMPDBG_TEST_DEVICE"), isolate.Options{})
	if err != nil {
		if os.Getenv("AMPDBG_REQUIRE_GPU") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	defer a.Close()
	lavapipe := strings.HasPrefix(a.Device().Name, "llvmpipe")
	for _, r := range all(t, a) {
		// The compiler of lavapipe (Mesa 22.3) dies of some operations on
		// 16-bit floats.
		if strings.Contains(r.Lacking, "crashed") && !(lavapipe && r.Operation.Width == 16) {
			t.Errorf("%s: %s", r.Operation.ID(), r.Lacking)
		}
	}
}

func TestOperationsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, op := range Operations() {
		if id := op.ID(); seen[id] {
			t.Errorf("%s stands twice", id)
		} else {
			seen[id] = true
		}
	}
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
