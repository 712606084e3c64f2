package texel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var nan, inf = float32(math.NaN()), float32(math.Inf(1))

// TestNormalizedDecodingIsExact compares with rational arithmetic.
func TestNormalizedDecodingIsExact(t *testing.T) {
	for _, width := range []int{1, 2, 4, 5, 6, 8, 10, 12, 16, 24} {
		for _, mode := range []Mode{UNorm, SNorm} {
			if mode == SNorm && width == 1 {
				continue
			}
			c := Component{Width: width, Mode: mode}
			step := max(1, 1<<width/5000)
			for raw := 0; raw < 1<<width; raw += step {
				n, top := int64(raw), int64(1)<<width-1
				if mode == SNorm {
					top = 1<<(width-1) - 1
					if n > top {
						n -= 1 << width
					}
					n = max(n, -top)
				}
				want, _ := big.NewRat(n, top).Float32()
				if got := toFloat(c.Decode(uint64(raw))); got != want {
					t.Fatalf("mode %d width %d: %d decodes to %g, want %g", mode, width, raw, got, want)
				}
			}
		}
	}
}

// TestNormalizedEncodingRoundsToNearestEven compares with rational arithmetic.
func TestNormalizedEncodingRoundsToNearestEven(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{2, 5, 8, 10, 16, 24} {
		for _, mode := range []Mode{UNorm, SNorm, UScaled, SScaled} {
			c := Component{Width: width, Mode: mode}
			lo, hi, scale := int64(0), int64(1)<<width-1, int64(1)<<width-1
			switch mode {
			case SNorm:
				hi = 1<<(width-1) - 1
				lo, scale = -hi, hi
			case UScaled:
				scale = 1
			case SScaled:
				lo, hi, scale = -1<<(width-1), 1<<(width-1)-1, 1
			}
			for i := range 3000 {
				f := float32(rng.Float64()*2.4-1.2) * float32(hi/scale)
				if i%3 == 0 { // a tie, where float32 can hold it
					f = (float32(rng.Int64N(hi-lo+1)+lo) + 0.5) / float32(scale)
				}
				want := nearestEven(f, scale)
				want = min(max(want, lo), hi)
				if got := signed(c.Encode(fromFloat(f)), 64); got != want&int64(mask(width)) {
					t.Fatalf("mode %d width %d: %g encodes to %d, want %d", mode, width, f, got, want)
				}
			}
			for _, f := range []float32{inf, -inf, math.MaxFloat32, -math.MaxFloat32} {
				want := hi
				if f < 0 {
					want = lo
				}
				if got := c.Encode(fromFloat(f)); got != uint64(want)&mask(width) {
					t.Errorf("mode %d width %d: %g encodes to %x, want %x", mode, width, f, got, want)
				}
			}
			if got := c.Encode(fromFloat(nan)); got != 0 {
				t.Errorf("mode %d width %d: NaN encodes to %x", mode, width, got)
			}
		}
	}
}

// nearestEven rounds f*scale.
func nearestEven(f float32, scale int64) int64 {
	x := new(big.Rat).SetFloat64(float64(f))
	x.Mul(x, new(big.Rat).SetInt64(scale))
	twice := new(big.Rat).Add(x, x)
	twice.Add(twice, big.NewRat(1, 1)) // floor((2x+1)/2)
	den := new(big.Int).Mul(twice.Denom(), big.NewInt(2))
	n := new(big.Int).Div(twice.Num(), den) // Euclidean: floor, den > 0
	tie := new(big.Rat).SetInt(n)
	tie.Sub(tie, big.NewRat(1, 2))
	if tie.Cmp(x) == 0 && n.Bit(0) == 1 {
		n.Sub(n, big.NewInt(1))
	}
	return n.Int64()
}

// TestSmallFloats searches the nearest of all values of the small float, as an
// independent way to round.
func TestSmallFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, mant := range []uint{5, 6, 10} {
		var values []float64 // by bits, up to and including the first beyond the finite
		for raw := range 31<<mant + 1 {
			e, m := raw>>mant, raw&(1<<mant-1)
			if e == 0 {
				values = append(values, float64(m)/math.Exp2(14+float64(mant)))
			} else {
				values = append(values, (1+float64(m)/math.Exp2(float64(mant)))*math.Exp2(float64(e-15)))
			}
		}
		for raw, v := range values[:31<<mant] {
			if got := math.Float32frombits(float5ToBits(uint32(raw), mant)); float64(got) != v {
				t.Fatalf("mantissa of %d bits: %x decodes to %g, want %g", mant, raw, got, v)
			}
		}
		check := func(f float32) {
			want := 0
			lo, hi := 0, len(values)-1
			for hi-lo > 1 {
				if mid := (lo + hi) / 2; values[mid] <= float64(f) {
					lo = mid
				} else {
					hi = mid
				}
			}
			down, up := float64(f)-values[lo], values[hi]-float64(f)
			if want = lo; up < down || up == down && lo%2 == 1 {
				want = hi
			}
			if got := bitsToFloat5(math.Float32bits(f), mant); got != uint32(want) {
				t.Fatalf("mantissa of %d bits: %g encodes to %x, want %x", mant, f, got, want)
			}
		}
		for range 20000 {
			check(float32(math.Exp2(rng.Float64()*50-34)) * (1 + rng.Float32()))
		}
		for i := range len(values) - 1 { // ties and what is next to them
			mid := float32((values[i] + values[i+1]) / 2)
			check(mid)
			check(math.Nextafter32(mid, 0))
			check(math.Nextafter32(mid, inf))
		}
		check(math.MaxFloat32)
		check(math.SmallestNonzeroFloat32)
		check(0)
	}
}

func TestSpecialFloats(t *testing.T) {
	tests := []struct {
		c    Component
		in   float32
		want uint64
	}{
		{Component{Width: 16, Mode: SFloat}, inf, 0x7c00},
		{Component{Width: 16, Mode: SFloat}, -inf, 0xfc00},
		{Component{Width: 16, Mode: SFloat}, 65504, 0x7bff},
		{Component{Width: 16, Mode: SFloat}, 65519.996, 0x7bff},
		{Component{Width: 16, Mode: SFloat}, 65520, 0x7c00},
		{Component{Width: 16, Mode: SFloat}, float32(math.Copysign(0, -1)), 0x8000},
		{Component{Width: 16, Mode: SFloat}, nan, 0x7e00},
		{Component{Width: 11, Mode: UFloat}, inf, 0x7c0},
		{Component{Width: 11, Mode: UFloat}, -inf, 0},
		{Component{Width: 11, Mode: UFloat}, -1, 0},
		{Component{Width: 11, Mode: UFloat}, 1e30, 0x7bf},
		{Component{Width: 11, Mode: UFloat}, 65025, 0x7bf},
		{Component{Width: 11, Mode: UFloat}, nan, 0x7e0},
		{Component{Width: 11, Mode: UFloat}, -nan, 0x7e0},
		{Component{Width: 10, Mode: UFloat}, inf, 0x3e0},
		{Component{Width: 10, Mode: UFloat}, 1e30, 0x3df},
		{Component{Width: 10, Mode: UFloat}, nan, 0x3f0},
		{Component{Width: 8, Mode: SRGB}, nan, 0},
		{Component{Width: 8, Mode: SRGB}, -1, 0},
		{Component{Width: 8, Mode: SRGB}, inf, 255},
		{Component{Width: 8, Mode: SRGB}, 0.5, 188},
		{Component{Width: 8, Mode: SRGB}, 0.18, 118},
		{Component{Width: 8, Mode: SRGB}, 0.001, 3},
	}
	for _, test := range tests {
		if got := test.c.Encode(fromFloat(test.in)); got != test.want {
			t.Errorf("mode %d width %d: %g encodes to %x, want %x", test.c.Mode, test.c.Width, test.in, got, test.want)
		}
	}
	for _, raw := range []uint64{0x7c00, 0xfc00, 0x7e00, 0xfdff} {
		c := Component{Width: 16, Mode: SFloat}
		f := toFloat(c.Decode(raw))
		if isInf := raw&0x3ff == 0; math.IsInf(float64(f), 0) != isInf || math.IsNaN(float64(f)) == isInf {
			t.Errorf("%x decodes to %g", raw, f)
		}
	}
}

// TestSharedExponent tries all exponents and takes the smallest that holds
// every component.
func TestSharedExponent(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	random := func() float32 {
		switch rng.IntN(12) {
		case 0:
			return 0
		case 1:
			return -1
		case 2:
			return inf
		case 3:
			return nan
		}
		return float32(math.Exp2(rng.Float64()*50 - 32))
	}
	for range 20000 {
		in := [3]float32{random(), random(), random()}
		var clamped [3]float64
		for i, f := range in {
			if f > 0 {
				clamped[i] = math.Min(float64(f), 65408)
			}
		}
		var want uint32
		for e := 0; e < 32; e++ {
			unit := math.Exp2(float64(e - 24))
			fits := true
			want = uint32(e) << 27
			for i, c := range clamped {
				m := math.Floor(c/unit + 0.5)
				fits = fits && m < 512
				want |= uint32(m) & 511 << (9 * i)
			}
			if fits {
				break
			}
		}
		if got := floatsToShared(in[0], in[1], in[2]); got != want {
			t.Fatalf("%g encodes to %#x, want %#x", in, got, want)
		}
	}
}

func TestIntegersAreClamped(t *testing.T) {
	tests := []struct {
		mode     Mode
		width    int
		in, want uint64
	}{
		{UInt, 8, 255, 255},
		{UInt, 8, 256, 255},
		{UInt, 8, 0xffffffff, 255},
		{UInt, 2, 4, 3},
		{UInt, 32, 0x1_2345_6789, 0x23456789},
		{UInt, 64, math.MaxUint64, math.MaxUint64},
		{SInt, 8, 127, 127},
		{SInt, 8, 128, 127},
		{SInt, 8, 0xffffff80, 0x80},
		{SInt, 8, 0xffffff7f, 0x80},
		{SInt, 16, 0x80000000, 0x8000},
		{SInt, 32, 0x80000000, 0x80000000},
		{SInt, 64, 1 << 63, 1 << 63},
	}
	for _, test := range tests {
		c := Component{Name: 'R', Width: test.width, Mode: test.mode}
		if got := c.Encode(test.in); got != test.want {
			t.Errorf("mode %d width %d: %x encodes to %x, want %x", test.mode, test.width, test.in, got, test.want)
		}
		back := c.Decode(test.want)
		if fits := test.width >= 32 || back == test.in; c.fits(test.in) != fits {
			t.Errorf("mode %d width %d: Fits(%x) = %t", test.mode, test.width, test.in, !fits)
		}
	}
	f, _ := Lookup("R8G8_UINT")
	if !f.fits(Texel{255, 0, 256, 256}) || f.fits(Texel{0, 256, 0, 0}) {
		t.Error("R8G8_UINT: Fits looks at other components than R and G")
	}
}
