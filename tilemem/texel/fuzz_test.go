package texel

import (
	"encoding/binary"
	"math"
	"testing"

	"ampdbg/spirv"
)

// entropy deals out the bytes of a fuzz input.
type entropy []byte

func (e *entropy) word() uint32 {
	var b [4]byte
	*e = (*e)[copy(b[:], *e):]
	return binary.LittleEndian.Uint32(b[:])
}

func (e *entropy) float() float32 { return math.Float32frombits(e.word()) }

// size is mostly a small number, sometimes any number.
func (e *entropy) size() int {
	w := e.word()
	if w>>28 == 15 {
		return int(int32(w<<4)) << 8
	}
	return int(w % 9)
}

// FuzzSample gives images of any shape, most of which Check refuses, any
// coordinates and any sampler: nothing panics, and what is touched lies in
// the image.
func FuzzSample(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x01\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x06\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00"))
	for seed := range 64 {
		var b []byte
		state := uint32(seed)
		for range 60 {
			state = state*1664525 + 1013904223
			b = binary.LittleEndian.AppendUint32(b, state>>8|state<<24)
		}
		f.Add(b)
	}
	all := formatTable()
	f.Fuzz(func(t *testing.T, input []byte) {
		e := entropy(input)
		im := &Image{
			Format: all[e.word()%uint32(len(all))], Dim: spirv.Dim(e.word() % 8), Arrayed: e.word()%2 == 0,
			Width: e.size(), Height: e.size(), Depth: e.size(), Layers: e.size(), Levels: e.size(), Samples: e.size(),
			BaseLevel: e.size() - 1,
		}
		size, ok := im.byteSize()
		if !ok || size > 1<<16 {
			size = int(e.word() % 512)
		}
		im.Data = make([]byte, size)
		for i := range im.Data {
			im.Data[i] = byte(i * 37)
		}
		checked := im.Check() == nil
		flags := e.word()
		s := &Sampler{
			MagLinear: flags&1 != 0, MinLinear: flags&2 != 0, MipLinear: flags&4 != 0,
			AddressU: AddressMode(flags >> 3 % 6), AddressV: AddressMode(flags >> 6 % 6), AddressW: AddressMode(flags >> 9 % 6),
			Border: BorderColor(flags >> 12 % 8), CompareOp: CompareOp(flags >> 15 % 9), Unnormalized: flags>>18&3 == 0,
			MinLOD: e.float(), MaxLOD: e.float(), LODBias: e.float(),
		}
		var seen Touched
		op := &Operands{
			Compare: flags>>20&1 != 0, Dref: e.float(), Touched: &seen,
			Offset: [3]int{e.size(), e.size() - 4, int(int32(e.word())) << 32}, Bias: e.float(), MinLOD: e.float(),
		}
		coord := [4]float32{e.float(), e.float(), e.float(), e.float()}
		check := func(what string) {
			for _, at := range seen.Offsets[:seen.N] {
				if at < 0 || at+im.Format.TexelSize > len(im.Data) {
					t.Errorf("%s touched %d of %d bytes", what, at, len(im.Data))
				}
			}
			seen.N = 0
		}
		Sample(im, s, coord, e.float(), op)
		check("Sample")
		Gather(im, s, coord, int(e.size()), op)
		check("Gather")
		GatherOffsets(im, s, coord, 1, [4][2]int{{e.size(), e.size()}, {math.MaxInt, math.MinInt}, {}, {}}, op)
		check("GatherOffsets")
		im.GradientLOD(coord, [3]float32{e.float(), e.float(), e.float()}, [3]float32{e.float()})
		QueryLOD(im, s, e.float())
		at := [3]int{e.size(), e.size(), e.size()}
		level, sample := e.size(), e.size()
		im.QuerySize(level)
		texel, inside := im.fetch(at, level, sample)
		if inside != im.Write(at, level, sample, texel) {
			t.Error("Fetch and Write disagree about what is outside")
		}
		// In a checked image exactly the texels of the level are inside.
		if checked {
			size, n := im.QuerySize(level)
			want := level < im.ViewLevels() && sample < im.Samples
			if im.Dim == spirv.DimCube {
				size[2], n = uint32(im.Layers), 3
			}
			for i := range n {
				want = want && at[i] >= 0 && at[i] < int(size[i])
			}
			if inside != want {
				t.Errorf("%+v: Fetch(%d, level %d, sample %d) is inside: %t", im, at, level, sample, inside)
			}
		}
	})
}

// FuzzEncode encodes any texel in any format: decoding gives a texel that
// encodes to the same bytes again, and Fits tells whether integers survive.
func FuzzEncode(f *testing.F) {
	f.Add(uint8(0), uint64(1), uint64(2), uint64(3), uint64(4))
	f.Add(uint8(120), uint64(0x7fc00000), uint64(0xff800000), uint64(0x3f800000), uint64(math.MaxUint64))
	all := formatTable()
	f.Fuzz(func(t *testing.T, which uint8, r, g, b, a uint64) {
		f := all[int(which)%len(all)]
		in := Texel{r, g, b, a}
		buf := make([]byte, f.TexelSize)
		f.Encode(buf, in)
		out := f.Decode(buf)
		again := make([]byte, f.TexelSize)
		f.Encode(again, out)
		if string(buf) != string(again) {
			t.Errorf("%s: %x becomes %x, then %x", f, in, buf, again)
		}
		if f.Class != FloatClass {
			same := true
			for c := range in {
				if !f.Wide() {
					in[c] = uint64(uint32(in[c]))
				}
				same = same && (!f.Has(c) || in[c] == out[c])
			}
			if f.fits(in) != same {
				t.Errorf("%s: Fits(%x) = %t, it becomes %x", f, in, !same, out)
			}
		}
	})
}
