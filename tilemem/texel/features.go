package texel

import (
	"strings"

	"ampdbg/spirv"
)

// feature is a set of uses of a format: VkFormatFeatureFlagBits, as far as
// compute shaders are concerned.
type feature uint16

// The uses.
const (
	sampledImage feature = 1 << iota
	sampledImageLinear
	sampledImageCompare // depth comparison
	storageImage
	storageImageAtomic
	uniformTexelBuffer
	storageTexelBuffer
	storageTexelBufferAtomic
)

// has reports whether all uses in want are in the set.
func (s feature) has(want feature) bool { return s&want == want }

// features returns the uses that are supported here: the required ones, what
// shaderStorageImageExtendedFormats and VK_EXT_shader_image_atomic_int64 add,
// float image atomics, and what is optional in Vulkan but needs no arithmetic
// of its own.
func (f *Format) features() feature {
	s := f.required
	atomic := f.Name == "R32_UINT" || f.Name == "R32_SINT" || f.Name == "R32_SFLOAT" ||
		f.Name == "R64_UINT" || f.Name == "R64_SINT"
	if !f.Wide() || atomic {
		s |= sampledImage
	}
	if f.Class == FloatClass && !f.Wide() {
		s |= sampledImageLinear
	}
	if f.isDepth() {
		return s | sampledImageCompare
	}
	if f.Components[0].Name == 'S' {
		return s
	}
	if !f.Wide() || atomic {
		s |= uniformTexelBuffer
	}
	if f.spirv() != spirv.ImageFormatUnknown {
		s |= storageImage | storageTexelBuffer
	}
	if atomic {
		s |= storageImageAtomic | storageTexelBufferAtomic
	}
	return s
}

// requiredFormats lists the required formats by use. In a name, {a,b} stands
// for each of a and b.
var requiredFormats = []struct {
	uses    feature
	formats string
}{
	{sampledImage | sampledImageLinear, `
		B4G4R4A4_UNORM_PACK16 R5G6B5_UNORM_PACK16 A1R5G5B5_UNORM_PACK16
		R8_{UNORM,SNORM} R8G8_{UNORM,SNORM} R8G8B8A8_{UNORM,SNORM,SRGB} B8G8R8A8_{UNORM,SRGB}
		A8B8G8R8_{UNORM,SNORM,SRGB}_PACK32 A2B10G10R10_UNORM_PACK32
		R16_SFLOAT R16G16_SFLOAT R16G16B16A16_SFLOAT
		B10G11R11_UFLOAT_PACK32 E5B9G9R9_UFLOAT_PACK32`},
	{sampledImage, `
		R8_{UINT,SINT} R8G8_{UINT,SINT} R8G8B8A8_{UINT,SINT} A8B8G8R8_{UINT,SINT}_PACK32
		A2B10G10R10_UINT_PACK32 R16_{UINT,SINT} R16G16_{UINT,SINT} R16G16B16A16_{UINT,SINT}
		R32_{UINT,SINT,SFLOAT} R32G32_{UINT,SINT,SFLOAT} R32G32B32A32_{UINT,SINT,SFLOAT}`},
	{sampledImage | sampledImageCompare, `D16_UNORM D32_SFLOAT`},
	{storageImage, `
		R8G8B8A8_{UNORM,SNORM,UINT,SINT} R16G16B16A16_{UINT,SINT,SFLOAT}
		R32_{UINT,SINT,SFLOAT} R32G32_{UINT,SINT,SFLOAT} R32G32B32A32_{UINT,SINT,SFLOAT}`},
	{uniformTexelBuffer, `
		R8_{UNORM,SNORM,UINT,SINT} R8G8_{UNORM,SNORM,UINT,SINT} R8G8B8A8_{UNORM,SNORM,UINT,SINT}
		B8G8R8A8_UNORM A8B8G8R8_{UNORM,SNORM,UINT,SINT}_PACK32 A2B10G10R10_{UNORM,UINT}_PACK32
		R16_{UINT,SINT,SFLOAT} R16G16_{UINT,SINT,SFLOAT} R16G16B16A16_{UINT,SINT,SFLOAT}
		R32_{UINT,SINT,SFLOAT} R32G32_{UINT,SINT,SFLOAT} R32G32B32A32_{UINT,SINT,SFLOAT}
		B10G11R11_UFLOAT_PACK32`},
	{storageTexelBuffer, `
		R8G8B8A8_{UNORM,SNORM,UINT,SINT} A8B8G8R8_{UNORM,SNORM,UINT,SINT}_PACK32
		R16G16B16A16_{UINT,SINT,SFLOAT}
		R32_{UINT,SINT,SFLOAT} R32G32_{UINT,SINT,SFLOAT} R32G32B32A32_{UINT,SINT,SFLOAT}`},
	{storageImageAtomic | storageTexelBufferAtomic, `R32_{UINT,SINT}`},
}

// setRequired fills in the formats' required uses.
func setRequired() {
	for _, row := range requiredFormats {
		for pattern := range strings.FieldsSeq(row.formats) {
			before, rest, braces := strings.Cut(pattern, "{")
			modes, after, _ := strings.Cut(rest, "}")
			if !braces {
				byName[pattern].required |= row.uses
				continue
			}
			for mode := range strings.SplitSeq(modes, ",") {
				byName[before+mode+after].required |= row.uses
			}
		}
	}
}
