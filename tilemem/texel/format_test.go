package texel

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"ampdbg/spirv"
)

func format(t testing.TB, name string) *Format {
	t.Helper()
	f, ok := Lookup(name)
	if !ok {
		t.Fatalf("no format %s", name)
	}
	return f
}

// floats makes a texel of float components.
func floats(r, g, b, a float32) Texel {
	return Texel{fromFloat(r), fromFloat(g), fromFloat(b), fromFloat(a)}
}

func TestTableOfFormats(t *testing.T) {
	if got, want := len(formatTable()), 135; got != want {
		t.Errorf("%d formats, want %d", got, want)
	}
	for _, f := range formatTable() {
		if got, ok := Lookup(f.Name); !ok || got != f {
			t.Errorf("Lookup(%s) = %v, %t", f.Name, got, ok)
		}
		used := make([]bool, 8*f.TexelSize)
		seen := map[int]bool{}
		for _, c := range f.Components {
			if seen[c.Channel()] {
				t.Errorf("%s has two components of channel %d", f.Name, c.Channel())
			}
			seen[c.Channel()] = true
			for bit := c.Offset; bit < c.Offset+c.Width; bit++ {
				if used[bit] {
					t.Errorf("%s: bit %d belongs to two components", f.Name, bit)
				}
				used[bit] = true
			}
		}
		if !strings.Contains(f.Name, "X") {
			for bit, u := range used {
				if !u {
					t.Errorf("%s: bit %d belongs to no component", f.Name, bit)
				}
			}
		}
	}
	for _, name := range []string{"", "R8G8B8A8", "VK_FORMAT_R8_UNORM", "r8_unorm", "BC1_RGB_UNORM_BLOCK"} {
		if f, ok := Lookup(name); ok {
			t.Errorf("Lookup(%q) = %v", name, f)
		}
	}
}

// TestKnownTexels gives texels in bytes and what they mean, worked out by hand
// from the specification's pictures of the packed formats.
func TestKnownTexels(t *testing.T) {
	const third = float32(1) / 3
	tests := []struct {
		format string
		bytes  []byte
		want   Texel
	}{
		{"R8_UNORM", []byte{0x33}, floats(0.2, 0, 0, 1)},
		{"R8G8_SNORM", []byte{0x7f, 0x81}, floats(1, -1, 0, 1)},
		{"R8G8B8_UINT", []byte{1, 2, 255}, Texel{1, 2, 255, 1}},
		{"B8G8R8_SINT", []byte{1, 0xfe, 0x80}, Texel{0xffffff80, 0xfffffffe, 1, 1}},
		{"R8G8B8A8_UNORM", []byte{0, 51, 102, 255}, floats(0, 0.2, 0.4, 1)},
		{"B8G8R8A8_UNORM", []byte{0, 51, 102, 255}, floats(0.4, 0.2, 0, 1)},
		{"A8B8G8R8_UINT_PACK32", []byte{1, 2, 3, 4}, Texel{1, 2, 3, 4}},
		{"R8G8B8A8_SRGB", []byte{0, 255, 188, 51}, floats(0, 1, 0.50288646, 0.2)},
		{"R8G8B8_SRGB", []byte{10, 11, 12}, floats(0.0030352698, 0.0033465358, 0.0036765074, 1)}, // linear below 10.3
		{"R8G8_USCALED", []byte{200, 7}, floats(200, 7, 0, 1)},
		{"R8G8_SSCALED", []byte{200, 7}, floats(-56, 7, 0, 1)},
		{"R4G4_UNORM_PACK8", []byte{0xf5}, floats(1, third, 0, 1)},
		{"R4G4B4A4_UNORM_PACK16", []byte{0x0a, 0xf5}, floats(1, third, 0, 2*third)},
		{"B4G4R4A4_UNORM_PACK16", []byte{0x0a, 0xf5}, floats(0, third, 1, 2*third)},
		{"A4R4G4B4_UNORM_PACK16", []byte{0x0a, 0xf5}, floats(third, 0, 2*third, 1)},
		{"A4B4G4R4_UNORM_PACK16", []byte{0x0a, 0xf5}, floats(2*third, 0, third, 1)},
		{"R5G6B5_UNORM_PACK16", []byte{0x00, 0xf8}, floats(1, 0, 0, 1)},
		{"R5G6B5_UNORM_PACK16", []byte{0xe0, 0x07}, floats(0, 1, 0, 1)},
		{"B5G6R5_UNORM_PACK16", []byte{0x00, 0xf8}, floats(0, 0, 1, 1)},
		{"R5G5B5A1_UNORM_PACK16", []byte{0x01, 0xf8}, floats(1, 0, 0, 1)},
		{"B5G5R5A1_UNORM_PACK16", []byte{0xc0, 0x07}, floats(0, 1, 0, 0)},
		{"A1R5G5B5_UNORM_PACK16", []byte{0x1f, 0x80}, floats(0, 0, 1, 1)},
		{"A2R10G10B10_UINT_PACK32", word32(2<<30 | 1000<<20 | 500<<10 | 7), Texel{1000, 500, 7, 2}},
		{"A2B10G10R10_UINT_PACK32", word32(2<<30 | 1000<<20 | 500<<10 | 7), Texel{7, 500, 1000, 2}},
		{"A2B10G10R10_SINT_PACK32", word32(2<<30 | 1000<<20 | 500<<10 | 7), Texel{7, 500, 0xffffffe8, 0xfffffffe}},
		{"A2B10G10R10_UNORM_PACK32", word32(3<<30 | 341), floats(third, 0, 0, 1)},
		{"A2B10G10R10_SNORM_PACK32", word32(3<<30 | 511), floats(1, 0, 0, -1)},
		{"R16_UNORM", []byte{0x33, 0x33}, floats(0.2, 0, 0, 1)},
		{"R16G16_SFLOAT", []byte{0x00, 0x3c, 0x00, 0xc0}, floats(1, -2, 0, 1)},
		{"R16_SFLOAT", []byte{0x01, 0x00}, floats(0x1p-24, 0, 0, 1)},
		{"R16G16B16_SINT", []byte{0, 1, 0xff, 0xff, 2, 0}, Texel{256, 0xffffffff, 2, 1}},
		{"R32_SFLOAT", word32(0x40490fdb), Texel{0x40490fdb, 0, 0, 0x3f800000}},
		{"R32G32_SINT", append(word32(0xffffffff), word32(5)...), Texel{0xffffffff, 5, 0, 1}},
		{"R64_UINT", []byte{1, 2, 3, 4, 5, 6, 7, 8}, Texel{0x0807060504030201, 0, 0, 1}},
		{"R64_SINT", bytes.Repeat([]byte{255}, 8), Texel{math.MaxUint64, 0, 0, 1}},
		{"R64G64_SFLOAT", make([]byte, 16), Texel{0, 0, 0, math.Float64bits(1)}},
		// 1 is exponent 15 with no fraction in each of the three.
		{"B10G11R11_UFLOAT_PACK32", word32(15<<5<<22 | 15<<6<<11 | 15<<6), floats(1, 1, 1, 1)},
		{"B10G11R11_UFLOAT_PACK32", word32(0x3df<<22 | 0x7bf<<11 | 1), floats(0x1p-20, 65024, 64512, 1)},
		{"E5B9G9R9_UFLOAT_PACK32", word32(16<<27 | 256<<18 | 128<<9 | 64), floats(0.25, 0.5, 1, 1)},
		{"E5B9G9R9_UFLOAT_PACK32", word32(31<<27 | 511), floats(65408, 0, 0, 1)},
		{"E5B9G9R9_UFLOAT_PACK32", word32(1), floats(0x1p-24, 0, 0, 1)},
		{"R10X6_UNORM_PACK16", []byte{0xc0, 0xff}, floats(1, 0, 0, 1)},
		{"R12X4G12X4_UNORM_2PACK16", []byte{0x10, 0, 0xf0, 0xff}, floats(float32(1)/4095, 1, 0, 1)},
		{"D16_UNORM", []byte{0xff, 0xff}, floats(1, 0, 0, 1)},
		{"X8_D24_UNORM_PACK32", word32(0xffffff), floats(1, 0, 0, 1)},
		{"D32_SFLOAT", word32(math.Float32bits(0.75)), floats(0.75, 0, 0, 1)},
		{"S8_UINT", []byte{9}, Texel{9, 0, 0, 1}},
	}
	for _, test := range tests {
		f := format(t, test.format)
		if got := f.Decode(test.bytes); got != test.want {
			t.Errorf("%s: %x decodes to %x, want %x", f, test.bytes, got, test.want)
		}
		got := bytes.Repeat([]byte{0xaa}, f.TexelSize+1)
		if f.Encode(got, test.want); !bytes.Equal(got[:f.TexelSize], test.bytes) || got[f.TexelSize] != 0xaa {
			t.Errorf("%s: %x encodes to %x, want %x", f, test.want, got, test.bytes)
		}
	}
}

func word32(w uint32) []byte { return binary.LittleEndian.AppendUint32(nil, w) }

// TestSmallFormatsRoundTrip encodes what every bit pattern of up to 16 bits
// decodes to.
func TestSmallFormatsRoundTrip(t *testing.T) {
	for _, f := range formatTable() {
		if f.TexelSize > 2 {
			continue
		}
		for word := range 1 << (8 * f.TexelSize) {
			checkRoundTrip(t, f, []byte{byte(word), byte(word >> 8)}[:f.TexelSize])
		}
	}
}

// TestEveryFormatRoundTrips does the same with some patterns of all formats.
func TestEveryFormatRoundTrips(t *testing.T) {
	for _, f := range formatTable() {
		src := make([]byte, f.TexelSize)
		for v := uint64(0); v < 1<<16; v += 5 {
			for i := range f.Components {
				f.Components[i].Store(src, v*0x9e3779b97f4a7c15>>16+uint64(i)*v)
			}
			checkRoundTrip(t, f, src)
		}
	}
}

func checkRoundTrip(t *testing.T, f *Format, src []byte) {
	t.Helper()
	if f.packing == shared {
		src = bytes.Clone(src)
		normalizeShared(src)
	}
	want := make([]byte, f.TexelSize)
	for i := range f.Components {
		c := &f.Components[i]
		v := c.Load(src)
		if c.Mode == SNorm && v == 1<<(c.Width-1) {
			v++ // the two lowest values both stand for -1
		}
		c.Store(want, v)
	}
	got := make([]byte, f.TexelSize)
	if f.Encode(got, f.Decode(src)); !bytes.Equal(got, want) {
		t.Fatalf("%s: %x decodes to %x, which encodes to %x, want %x", f, src, f.Decode(src), got, want)
	}
}

// normalizeShared makes one mantissa of an E5B9G9R9 texel have its top bit
// set, or the exponent 0: the form that encoding produces.
func normalizeShared(texel []byte) {
	w := binary.LittleEndian.Uint32(texel)
	for w>>27 > 0 && w&(1<<26|1<<17|1<<8) == 0 {
		w = w&(1<<27-1)<<1 | (w>>27-1)<<27
	}
	binary.LittleEndian.PutUint32(texel, w)
}

func TestLoadAndStoreKeepNeighbours(t *testing.T) {
	for _, f := range formatTable() {
		for i := range f.Components {
			c := &f.Components[i]
			b := bytes.Repeat([]byte{0xff}, f.TexelSize)
			c.Store(b, 0)
			if got := c.Load(b); got != 0 {
				t.Errorf("%s %c: stored 0, loaded %x", f, c.Name, got)
			}
			ones := 0
			for _, x := range b {
				for ; x != 0; x &= x - 1 {
					ones++
				}
			}
			if ones != 8*f.TexelSize-c.Width {
				t.Errorf("%s %c: storing 0 leaves %d bits of ones", f, c.Name, ones)
			}
			c.Store(b, math.MaxUint64)
			if got := c.Load(b); got != mask(c.Width) {
				t.Errorf("%s %c: stored ones, loaded %x", f, c.Name, got)
			}
		}
	}
}

func TestSPIRVFormats(t *testing.T) {
	for s := spirv.ImageFormatRgba32f; s <= spirv.ImageFormatR64i; s++ {
		f, ok := FromSPIRV(s)
		if !ok {
			t.Errorf("FromSPIRV(%v) finds nothing", s)
			continue
		}
		if f.spirv() != s {
			t.Errorf("FromSPIRV(%v) = %v, whose SPIRV is %v", s, f, f.spirv())
		}
		// Rgba16Snorm: the count of components, their width, the class.
		name := strings.ToLower(s.String())
		if strings.HasPrefix(name, "rgba") && len(f.Components) != 4 ||
			strings.HasSuffix(name, "ui") != (f.Class == UintClass) ||
			strings.HasSuffix(name, "i") && f.Class == FloatClass ||
			strings.HasSuffix(name, "snorm") != (f.Components[0].Mode == SNorm) {
			t.Errorf("%v is %v", s, f)
		}
	}
	if f, ok := FromSPIRV(spirv.ImageFormatUnknown); ok {
		t.Errorf("FromSPIRV(Unknown) = %v", f)
	}
	if got := format(t, "B8G8R8A8_UNORM").spirv(); got != spirv.ImageFormatUnknown {
		t.Errorf("B8G8R8A8_UNORM is %v", got)
	}
}

func TestFeatures(t *testing.T) {
	tests := []struct {
		format         string
		required, more feature // more: not required, but supported
		never          feature
	}{
		{"R32_UINT", sampledImage | storageImage | storageImageAtomic | uniformTexelBuffer | storageTexelBuffer | storageTexelBufferAtomic, 0, sampledImageLinear | sampledImageCompare},
		{"R32_SFLOAT", sampledImage | storageImage | uniformTexelBuffer | storageTexelBuffer, sampledImageLinear | storageImageAtomic, sampledImageCompare},
		{"R8_UNORM", sampledImage | sampledImageLinear | uniformTexelBuffer, storageImage | storageTexelBuffer, storageImageAtomic},
		{"R8G8B8A8_SRGB", sampledImage | sampledImageLinear, 0, storageImage},
		{"R64_UINT", 0, storageImage | storageImageAtomic | sampledImage, sampledImageLinear},
		{"R64_SFLOAT", 0, 0, sampledImage | storageImage},
		{"D16_UNORM", sampledImage | sampledImageCompare, sampledImageLinear, storageImage | uniformTexelBuffer},
		{"A2B10G10R10_UNORM_PACK32", sampledImage | sampledImageLinear | uniformTexelBuffer, storageImage, storageImageAtomic},
		{"S8_UINT", 0, sampledImage, storageImage | sampledImageLinear},
	}
	for _, test := range tests {
		f := format(t, test.format)
		if !f.required.has(test.required) || f.required&(test.more|test.never) != 0 {
			t.Errorf("%s requires %b", f, f.required)
		}
		if !f.features().has(f.required|test.more) || f.features()&test.never != 0 {
			t.Errorf("%s has features %b", f, f.features())
		}
	}
	for _, f := range formatTable() {
		if f.spirv() != spirv.ImageFormatUnknown && !f.features().has(storageImage) {
			t.Errorf("%s has a SPIR-V format and is no storage image", f)
		}
	}
}
