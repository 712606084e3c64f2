package half_test

import (
	"math"
	"testing"

	"ampdbg/spirv/half"
)

func TestHalves(t *testing.T) {
	for h := range 1 << 16 {
		x := float64(half.ToFloat(uint16(h)))
		if back := half.FromDouble(x, false); back != uint16(h) && x == x {
			t.Fatalf("%#04x is %g is %#04x", h, x, back)
		}
		// Between two neighbours, rounding goes to the nearer, at the middle
		// to the even one.
		if h&0x7fff >= 0x7bff {
			continue
		}
		next := float64(half.ToFloat(uint16(h + 1)))
		mid := (x + next) / 2
		even := uint16(h + h&1)
		if got := half.FromDouble(mid, false); got != even {
			t.Fatalf("middle above %#04x rounds to %#04x, want %#04x", h, got, even)
		}
		if got := half.FromDouble(math.Nextafter(mid, x), false); got != uint16(h) {
			t.Fatalf("below the middle above %#04x: %#04x", h, got)
		}
		if got := half.FromDouble(math.Nextafter(mid, next), false); got != uint16(h+1) {
			t.Fatalf("above the middle above %#04x: %#04x", h, got)
		}
	}
	for x, want := range map[float64]uint16{65519.99: 0x7bff, 65520: 0x7c00, -1e300: 0xfc00, 1e-300: 0, math.Inf(1): 0x7c00} {
		if got := half.FromDouble(x, false); got != want {
			t.Errorf("%g rounds to %#04x, want %#04x", x, got, want)
		}
	}
	for x, want := range map[float64]uint16{65520: 0x7bff, 1e300: 0x7bff, -0x1.fp-25: 0x8000, math.Inf(-1): 0xfc00} {
		if got := half.FromDouble(x, true); got != want {
			t.Errorf("%g is cut to %#04x, want %#04x", x, got, want)
		}
	}
	if got := half.FromDouble(math.NaN(), false); got&0x7c00 != 0x7c00 || got&0x3ff == 0 {
		t.Errorf("NaN rounds to %#04x", got)
	}
}
