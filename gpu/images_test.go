//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"bytes"
	"testing"

	"ampdbg/launch"
)

func image(name, format string, w, h int, data []byte) *launch.Image {
	return &launch.Image{Name: name, Format: format, Dim: 2, Width: w, Height: h, Depth: 1, Layers: 1, MipLevels: 1, Samples: 1, Data: data}
}

func bindImage(binding uint32, kind launch.DescriptorKind, i *launch.Image, s *launch.Sampler) launch.Binding {
	return launch.Binding{Binding: binding, Kind: kind, Elems: []launch.Descriptor{{Image: i, Sampler: s}}}
}

func nearest() *launch.Sampler {
	return &launch.Sampler{Name: "nearest", AddressU: launch.ClampToEdge, AddressV: launch.ClampToEdge, MaxLOD: 16}
}

func TestImagesOfEveryKind(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		var texels, swapped []byte
		for i := range byte(16) {
			texels = append(texels, i, i+50, i+100, i+150)
			swapped = append(swapped, i+150, i+100, i+50, i)
		}
		stored := image("stored", "R8G8B8A8_UINT", 4, 4, texels)

		// Level 0 is 8x8 of which every column is its number, level 1 is 4x4
		// with its own numbers, level 2 is 2x2.
		var levels []float32
		for range 8 {
			levels = append(levels, 0, 1, 2, 3, 4, 5, 6, 7)
		}
		for i := range 16 {
			levels = append(levels, float32(100+i))
		}
		levels = append(levels, 1, 2, 3, 4)
		mipped := image("mipped", "R32_SFLOAT", 8, 8, floats(levels...))
		mipped.MipLevels = 3
		linear := nearest()
		linear.MagLinear, linear.MinLinear = true, true

		var layers []float32
		for i := range 32 {
			layers = append(layers, float32(i))
		}
		layered := image("layered", "R32_SFLOAT", 4, 4, floats(layers...))
		layered.Layers = 2

		volume := image("volume", "R32_SFLOAT", 4, 4, make([]byte, 4*4*2*4))
		volume.Dim, volume.Depth = 3, 2
		out := buffer("out", make([]byte, 48*4))
		combined := linear
		if f, _ := a.physical.FormatFeatures(100); f&formatSampledLinear == 0 {
			combined = nearest()
		}
		d := dispatch(kernel(t, "images.spvasm"), 1,
			bindImage(0, launch.StorageImage, stored, nil),
			bindImage(1, launch.CombinedImageSampler, mipped, combined),
			bindImage(2, launch.SampledImage, layered, nil),
			launch.Binding{Binding: 3, Kind: launch.SeparateSampler, Elems: []launch.Descriptor{{Sampler: nearest()}}},
			whole(0, 4, launch.StorageBuffer, out),
			bindImage(5, launch.StorageImage, volume, nil))
		run(t, a, d)
		if !bytes.Equal(stored.Data, swapped) {
			t.Errorf("stored: expected % x, found % x", swapped, stored.Data)
		}
		var want []float32
		for i := range 16 {
			middle := float32(4)
			if combined == linear {
				middle = 3.5
			}
			want = append(want, middle, float32(100+i), float32(16+i))
		}
		expectWords(t, "out", out.Data, unwords(floats(want...))...)
		expectWords(t, "volume", volume.Data, unwords(floats(append(make([]float32, 16), layers[:16]...)...))...)
	})
}

func TestCubeShadowAndOneDimension(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		var faces []float32
		for f := range 6 {
			faces = append(faces, float32(f), float32(f), float32(f), float32(f))
		}
		cube := image("cube", "R32_SFLOAT", 2, 2, floats(faces...))
		cube.Layers, cube.Cube = 6, true
		depth := image("depth", "D32_SFLOAT", 2, 2, floats(0.3, 0.3, 0.3, 0.3))
		compare := nearest()
		compare.Compare, compare.CompareOp = true, "less"
		line := image("line", "R32_SFLOAT", 6, 1, floats(10, 11, 12, 13, 14, 15))
		line.Dim = 1
		out := buffer("out", make([]byte, 18*4))
		run(t, a, dispatch(kernel(t, "cube.spvasm"), 1,
			bindImage(0, launch.CombinedImageSampler, cube, nearest()),
			bindImage(1, launch.CombinedImageSampler, depth, compare),
			bindImage(2, launch.CombinedImageSampler, line, nearest()),
			whole(0, 3, launch.StorageBuffer, out)))
		// Reference less than 0.3: 0, 1/8, 2/8 pass.
		expectWords(t, "out", out.Data, unwords(floats(0, 1, 10, 1, 1, 11, 2, 1, 12, 3, 0, 13, 4, 0, 14, 5, 0, 15))...)
	})
}

// samplerArray binds images to the first n elements of an array of 3, and two
// samplers.
func samplerArray(out *launch.Buffer, n int) []launch.Binding {
	images := launch.Binding{Kind: launch.SampledImage}
	for i := range n {
		f := float32(10 * i)
		images.Elems = append(images.Elems, launch.Descriptor{Image: image("t", "R32_SFLOAT", 2, 1, floats(f, f+1))})
	}
	repeat := nearest()
	repeat.AddressU = launch.Repeat
	samplers := launch.Binding{Binding: 1, Kind: launch.SeparateSampler, Elems: []launch.Descriptor{{Sampler: repeat}, {Sampler: nearest()}}}
	if out == nil {
		out = buffer("out", make([]byte, 12))
	}
	return []launch.Binding{images, samplers, whole(0, 2, launch.StorageBuffer, out)}
}

func TestArraysOfImagesAndSamplers(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		out := buffer("out", make([]byte, 12))
		run(t, a, dispatch(kernel(t, "samplerarray.spvasm"), 1, samplerArray(out, 3)...))
		expectWords(t, "out", out.Data, unwords(floats(1, 11, 20))...)
	})
}

func TestImagesThatCannotBe(t *testing.T) {
	a := open(t, Options{})
	m := kernel(t, "samplerarray.spvasm")
	try := func(change func(*launch.Image), want ...string) {
		t.Helper()
		b := samplerArray(nil, 3)
		change(b[0].Elems[1].Image)
		_, err := a.Run(t.Context(), dispatch(m, 1, b...))
		expectError(t, err, want[0], want[1:]...)
	}
	try(func(i *launch.Image) { i.Samples, i.Data = 4, make([]byte, 32) }, "BadInput", "set 0 binding 0", "the kernel declares an image of one sample, image t has 4")
	try(func(i *launch.Image) { i.Samples = 4 }, "BadInput", "image t", "expected 32 bytes", "found 8")
	try(func(i *launch.Image) { i.Format = "BC1_RGB_UNORM_BLOCK" }, "Unsupported", "image t", "BC1_RGB_UNORM_BLOCK")
	try(func(i *launch.Image) { i.Data = i.Data[:4] }, "BadInput", "image t", "expected 8 bytes", "found 4")
	try(func(i *launch.Image) { i.Width, i.Data = 1<<20, make([]byte, 4<<20) }, "Unsupported", "image t", "at most")
	try(func(i *launch.Image) { i.Dim = 1 }, "BadInput", "set 0 binding 0", "dimension 2D")
}
