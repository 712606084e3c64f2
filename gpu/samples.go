package gpu

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"strings"

	"ampdbg/launch"
	"ampdbg/spirv"
)

//go:embed samples.spvasm
var samplesText string

// sampleCopy is how the texels of a multisampled image get from a buffer to
// it and back: by the kernel in samples.comp, which sees them as unsigned
// integers.
type sampleCopy struct {
	alias                        format
	image                        string // the format's name in SPIR-V
	texelsPerWord, wordsPerTexel int
}

// sampleCopies are the ways, by bytes of a texel.
var sampleCopies = map[int]sampleCopy{
	1:  {aliasOf("R8_UINT"), "R8ui", 4, 1},
	2:  {aliasOf("R16_UINT"), "R16ui", 2, 1},
	4:  {aliasOf("R32_UINT"), "R32ui", 1, 1},
	8:  {aliasOf("R32G32_UINT"), "Rg32ui", 1, 2},
	16: {aliasOf("R32G32B32A32_UINT"), "Rgba32ui", 1, 4},
}

// copiedFormat is the format that a multisampled image gets which texels are
// copied to. Depth formats have no storage images; but kernels can do nothing
// with samples of depth but fetch them, and from a colour format with the
// same bits they fetch the same.
func copiedFormat(f format) format {
	switch f.name {
	case "D16_UNORM":
		return aliasOf("R16_UNORM")
	case "D32_SFLOAT":
		return aliasOf("R32_SFLOAT")
	}
	return f
}

func aliasOf(name string) format {
	f, ok := parseFormat(name)
	if !ok {
		panic("no format " + name)
	}
	return f
}

// extended reports whether SPIR-V counts the format among the extended ones.
func (s *sampleCopy) extended() bool { return s.image != "R32ui" && s.image != "Rgba32ui" }

// words is the kernel.
func (s *sampleCopy) words() ([]uint32, error) {
	text := strings.Replace(samplesText, " Rgba32ui", " "+s.image, 1)
	if s.extended() {
		text = strings.Replace(text, "OpCapability Shader\n", "OpCapability Shader\nOpCapability StorageImageExtendedFormats\n", 1)
	}
	m, err := spirv.AssembleVersion("samples.spvasm", text, spirv.MakeVersion(1, 3))
	if err != nil {
		return nil, err
	}
	b := m.Encode(binary.LittleEndian)
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words, nil
}

// push is the kernel's push constants for an image.
func (s *sampleCopy) push(i *launch.Image) []byte {
	var b []byte
	for _, n := range []int{i.Width, i.Height, i.Samples, i.LevelTexels(0)} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// groups is the kernel's grid for an image: 64 words or texels in a tile.
func (s *sampleCopy) groups(i *launch.Image) [3]uint32 {
	threads := (i.LevelTexels(0) + s.texelsPerWord - 1) / s.texelsPerWord
	tiles := uint32((threads + 63) / 64)
	x := min(tiles, 65535)
	return [3]uint32{x, (tiles + x - 1) / x, 1}
}

// copiesSamples reports whether a dispatch needs the texels of a multisampled
// image copied to it or from it. Where it does not, they are zero, and stay.
func copiesSamples(d *launch.Dispatch, i *launch.Image) bool {
	for _, b := range i.Data {
		if b != 0 {
			return true
		}
	}
	for k := range d.Bindings {
		for _, e := range d.Bindings[k].Elems {
			if e.Image == i && d.Bindings[k].Kind == launch.StorageImage {
				return true
			}
		}
	}
	return false
}

// sampleNeeds adds what copying the texels of a multisampled image needs.
func sampleNeeds(all needs, d *launch.Dispatch, i *launch.Image) error {
	if i.Samples <= 1 || !copiesSamples(d, i) {
		return nil
	}
	f, ok := parseFormat(i.Format)
	s, can := sampleCopies[f.bytes]
	if !ok || !can || copiedFormat(f).aspect != 1 {
		return at(unsupported("image %s: samples of format %s cannot be copied, and are not all zero", i.Name, i.Format), i.Pos)
	}
	why := fmt.Sprintf("image %s has %d samples", i.Name, i.Samples)
	all.feature("shaderStorageImageMultisample", why)
	if s.extended() {
		all.feature("shaderStorageImageExtendedFormats", why)
	}
	return nil
}
