package texel

import (
	"fmt"
	"math/bits"

	"ampdbg/spirv"
)

// Image is a view of bytes as texels. Data holds all mip levels in order,
// largest first; within a level the texels are ordered by layer, z, y, x,
// sample, tightly packed. A face of a cube is a layer. Wherever an argument
// is a level, it counts from BaseLevel.
type Image struct {
	Data                 []byte
	Format               *Format
	Dim                  spirv.Dim // Dim1D, Dim2D, Dim3D, DimCube, DimBuffer
	Arrayed              bool
	Width, Height, Depth int // texels of the largest level in Data; 1 where Dim lacks them
	Layers               int // 1 unless Arrayed or a cube, which has six per cube
	Levels               int // mip levels in Data, at least 1
	Samples              int // at least 1
	BaseLevel            int // the view's level 0, less than Levels
}

// NewBuffer views data as a texel buffer. A tail shorter than a texel is left out.
func NewBuffer(data []byte, f *Format) *Image {
	return &Image{
		Data: data, Format: f, Dim: spirv.DimBuffer,
		Width: len(data) / f.TexelSize, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1,
	}
}

// Check says what is wrong with the image's shape, or that Data is too short
// for it. Texels that do not lie within Data are out of range for everything
// else here, so an image need not be checked to be used safely.
func (im *Image) Check() error {
	bad := func(what string, got int, want string) error {
		return fmt.Errorf("image of format %s has %s %d, want %s", im.Format, what, got, want)
	}
	least := 1
	if im.Dim == spirv.DimBuffer {
		least = 0
	}
	switch {
	case im.Width < least:
		return bad("width", im.Width, "at least 1")
	case im.Height < 1 || im.Height > 1 && (im.Dim == spirv.Dim1D || im.Dim == spirv.DimBuffer):
		return bad("height", im.Height, "1 or, beyond one dimension, more")
	case im.Depth < 1 || im.Depth > 1 && im.Dim != spirv.Dim3D:
		return bad("depth", im.Depth, "1 or, in three dimensions, more")
	case im.Layers < 1 || im.Layers > 1 && !im.Arrayed && im.Dim != spirv.DimCube:
		return bad("layers", im.Layers, "1 or, for an array, more")
	case im.Dim == spirv.DimCube && (im.Layers%6 != 0 || im.Layers > 6 && !im.Arrayed):
		return bad("layers", im.Layers, "6 for each cube")
	case im.Dim == spirv.DimCube && im.Width != im.Height:
		return bad("height", im.Height, fmt.Sprintf("the width %d of a cube's face", im.Width))
	case im.Samples < 1:
		return bad("samples", im.Samples, "at least 1")
	case im.Samples > 1 && (im.Dim != spirv.Dim2D || im.Levels > 1):
		return bad("samples", im.Samples, "1 or, in two dimensions and with one mip level, more")
	case im.Levels < 1 || im.Levels > bits.Len(uint(max(im.Width, im.Height, im.Depth, 1))):
		return bad("mip levels", im.Levels, "1 until the last is a single texel")
	case im.BaseLevel < 0 || im.BaseLevel >= im.Levels:
		return bad("base mip level", im.BaseLevel, fmt.Sprintf("less than the %d levels", im.Levels))
	}
	size, ok := im.byteSize()
	if ok && size <= len(im.Data) {
		return nil
	}
	needs := "more bytes than there can be"
	if ok {
		needs = fmt.Sprint(size, " bytes")
	}
	return fmt.Errorf("image of format %s and %dx%dx%d texels, %d layers, %d levels, %d samples needs %s, has %d",
		im.Format, im.Width, im.Height, im.Depth, im.Layers, im.Levels, im.Samples, needs, len(im.Data))
}

// byteSize is the number of bytes that all levels take; false if it does not
// fit an int.
func (im *Image) byteSize() (int, bool) {
	total := 0
	for level := range min(im.Levels, maxLevels) {
		size := im.Format.TexelSize
		for _, n := range [...]int{im.Width >> level, im.Height >> level, im.Depth >> level, im.Layers, im.Samples} {
			hi, lo := bits.Mul(uint(size), uint(max(n, 1)))
			if hi != 0 || lo > 1<<(bits.UintSize-2) {
				return 0, false
			}
			size = int(lo)
		}
		if total += size; total < 0 {
			return 0, false
		}
	}
	if im.Width == 0 {
		return 0, true
	}
	return total, true
}

// ViewLevels is the number of levels from BaseLevel on: OpImageQueryLevels.
func (im *Image) ViewLevels() int { return im.Levels - im.BaseLevel }

// Size is the width, height and depth of a level in texels, 0 for a level that
// the view does not have.
func (im *Image) Size(level int) [3]int {
	l, ok := im.dataLevel(level)
	if !ok {
		return [3]int{}
	}
	return im.sizeOf(l)
}

// dataLevel turns a level of the view into one of Data; false if there is none.
func (im *Image) dataLevel(level int) (int, bool) {
	if level < 0 || im.BaseLevel < 0 {
		return 0, false
	}
	level += im.BaseLevel
	return level, level >= 0 && level < min(im.Levels, maxLevels) // the sum may have wrapped
}

// maxLevels is more than an image whose size fits an int can have.
const maxLevels = bits.UintSize

// sizeOf is the size of a level of Data.
func (im *Image) sizeOf(level int) [3]int {
	if level == 0 {
		return [3]int{im.Width, im.Height, im.Depth}
	}
	return [3]int{max(im.Width>>level, 1), max(im.Height>>level, 1), max(im.Depth>>level, 1)}
}

// QuerySize is the result of OpImageQuerySizeLod and OpImageQuerySize (level
// 0) and its number of components: the size in as many dimensions as Dim has,
// two for a cube, then the number of layers or cubes if Arrayed.
func (im *Image) QuerySize(level int) (size [3]uint32, n int) {
	texels := im.Size(level)
	n = im.dims()
	for i := range n {
		size[i] = uint32(texels[i])
	}
	if im.Arrayed && n < 3 {
		size[n] = uint32(im.Layers)
		if im.Dim == spirv.DimCube {
			size[n] /= 6
		}
		n++
	}
	return size, n
}

// dims is the number of dimensions that a level's texels have.
func (im *Image) dims() int {
	switch im.Dim {
	case spirv.Dim1D, spirv.DimBuffer:
		return 1
	case spirv.Dim3D:
		return 3
	}
	return 2
}

// Offset is where in Data a texel begins; false if there is no such texel or
// Data does not hold it.
func (im *Image) Offset(x, y, z, layer, level, sample int) (int, bool) {
	level, ok := im.dataLevel(level)
	if !ok || uint(layer) >= uint(im.Layers) || uint(sample) >= uint(im.Samples) {
		return 0, false
	}
	size := im.sizeOf(level)
	if uint(x) >= uint(size[0]) || uint(y) >= uint(size[1]) || uint(z) >= uint(size[2]) {
		return 0, false
	}
	at := ((((layer*size[2]+z)*size[1]+y)*size[0] + x) * im.Samples) + sample
	for l := range level {
		s := im.sizeOf(l)
		at += s[0] * s[1] * s[2] * im.Layers * im.Samples
	}
	at *= im.Format.TexelSize
	if at < 0 || at > len(im.Data)-im.Format.TexelSize {
		return 0, false
	}
	return at, true
}

// At is the Offset of the texel that an image instruction's integer coordinate
// names: x, y and z as Dim has them (the last of a cube is its face), then the
// layer if Arrayed, which for a cube is layer*6 + face.
func (im *Image) At(coord [3]int, level, sample int) (int, bool) {
	var texel [3]int
	n := im.dims()
	copy(texel[:n], coord[:n])
	layer := 0
	if im.Dim == spirv.DimCube || im.Arrayed && n < 3 {
		layer = coord[n]
	}
	return im.Offset(texel[0], texel[1], texel[2], layer, level, sample)
}

// Coordinates is how many numbers At takes.
func (im *Image) Coordinates() int {
	n := im.dims()
	if im.Dim == spirv.DimCube || im.Arrayed && n < 3 {
		n++
	}
	return n
}

// fetch reads a texel: OpImageFetch and OpImageRead, with coordinates as for
// At. Outside the image it returns the format's Zero, which is what
// robustImageAccess2 reads, and false.
func (im *Image) fetch(coord [3]int, level, sample int) (Texel, bool) {
	at, ok := im.At(coord, level, sample)
	if !ok {
		return im.Format.zero, false
	}
	return im.Format.Decode(im.Data[at:]), true
}

// Write stores a texel: OpImageWrite, with coordinates as for At. Outside the
// image it stores nothing and returns false.
func (im *Image) Write(coord [3]int, level, sample int, t Texel) bool {
	at, ok := im.At(coord, level, sample)
	if ok {
		im.Format.Encode(im.Data[at:], t)
	}
	return ok
}
