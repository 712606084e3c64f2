//go:build cgo && linux && (amd64 || arm64)

package gpu

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"strings"
	"testing"

	"ampdbg/launch"
	"ampdbg/spirv"
)

// Multisampled images of every size of texel, and of every number of samples
// that the device has, keep all bits of all samples of all layers.
func TestMultisampledImages(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		ran := 0
		for _, f := range []struct {
			name, spirv string
			bytes       int // of a component
		}{{"R8_UINT", "R8ui", 1}, {"R16_UINT", "R16ui", 2}, {"R32_UINT", "R32ui", 4}, {"R32G32_UINT", "Rg32ui", 4}, {"R32G32B32A32_UINT", "Rgba32ui", 4}} {
			parsed, _ := parseFormat(f.name)
			s := sampleCopies[parsed.bytes]
			capability := "OpCapability Shader"
			if s.extended() {
				capability += "\nOpCapability StorageImageExtendedFormats"
			}
			m := kernel(t, "multisample.spvasm", "OpCapability Shader", capability, "Rgba32ui", f.spirv)
			for _, samples := range []int{2, 4, 8, 16} {
				i := image("ms", f.name, 3, 3, make([]byte, 3*3*2*samples*parsed.bytes))
				i.Layers, i.Samples = 2, samples
				components := len(i.Data) / f.bytes
				want := make([]byte, len(i.Data))
				for k := range components {
					x := (uint32(k)*0x9e3779b9 ^ 0x5bd1e995) >> (32 - 8*f.bytes)
					y := x/2 + uint32(k/(parsed.bytes/f.bytes)%samples)
					for n := range f.bytes {
						i.Data[k*f.bytes+n], want[k*f.bytes+n] = byte(x>>(8*n)), byte(y>>(8*n))
					}
				}
				_, err := a.Run(t.Context(), dispatch(m, 1, bindImage(0, launch.StorageImage, i, nil)))
				if err != nil {
					expectError(t, err, "Unsupported", a.device.Name)
					if !strings.Contains(err.Error(), "lacks") && !strings.Contains(err.Error(), "image ms: ") {
						t.Error(err)
					}
					continue
				}
				ran++
				if !bytes.Equal(i.Data, want) {
					t.Errorf("%s, %d samples: expected % x, found % x", f.name, samples, want, i.Data)
				}
			}
		}
		if ran == 0 && a.device.has("shaderStorageImageMultisample") {
			t.Error("the device has storage images of several samples, and none ran")
		}
		t.Logf("%d kinds of image", ran)
	})
}

func fetchSamples(t *testing.T, i *launch.Image) (*launch.Dispatch, *launch.Buffer) {
	out := buffer("out", bytes.Repeat([]byte{7}, 64))
	return dispatch(kernel(t, "fetchsamples.spvasm"), 1, bindImage(0, launch.CombinedImageSampler, i, nearest()), whole(0, 1, launch.StorageBuffer, out)), out
}

// Samples that are all zero need no feature, and may have any format; others
// are copied, also to images that kernels only fetch from.
func TestFetchedSamples(t *testing.T) {
	everyWay(t, Options{}, func(t *testing.T, a *Accelerator) {
		for _, format := range []string{"R32_SFLOAT", "R8G8B8A8_SRGB", "D32_SFLOAT"} {
			size := 4
			i := image("ms", format, 2, 2, make([]byte, 2*2*4*size))
			i.Samples = 4
			features := a.device.Features
			a.device.Features = nil
			d, out := fetchSamples(t, i)
			run(t, a, d)
			expectWords(t, format, out.Data, make([]uint32, 16)...)
			copy(i.Data, floats(1, 2, 3, 4))
			_, err := a.Run(t.Context(), d)
			expectError(t, err, "Unsupported", "lacks feature shaderStorageImageMultisample (image ms has 4 samples)")
			a.device.Features = features
		}
		if !a.device.has("shaderStorageImageMultisample") {
			t.Skip("the device has no storage images of several samples")
		}
		for _, format := range []string{"R32_SFLOAT", "D32_SFLOAT"} {
			i := image("ms", format, 2, 2, floats(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 0.15, 0.25, 0.35, 0.45, 0.55))
			i.Samples = 4
			before := bytes.Clone(i.Data)
			d, out := fetchSamples(t, i)
			run(t, a, d)
			if !bytes.Equal(out.Data, before) || !bytes.Equal(i.Data, before) {
				t.Errorf("%s: fetched % x; the image holds % x", format, out.Data, i.Data)
			}
		}
		i := image("ms", "D16_UNORM", 2, 2, bytes.Repeat([]byte{0xff, 0xff, 0, 0}, 8))
		i.Samples = 4
		d, out := fetchSamples(t, i)
		run(t, a, d)
		expectWords(t, "D16_UNORM", out.Data, unwords(floats(1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0))...)
		i = image("ms", "R32G32B32_SFLOAT", 2, 2, bytes.Repeat([]byte{1}, 2*2*4*12))
		i.Samples = 4
		d, _ = fetchSamples(t, i)
		_, err := a.Run(t.Context(), d)
		expectError(t, err, "Unsupported", "image ms: samples of format R32G32B32_SFLOAT cannot be copied, and are not all zero")
		// As half a step of 255, in a format that no kernel stores to.
		i = image("ms", "R8G8B8A8_SRGB", 2, 2, bytes.Repeat([]byte{255, 0, 0, 0, 0, 9, 9, 9}, 8))
		i.Samples = 4
		d, out = fetchSamples(t, i)
		run(t, a, d)
		expectWords(t, "srgb", out.Data, unwords(floats(1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0))...)
		i = image("one", "R32_SFLOAT", 2, 2, make([]byte, 16))
		d, _ = fetchSamples(t, i)
		_, err = a.Run(t.Context(), d)
		expectError(t, err, "BadInput", "the kernel declares an image of several samples, image one has 1")
	})
}

// The text of the kernel that copies samples is what the compiler makes of
// the source beside it.
func TestSamplesTextIsFresh(t *testing.T) {
	for _, tool := range []string{"glslangValidator", "spirv-dis"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	if v, _ := exec.Command("glslangValidator", "--version").Output(); !strings.HasPrefix(string(v), "Glslang Version: 11:12.0.0") {
		t.Skip("another glslang numbers ids differently")
	}
	binary := t.TempDir() + "/samples.spv"
	if out, err := exec.Command("glslangValidator", "-V", "--target-env", "vulkan1.1", "samples.comp", "-o", binary).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := exec.Command("spirv-dis", "--no-color", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != samplesText {
		t.Error("samples.spvasm is stale")
	}
}

// Every form of the kernel is a module that means what it says.
func TestSampleCopiesAreModules(t *testing.T) {
	for size, s := range sampleCopies {
		words, err := s.words()
		if err != nil {
			t.Fatal(err)
		}
		var b []byte
		for _, w := range words {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		m, err := spirv.Decode("samples", b)
		if err != nil {
			t.Fatal(err)
		}
		u, err := spirv.Resolve(m, spirv.SpecValues{0: 1, 1: uint64(s.texelsPerWord), 2: uint64(s.wordsPerTexel)})
		if err != nil {
			t.Fatal(err)
		}
		us, err := use(u, "main")
		if err != nil || us.push != 16 || len(us.resources) != 2 || us.resource(0, samplesImage).image().Format.String() != s.image || s.alias.bytes != size {
			t.Errorf("%d bytes: %v, %+v", size, err, us)
		}
	}
}
