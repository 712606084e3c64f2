package texel

import (
	"slices"
	"strings"

	"ampdbg/spirv"
)

// families spells every format: a layout, its packing suffix and the numeric
// suffixes it comes with. These are all uncompressed single-plane formats of
// Vulkan 1.3 but those that combine depth and stencil. A layout names the
// components from the first byte, or with a PACK suffix from the most
// significant bit of each word.
var families = []struct{ layouts, modes, pack string }{
	{"R4G4", "UNORM", "_PACK8"},
	{"R4G4B4A4 B4G4R4A4 A4R4G4B4 A4B4G4R4 R5G6B5 B5G6R5 R5G5B5A1 B5G5R5A1 A1R5G5B5", "UNORM", "_PACK16"},
	{"R8 R8G8 R8G8B8 B8G8R8 R8G8B8A8 B8G8R8A8", "UNORM SNORM USCALED SSCALED UINT SINT SRGB", ""},
	{"A8B8G8R8", "UNORM SNORM USCALED SSCALED UINT SINT SRGB", "_PACK32"},
	{"A2R10G10B10 A2B10G10R10", "UNORM SNORM USCALED SSCALED UINT SINT", "_PACK32"},
	{"R16 R16G16 R16G16B16 R16G16B16A16", "UNORM SNORM USCALED SSCALED UINT SINT SFLOAT", ""},
	{"R32 R32G32 R32G32B32 R32G32B32A32", "UINT SINT SFLOAT", ""},
	{"R64 R64G64 R64G64B64 R64G64B64A64", "UINT SINT SFLOAT", ""},
	{"B10G11R11 E5B9G9R9", "UFLOAT", "_PACK32"},
	{"R10X6 R12X4", "UNORM", "_PACK16"},
	{"R10X6G10X6 R12X4G12X4", "UNORM", "_2PACK16"},
	{"R10X6G10X6B10X6A10X6 R12X4G12X4B12X4A12X4", "UNORM", "_4PACK16"},
	{"D16", "UNORM", ""},
	{"D32", "SFLOAT", ""},
	{"X8_D24", "UNORM", "_PACK32"},
	{"S8", "UINT", ""},
}

var modeNames = map[string]Mode{
	"UNORM": UNorm, "SNORM": SNorm, "USCALED": UScaled, "SSCALED": SScaled,
	"UINT": UInt, "SINT": SInt, "UFLOAT": UFloat, "SFLOAT": SFloat, "SRGB": SRGB,
}

var (
	formats []*Format // in the order of families
	byName  = map[string]*Format{}
	toSPIRV = map[*Format]spirv.ImageFormat{}
)

func init() {
	for _, fam := range families {
		for layout := range strings.FieldsSeq(fam.layouts) {
			for mode := range strings.FieldsSeq(fam.modes) {
				f := newFormat(layout, modeNames[mode], fam.pack)
				f.Name = layout + "_" + mode + fam.pack
				formats = append(formats, f)
				byName[f.Name] = f
			}
		}
	}
	for s, name := range spirvNames {
		toSPIRV[byName[name]] = s
	}
	setRequired()
}

// newFormat lays out a format whose layout is, for example, "A2B10G10R10".
func newFormat(layout string, mode Mode, pack string) *Format {
	f := &Format{}
	switch mode {
	case UInt:
		f.Class = UintClass
	case SInt:
		f.Class = SintClass
	}
	bits := 0
	for i := 0; i < len(layout); {
		c := Component{Name: layout[i], Offset: bits, Mode: mode}
		for i++; i < len(layout) && layout[i] >= '0' && layout[i] <= '9'; i++ {
			c.Width = 10*c.Width + int(layout[i]-'0')
		}
		if mode == SRGB && c.Name == 'A' {
			c.Mode = UNorm
		}
		if c.Name == 'E' {
			c.Mode = UInt
			f.packing = shared
		}
		bits += c.Width
		if c.Name != 'X' && c.Name != '_' {
			f.Components = append(f.Components, c)
		}
	}
	f.TexelSize = bits / 8
	if pack != "" { // offsets were counted from the top of each word
		word := bits
		if strings.HasSuffix(pack, "PACK16") {
			word = 16
		}
		for i := range f.Components {
			c := &f.Components[i]
			first := c.Offset / word * word
			c.Offset = first + word - (c.Offset - first) - c.Width
		}
		if f.packing != shared {
			f.packing = inWord
		}
	} else if f.Components[0].Width == 32 {
		f.packing = verbatim
	}
	f.zero[3] = f.one()
	if f.Has(3) {
		f.zero[3] = 0
	}
	return f
}

// Lookup finds a format by its Vulkan name without VK_FORMAT_, which is also
// AmberScript's spelling: "R8G8B8A8_UNORM", "B10G11R11_UFLOAT_PACK32".
func Lookup(name string) (*Format, bool) {
	f, ok := byName[name]
	return f, ok
}

// formatTable returns all formats in a fixed order.
func formatTable() []*Format { return slices.Clone(formats) }

// spirvNames is the table "SPIR-V and Vulkan Image Format Compatibility".
var spirvNames = map[spirv.ImageFormat]string{
	spirv.ImageFormatRgba32f:      "R32G32B32A32_SFLOAT",
	spirv.ImageFormatRgba16f:      "R16G16B16A16_SFLOAT",
	spirv.ImageFormatR32f:         "R32_SFLOAT",
	spirv.ImageFormatRgba8:        "R8G8B8A8_UNORM",
	spirv.ImageFormatRgba8Snorm:   "R8G8B8A8_SNORM",
	spirv.ImageFormatRg32f:        "R32G32_SFLOAT",
	spirv.ImageFormatRg16f:        "R16G16_SFLOAT",
	spirv.ImageFormatR11fG11fB10f: "B10G11R11_UFLOAT_PACK32",
	spirv.ImageFormatR16f:         "R16_SFLOAT",
	spirv.ImageFormatRgba16:       "R16G16B16A16_UNORM",
	spirv.ImageFormatRgb10A2:      "A2B10G10R10_UNORM_PACK32",
	spirv.ImageFormatRg16:         "R16G16_UNORM",
	spirv.ImageFormatRg8:          "R8G8_UNORM",
	spirv.ImageFormatR16:          "R16_UNORM",
	spirv.ImageFormatR8:           "R8_UNORM",
	spirv.ImageFormatRgba16Snorm:  "R16G16B16A16_SNORM",
	spirv.ImageFormatRg16Snorm:    "R16G16_SNORM",
	spirv.ImageFormatRg8Snorm:     "R8G8_SNORM",
	spirv.ImageFormatR16Snorm:     "R16_SNORM",
	spirv.ImageFormatR8Snorm:      "R8_SNORM",
	spirv.ImageFormatRgba32i:      "R32G32B32A32_SINT",
	spirv.ImageFormatRgba16i:      "R16G16B16A16_SINT",
	spirv.ImageFormatRgba8i:       "R8G8B8A8_SINT",
	spirv.ImageFormatR32i:         "R32_SINT",
	spirv.ImageFormatRg32i:        "R32G32_SINT",
	spirv.ImageFormatRg16i:        "R16G16_SINT",
	spirv.ImageFormatRg8i:         "R8G8_SINT",
	spirv.ImageFormatR16i:         "R16_SINT",
	spirv.ImageFormatR8i:          "R8_SINT",
	spirv.ImageFormatRgba32ui:     "R32G32B32A32_UINT",
	spirv.ImageFormatRgba16ui:     "R16G16B16A16_UINT",
	spirv.ImageFormatRgba8ui:      "R8G8B8A8_UINT",
	spirv.ImageFormatR32ui:        "R32_UINT",
	spirv.ImageFormatRgb10a2ui:    "A2B10G10R10_UINT_PACK32",
	spirv.ImageFormatRg32ui:       "R32G32_UINT",
	spirv.ImageFormatRg16ui:       "R16G16_UINT",
	spirv.ImageFormatRg8ui:        "R8G8_UINT",
	spirv.ImageFormatR16ui:        "R16_UINT",
	spirv.ImageFormatR8ui:         "R8_UINT",
	spirv.ImageFormatR64ui:        "R64_UINT",
	spirv.ImageFormatR64i:         "R64_SINT",
}

// FromSPIRV returns the format that an OpTypeImage's format stands for; false
// for ImageFormatUnknown.
func FromSPIRV(s spirv.ImageFormat) (*Format, bool) {
	f, ok := byName[spirvNames[s]]
	return f, ok
}

// spirv returns the image format that stands for f in OpTypeImage,
// ImageFormatUnknown if none does.
func (f *Format) spirv() spirv.ImageFormat { return toSPIRV[f] }
