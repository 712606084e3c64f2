package gpu

import "testing"

func TestFormatsHaveVulkansNumbers(t *testing.T) {
	for _, c := range []struct {
		name   string
		vulkan int32
		bytes  int
		aspect uint32
	}{
		{"R4G4_UNORM_PACK8", 1, 1, 1}, {"R8_UNORM", 9, 1, 1}, {"R8G8B8A8_UINT", 41, 4, 1}, {"A8B8G8R8_UNORM_PACK32", 51, 4, 1},
		{"A2B10G10R10_UINT_PACK32", 68, 4, 1}, {"R16_SFLOAT", 76, 2, 1}, {"R16G16B16_SFLOAT", 90, 6, 1}, {"R32_UINT", 98, 4, 1},
		{"R32G32B32A32_SFLOAT", 109, 16, 1}, {"R64G64B64A64_SFLOAT", 121, 32, 1}, {"B10G11R11_UFLOAT_PACK32", 122, 4, 1},
		{"E5B9G9R9_UFLOAT_PACK32", 123, 4, 1}, {"D16_UNORM", 124, 2, 2}, {"X8_D24_UNORM_PACK32", 125, 4, 2}, {"D32_SFLOAT", 126, 4, 2}, {"S8_UINT", 127, 1, 4},
	} {
		f, ok := parseFormat(c.name)
		if !ok || f.vulkan != c.vulkan || f.bytes != c.bytes || f.aspect != c.aspect {
			t.Errorf("%s: expected %+v, found %+v", c.name, c, f)
		}
	}
	for _, name := range []string{"", "UNDEFINED", "R9_UINT", "BC1_RGB_UNORM_BLOCK", "D24_UNORM_S8_UINT"} {
		if f, ok := parseFormat(name); ok {
			t.Errorf("%q: found %+v", name, f)
		}
	}
}
