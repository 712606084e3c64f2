package warp

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp/scalar"
)

// fma32 must agree with package scalar to the bit; the operands are chosen such
// that sums lie at and near the middle between two neighbours, and below the
// range of full precision.
func TestFmaOfFourLanes(t *testing.T) {
	exact, ok := scalar.GLSL3(spirv.GLSLFma, program.Kind{Float: true, Width: 32}, program.Mode{})
	if !ok {
		t.Fatal("no fma")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	special := []uint32{0, 1 << 31, 1, 1<<31 | 1, 0x007fffff, 0x00800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x33800000, 0xb3800000}
	draw := func() uint64 {
		switch rng.IntN(5) {
		case 0:
			return uint64(special[rng.IntN(len(special))])
		case 1: // a short mantissa
			return uint64(rng.Uint32() & 0xfff80000)
		case 2: // about 1
			return uint64(rng.Uint32()&0x807fffff | uint32(115+rng.IntN(24))<<23)
		case 3: // one bit
			return uint64(math.Float32bits(float32(math.Ldexp(1, rng.IntN(80)-40))) | rng.Uint32()&(1<<31))
		}
		return uint64(rng.Uint32())
	}
	for range 300_000 {
		var r [4][4]uint64 // d, a, b, c
		d, a, b, c := &r[0], &r[1], &r[2], &r[3]
		for k := range 4 {
			a[k], b[k], c[k] = draw(), draw(), draw()
		}
		fma32(unsafe.Pointer(&r), &program.Op{Code: program.Fma32, N: 4, A: 4, B: 8, C: 12})
		for k := range 4 {
			if want := exact(a[k], b[k], c[k]); d[k] != want {
				t.Fatalf("%#x * %#x + %#x = %#x, want %#x", a[k], b[k], c[k], d[k], want)
			}
		}
	}
}
