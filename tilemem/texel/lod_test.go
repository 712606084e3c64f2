package texel

import (
	"math"
	"math/rand/v2"
	"testing"

	"ampdbg/spirv"
)

func TestGradientLOD(t *testing.T) {
	f := format(t, "R8_UNORM")
	image2D := newImage(f, spirv.Dim2D, false, 64, 16, 1, 1, 7)
	fromLevel1 := *image2D
	fromLevel1.BaseLevel = 1
	image3D := newImage(f, spirv.Dim3D, false, 8, 8, 8, 1, 1)
	tests := []struct {
		name     string
		im       *Image
		ddx, ddy [3]float32
		want     float32
	}{
		{"one texel a step", image2D, [3]float32{1. / 64, 0}, [3]float32{0, 1. / 16}, 0},
		{"four texels in y", image2D, [3]float32{1. / 64, 0}, [3]float32{0, 4. / 16}, 2},
		{"half a texel", image2D, [3]float32{0.5 / 64, 0}, [3]float32{}, -1},
		{"slanting", image2D, [3]float32{3. / 64, -4. / 16}, [3]float32{}, float32(math.Log2(5))},
		{"of the base level", &fromLevel1, [3]float32{1. / 64, 0}, [3]float32{}, -1},
		{"no third dimension", image2D, [3]float32{1. / 64, 0, 77}, [3]float32{}, 0},
		{"three dimensions", image3D, [3]float32{0.25, 0.25, 0.125}, [3]float32{}, float32(math.Log2(3))},
		{"standing still", image2D, [3]float32{}, [3]float32{}, -inf},
		{"infinite", image2D, [3]float32{inf}, [3]float32{}, inf},
	}
	for _, test := range tests {
		got := test.im.GradientLOD([4]float32{}, test.ddx, test.ddy)
		if got != test.want && math.Abs(float64(got-test.want)) > 1e-6 {
			t.Errorf("%s: %g, want %g", test.name, got, test.want)
		}
	}
}

// TestCubeGradientLOD compares with differences of projected coordinates.
func TestCubeGradientLOD(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	im := newImage(format(t, "R8_UNORM"), spirv.DimCube, false, 32, 32, 1, 6, 1)
	for range 500 {
		var v, dx, dy [3]float64
		var coord [4]float32
		var ddx, ddy [3]float32
		for i := range v {
			coord[i], ddx[i], ddy[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64()), float32(rng.NormFloat64())
			v[i], dx[i], dy[i] = float64(coord[i]), float64(ddx[i]), float64(ddy[i])
		}
		face := cubeFace(v)
		length := func(d [3]float64) float64 {
			const h = 1e-6
			var ahead, back [3]float64
			for i := range v {
				ahead[i], back[i] = v[i]+h*d[i], v[i]-h*d[i]
			}
			s1, t1 := cubeCoords(ahead, face)
			s0, t0 := cubeCoords(back, face)
			return math.Sqrt((s1-s0)*(s1-s0)+(t1-t0)*(t1-t0)) / (2 * h) * 32
		}
		want := math.Log2(math.Max(length(dx), length(dy)))
		if got := im.GradientLOD(coord, ddx, ddy); math.Abs(float64(got)-want) > 1e-3 {
			t.Fatalf("at %g along %g and %g: %g, want %g", v, dx, dy, got, want)
		}
	}
}

// TestLevelsByLOD samples an image whose levels are 0, 1, 2 and 3.
func TestLevelsByLOD(t *testing.T) {
	im := newImage(format(t, "R32_SFLOAT"), spirv.Dim2D, false, 8, 8, 1, 1, 4)
	for level := range 4 {
		size := im.Size(level)
		for y := range size[1] {
			for x := range size[0] {
				im.Write([3]int{x, y}, level, 0, floats(float32(level), 0, 0, 0))
			}
		}
	}
	open := Sampler{MaxLOD: 1000, MinLOD: -1000}
	linear := open
	linear.MipLinear = true
	biased := linear
	biased.LODBias = 1
	narrow := linear
	narrow.MinLOD, narrow.MaxLOD = 0.5, 1.5
	tests := []struct {
		name string
		s    Sampler
		lod  float32
		want float32
	}{
		{"nearest", open, 1, 1},
		{"nearest below the half", open, 1.49, 1},
		{"nearest at the half", open, 1.5, 1},
		{"nearest above the half", open, 1.51, 2},
		{"beyond the last", open, 99, 3},
		{"before the first", open, -99, 0},
		{"infinite", open, inf, 3},
		{"minus infinite", open, -inf, 0},
		{"NaN", open, nan, 0},
		{"linear", linear, 1.25, 1.25},
		{"linear at the end", linear, 2.75, 2.75},
		{"linear beyond the last", linear, 3.5, 3},
		{"bias", biased, 0.5, 1.5},
		{"at least", narrow, 0, 0.5},
		{"at most", narrow, 2, 1.5},
		{"unnormalized", Sampler{Unnormalized: true, MaxLOD: 5}, 2, 0},
		{"zero sampler", Sampler{}, 2, 0},
	}
	for _, test := range tests {
		if got := toFloat(Sample(im, &test.s, [4]float32{0.5, 0.5}, test.lod, nil)[0]); got != test.want {
			t.Errorf("%s: level %g, want %g", test.name, got, test.want)
		}
		if got, unclamped := QueryLOD(im, &test.s, test.lod); got != test.want {
			t.Errorf("%s: QueryLOD = %g, want %g", test.name, got, test.want)
		} else if want := test.lod + test.s.LODBias; unclamped != want && want == want {
			t.Errorf("%s: unclamped %g, want %g", test.name, unclamped, want)
		}
	}
}

// TestMagnificationFilter chooses by the sign of the level of detail.
func TestMagnificationFilter(t *testing.T) {
	im := newImage(format(t, "R32_SFLOAT"), spirv.Dim1D, false, 2, 1, 1, 1, 1)
	im.Write([3]int{1}, 0, 0, floats(1, 0, 0, 0))
	s := &Sampler{MagLinear: true, MinLOD: -10, MaxLOD: 10, AddressU: ClampToEdge}
	for lod, want := range map[float32]float32{-1: 0.4, 0: 0.4, 0.1: 0, 5: 0} {
		if got := toFloat(Sample(im, s, [4]float32{0.45}, lod, nil)[0]); math.Abs(float64(got-want)) > 1e-6 {
			t.Errorf("lod %g: %g, want %g", lod, got, want)
		}
	}
}
