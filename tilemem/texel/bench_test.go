package texel

import (
	"testing"

	"ampdbg/spirv"
)

var sink Texel

// perTexel lists everything that runs once per texel.
func perTexel(t testing.TB) []struct {
	name string
	run  func()
} {
	buf := make([]byte, 32)
	codec := func(name string) func() {
		f := format(t, name)
		return func() {
			sink = f.Decode(buf)
			f.Encode(buf, sink)
		}
	}
	image := newImage(format(t, "R8G8B8A8_UNORM"), spirv.Dim2D, false, 64, 64, 1, 1, 7)
	volume := newImage(format(t, "R32_SFLOAT"), spirv.Dim3D, false, 16, 16, 16, 1, 1)
	cube := newImage(format(t, "R16G16B16A16_SFLOAT"), spirv.DimCube, false, 16, 16, 1, 6, 1)
	depth := newImage(format(t, "D16_UNORM"), spirv.Dim2D, false, 64, 64, 1, 1, 1)
	nearest := &Sampler{}
	linear := &Sampler{MagLinear: true, MinLinear: true, MipLinear: true, MaxLOD: 9, CompareOp: Less}
	coord := [4]float32{0.3, 0.99, 0.7}
	var seen Touched
	return []struct {
		name string
		run  func()
	}{
		{"Codec/R32_UINT", codec("R32_UINT")},
		{"Codec/R32G32B32A32_SFLOAT", codec("R32G32B32A32_SFLOAT")},
		{"Codec/R16G16B16A16_SFLOAT", codec("R16G16B16A16_SFLOAT")},
		{"Codec/R8G8B8A8_UNORM", codec("R8G8B8A8_UNORM")},
		{"Codec/R8G8B8A8_SRGB", codec("R8G8B8A8_SRGB")},
		{"Codec/A2B10G10R10_UNORM_PACK32", codec("A2B10G10R10_UNORM_PACK32")},
		{"Codec/E5B9G9R9_UFLOAT_PACK32", codec("E5B9G9R9_UFLOAT_PACK32")},
		{"Fetch", func() { sink, _ = image.fetch([3]int{3, 4}, 0, 0) }},
		{"FetchLevel3", func() { sink, _ = image.fetch([3]int{3, 4}, 3, 0) }},
		{"Write", func() { image.Write([3]int{3, 4}, 0, 0, sink) }},
		{"Nearest", func() { sink = Sample(image, nearest, coord, 0, nil) }},
		{"Linear", func() { sink = Sample(image, linear, coord, 0, nil) }},
		{"Trilinear", func() { sink = Sample(image, linear, coord, 1.5, nil) }},
		{"Linear3D", func() { sink = Sample(volume, linear, coord, 0, nil) }},
		{"LinearCube", func() { sink = Sample(cube, linear, coord, 0, nil) }},
		{"Compare", func() { sink = Sample(depth, linear, coord, 0, &Operands{Compare: true, Dref: 0.5}) }},
		{"Touched", func() { seen.N = 0; sink = Sample(image, linear, coord, 0, &Operands{Touched: &seen}) }},
		{"Gather", func() { sink = Gather(image, linear, coord, 2, nil) }},
		{"GatherOffsets", func() { sink = GatherOffsets(image, linear, coord, 2, [4][2]int{{1, 2}, {3, 4}}, nil) }},
		{"GradientLOD", func() { cube.GradientLOD(coord, [3]float32{1, 2, 3}, [3]float32{3, 2, 1}) }},
	}
}

func TestNothingAllocatesPerTexel(t *testing.T) {
	for _, b := range perTexel(t) {
		if n := testing.AllocsPerRun(10, b.run); n != 0 {
			t.Errorf("%s makes %g allocations", b.name, n)
		}
	}
}

func Benchmark(b *testing.B) {
	for _, bench := range perTexel(b) {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.run()
			}
		})
	}
}
