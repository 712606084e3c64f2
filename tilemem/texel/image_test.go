package texel

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"ampdbg/spirv"
)

// newImage makes an image of one level, or of as many as levels says, whose
// bytes are all 0.
func newImage(f *Format, dim spirv.Dim, arrayed bool, width, height, depth, layers, levels int) *Image {
	im := &Image{
		Format: f, Dim: dim, Arrayed: arrayed, Width: width, Height: height, Depth: depth,
		Layers: layers, Levels: levels, Samples: 1,
	}
	size, _ := im.byteSize()
	im.Data = make([]byte, size)
	return im
}

// TestTexelsFollowEachOther walks images in the documented order.
func TestTexelsFollowEachOther(t *testing.T) {
	images := []*Image{
		newImage(format(t, "R8_UINT"), spirv.Dim1D, true, 5, 1, 1, 3, 3),
		newImage(format(t, "R8G8B8_UNORM"), spirv.Dim2D, true, 7, 5, 1, 2, 3),
		newImage(format(t, "R32G32_SFLOAT"), spirv.Dim3D, false, 4, 3, 6, 1, 3),
		newImage(format(t, "R16_UINT"), spirv.DimCube, true, 4, 4, 1, 12, 2),
		NewBuffer(make([]byte, 4*9), format(t, "R32_UINT")),
	}
	ms := newImage(format(t, "R32_UINT"), spirv.Dim2D, true, 3, 2, 1, 2, 1)
	ms.Samples = 4
	ms.Data = make([]byte, 4*len(ms.Data))
	for _, im := range append(images, ms) {
		if err := im.Check(); err != nil {
			t.Error(err)
		}
		want := 0
		for level := range im.Levels {
			size := im.Size(level)
			for layer := range im.Layers {
				for z := range size[2] {
					for y := range size[1] {
						for x := range size[0] {
							for sample := range im.Samples {
								if at, ok := im.Offset(x, y, z, layer, level, sample); !ok || at != want {
									t.Fatalf("dim %v: texel %d %d %d layer %d level %d sample %d is at %d, %t, want %d",
										im.Dim, x, y, z, layer, level, sample, at, ok, want)
								}
								for base := range level { // the same texel seen from another base
									view := *im
									view.BaseLevel = base
									if at, ok := view.Offset(x, y, z, layer, level-base, sample); !ok || at != want {
										t.Fatalf("from base level %d: at %d, %t, want %d", base, at, ok, want)
									}
								}
								want += im.Format.TexelSize
							}
						}
					}
				}
			}
		}
		if want != len(im.Data) {
			t.Errorf("dim %v: %d bytes in texels, %d in all", im.Dim, want, len(im.Data))
		}
	}
}

func TestOutOfRange(t *testing.T) {
	im := newImage(format(t, "R8G8_UNORM"), spirv.Dim2D, true, 4, 3, 1, 2, 2)
	for i := range im.Data {
		im.Data[i] = 0xff
	}
	huge := math.MaxInt
	outside := [][6]int{
		{-1, 0, 0, 0, 0, 0}, {4, 0, 0, 0, 0, 0}, {0, -1, 0, 0, 0, 0}, {0, 3, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0},
		{0, 0, -1, 0, 0, 0}, {0, 0, 0, 2, 0, 0}, {0, 0, 0, -1, 0, 0}, {0, 0, 0, 0, 2, 0}, {0, 0, 0, 0, -1, 0},
		{0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, -1}, {2, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 1, 0},
		{huge, huge, huge, huge, huge, huge}, {-huge, 0, 0, 0, 0, 0}, {0, 0, 0, 0, huge, 0},
	}
	for _, c := range outside {
		if at, ok := im.Offset(c[0], c[1], c[2], c[3], c[4], c[5]); ok {
			t.Errorf("Offset(%d) = %d", c, at)
		}
	}
	if got, ok := im.fetch([3]int{4, 0, 0}, 0, 0); ok || got != floats(0, 0, 0, 1) {
		t.Errorf("Fetch outside = %x, %t", got, ok)
	}
	if im.Write([3]int{0, 3, 0}, 0, 0, Texel{}) {
		t.Error("Write outside stored")
	}
	for i, b := range im.Data {
		if b != 0xff {
			t.Errorf("byte %d changed", i)
		}
	}
	im.Data = im.Data[:5]
	if _, ok := im.fetch([3]int{2, 0, 0}, 0, 0); ok {
		t.Error("a texel that Data holds half of was read")
	}
	if _, ok := im.fetch([3]int{1, 0, 0}, 0, 0); !ok {
		t.Error("a texel that Data holds was not read")
	}
	im.BaseLevel = -1
	if _, ok := im.fetch([3]int{}, 1, 0); ok {
		t.Error("a negative base level was accepted")
	}
}

// TestCoordinatesByDimension writes a texel through a coordinate and finds it
// at its place.
func TestCoordinatesByDimension(t *testing.T) {
	f := format(t, "R32_UINT")
	tests := []struct {
		im    *Image
		coord [3]int
		want  [4]int // x, y, z, layer
		size  []uint32
	}{
		{newImage(f, spirv.Dim1D, false, 5, 1, 1, 1, 1), [3]int{4, 99, 99}, [4]int{4, 0, 0, 0}, []uint32{5}},
		{newImage(f, spirv.Dim1D, true, 5, 1, 1, 7, 1), [3]int{4, 6, 99}, [4]int{4, 0, 0, 6}, []uint32{5, 7}},
		{newImage(f, spirv.Dim2D, false, 5, 4, 1, 1, 1), [3]int{4, 3, 99}, [4]int{4, 3, 0, 0}, []uint32{5, 4}},
		{newImage(f, spirv.Dim2D, true, 5, 4, 1, 7, 1), [3]int{4, 3, 6}, [4]int{4, 3, 0, 6}, []uint32{5, 4, 7}},
		{newImage(f, spirv.Dim3D, false, 5, 4, 3, 1, 1), [3]int{4, 3, 2}, [4]int{4, 3, 2, 0}, []uint32{5, 4, 3}},
		{newImage(f, spirv.DimCube, false, 4, 4, 1, 6, 1), [3]int{3, 2, 5}, [4]int{3, 2, 0, 5}, []uint32{4, 4}},
		{newImage(f, spirv.DimCube, true, 4, 4, 1, 12, 1), [3]int{3, 2, 11}, [4]int{3, 2, 0, 11}, []uint32{4, 4, 2}},
		{NewBuffer(make([]byte, 23), f), [3]int{4, 99, 99}, [4]int{4, 0, 0, 0}, []uint32{5}},
	}
	for _, test := range tests {
		im := test.im
		if err := im.Check(); err != nil {
			t.Error(err)
		}
		if !im.Write(test.coord, 0, 0, Texel{77}) {
			t.Errorf("%v arrayed %t: Write(%d) is out of range", im.Dim, im.Arrayed, test.coord)
			continue
		}
		at, _ := im.Offset(test.want[0], test.want[1], test.want[2], test.want[3], 0, 0)
		if got := binary.LittleEndian.Uint32(im.Data[at:]); got != 77 {
			t.Errorf("%v arrayed %t: Write(%d) did not reach %d", im.Dim, im.Arrayed, test.coord, test.want)
		}
		if got, ok := im.fetch(test.coord, 0, 0); !ok || got != (Texel{77, 0, 0, 1}) {
			t.Errorf("%v arrayed %t: Fetch(%d) = %d, %t", im.Dim, im.Arrayed, test.coord, got, ok)
		}
		size, n := im.QuerySize(0)
		if n != len(test.size) || string(sizes(size[:n])) != string(sizes(test.size)) {
			t.Errorf("%v arrayed %t: QuerySize = %d of %d, want %d", im.Dim, im.Arrayed, size, n, test.size)
		}
	}
}

func sizes(s []uint32) (b []byte) {
	for _, v := range s {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func TestQuerySizeOfLevels(t *testing.T) {
	im := newImage(format(t, "R8_UINT"), spirv.Dim2D, true, 20, 5, 1, 3, 5)
	for level, want := range [][3]uint32{{20, 5, 3}, {10, 2, 3}, {5, 1, 3}, {2, 1, 3}, {1, 1, 3}} {
		if got, _ := im.QuerySize(level); got != want {
			t.Errorf("level %d is %d, want %d", level, got, want)
		}
	}
	im.BaseLevel = 2
	if got, _ := im.QuerySize(0); got != [3]uint32{5, 1, 3} || im.ViewLevels() != 3 {
		t.Errorf("from level 2 on: %d, %d levels", got, im.ViewLevels())
	}
	if got := im.Size(3); got != [3]int{} {
		t.Errorf("a level that the view lacks is %d", got)
	}
}

func TestCheck(t *testing.T) {
	f := format(t, "R8G8B8A8_UNORM")
	tests := []struct {
		name   string
		change func(im *Image)
		want   string // part of the error
	}{
		{"good", func(*Image) {}, ""},
		{"width", func(im *Image) { im.Width = 0 }, "width 0"},
		{"depth", func(im *Image) { im.Depth = 2 }, "depth 2"},
		{"height", func(im *Image) { im.Dim = spirv.Dim1D }, "height 8"},
		{"layers", func(im *Image) { im.Layers = 2 }, "layers 2"},
		{"no layers", func(im *Image) { im.Layers = 0 }, "layers 0"},
		{"faces", func(im *Image) { im.Dim, im.Layers = spirv.DimCube, 5 }, "layers 5"},
		{"cubes", func(im *Image) { im.Dim, im.Layers = spirv.DimCube, 12 }, "layers 12"},
		{"square", func(im *Image) { im.Dim, im.Layers, im.Height = spirv.DimCube, 6, 4 }, "height 4"},
		{"levels", func(im *Image) { im.Levels = 5 }, "mip levels 5"},
		{"samples", func(im *Image) { im.Samples = 0 }, "samples 0"},
		{"sampled mips", func(im *Image) { im.Samples, im.Levels = 4, 2 }, "samples 4"},
		{"base", func(im *Image) { im.BaseLevel = 1 }, "base mip level 1"},
		{"short", func(im *Image) { im.Data = im.Data[1:] }, "needs 256 bytes, has 255"},
		{"overflow", func(im *Image) { im.Width, im.Height = math.MaxInt, math.MaxInt }, "more bytes than there can be"},
	}
	for _, test := range tests {
		im := newImage(f, spirv.Dim2D, false, 8, 8, 1, 1, 1)
		test.change(im)
		err := im.Check()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", test.name, err, test.want)
		}
	}
}
