package texel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"ampdbg/spirv"
)

// The reference samples by definition: the result is the sum over texel
// indices of a neighbourhood, in the image or beyond it, of texel times
// weight, where the weight of index i at coordinate u is 1 in [i, i+1) for a
// nearest filter and the tent 1-|u-(i+1/2)| for a linear one. Indices beyond
// the edge are brought back step by step. Only 1D, 2D and 3D images; cubes
// have a reference of their own.

// refWrap walks from index 0 to index i and says which texel it meets there,
// -1 for the border.
func refWrap(m AddressMode, i, n int) int {
	texel, step, dir := 0, 1, 1
	if i < 0 {
		dir = -1
		if m == MirroredRepeat || m == MirrorClampToEdge {
			i, dir = -1-i, 1 // the mirror stands at the left edge
		}
	}
	for range max(i, -i) {
		switch m {
		case Repeat:
			texel += dir
			if texel == n {
				texel = 0
			}
			if texel < 0 {
				texel = n - 1
			}
		case MirroredRepeat:
			if next := texel + step; next < 0 || next == n {
				step = -step // the edge texel is met twice
			} else {
				texel = next
			}
		case ClampToEdge, MirrorClampToEdge:
			if next := texel + dir; next >= 0 && next < n {
				texel = next
			}
		case ClampToBorder:
			if texel += dir; texel < 0 || texel == n {
				return -1
			}
		}
	}
	return texel
}

type refSampler struct {
	im   *Image
	s    *Sampler
	op   *Operands
	look func(level, i, j, k, layer int) Texel
}

func (r refSampler) level(at [3]float64, layer, level int, linear bool) (sum [4]float64) {
	size := r.im.Size(level)
	n := map[spirv.Dim]int{spirv.Dim1D: 1, spirv.Dim2D: 2, spirv.Dim3D: 3}[r.im.Dim]
	modes := []AddressMode{r.s.AddressU, r.s.AddressV, r.s.AddressW}
	var index [3][]int // wrapped, in step with weight
	var weight [3][]float64
	for a := range 3 {
		if a >= n {
			index[a], weight[a] = []int{0}, []float64{1}
			continue
		}
		u := at[a]
		if !r.s.Unnormalized {
			u *= float64(size[a])
		}
		for i := int(math.Floor(u)) - 3; i <= int(math.Floor(u))+3; i++ {
			w := 0.0
			if linear {
				w = 1 - math.Abs(u-(float64(i)+0.5))
			} else if float64(i) <= u && u < float64(i)+1 {
				w = 1
			}
			if w > 0 {
				index[a] = append(index[a], refWrap(modes[a], i+r.op.Offset[a], size[a]))
				weight[a] = append(weight[a], w)
			}
		}
	}
	for zi, k := range index[2] {
		for yi, j := range index[1] {
			for xi, i := range index[0] {
				w := weight[0][xi] * weight[1][yi] * weight[2][zi]
				t := r.look(level, i, j, k, layer)
				if r.op.Compare {
					d := float64(toFloat(t[0]))
					ref := float64(r.op.Dref)
					if f := r.im.Format; f.Name != "D32_SFLOAT" {
						ref = math.Max(0, math.Min(1, ref))
					}
					holds := [...]bool{false, ref < d, ref == d, ref <= d, ref > d, ref != d, ref >= d, true}[r.s.CompareOp]
					if holds {
						sum[0] += w
					}
					sum[3] += w
					continue
				}
				for c := range sum {
					sum[c] += w * float64(toFloat(t[c]))
				}
			}
		}
	}
	return sum
}

// lookUp reads a texel by unwrapped rules: index -1 is the border.
func lookUp(t *testing.T, im *Image, border Texel) func(level, i, j, k, layer int) Texel {
	return func(level, i, j, k, layer int) Texel {
		if i < 0 || j < 0 || k < 0 {
			return border
		}
		at, ok := im.Offset(i, j, k, layer, level, 0)
		if !ok {
			t.Fatalf("reference reads outside the image: %d %d %d layer %d level %d", i, j, k, layer, level)
		}
		return im.Format.Decode(im.Data[at:])
	}
}

// sample is the reference for Sample, with a float format.
func (r refSampler) sample(coord [4]float32, lod float32) [4]float64 {
	n := map[spirv.Dim]int{spirv.Dim1D: 1, spirv.Dim2D: 2, spirv.Dim3D: 3}[r.im.Dim]
	var at [3]float64
	for a := range n {
		at[a] = float64(coord[a])
	}
	layer := 0
	if r.im.Arrayed && n < 3 {
		best := math.Inf(1)
		for l := range r.im.Layers { // the nearest layer; of two equally near the even one
			d := math.Abs(float64(l) - float64(coord[n]))
			if d < best || d == best && l%2 == 0 {
				best, layer = d, l
			}
		}
	}
	l := math.Max(float64(lod)+float64(r.s.LODBias)+float64(r.op.Bias), math.Max(float64(r.s.MinLOD), float64(r.op.MinLOD)))
	l = math.Min(l, float64(r.s.MaxLOD))
	if r.s.Unnormalized {
		l = 0
	}
	linear := r.s.MinLinear
	if l <= 0 {
		linear = r.s.MagLinear
	}
	var sum [4]float64
	for level := range r.im.ViewLevels() { // each level has a tent too
		d := math.Max(0, math.Min(l, float64(r.im.ViewLevels()-1)))
		w := 1 - math.Abs(d-float64(level))
		if !r.s.MipLinear {
			w = 0
			if x := d - float64(level); x > -0.5 && x <= 0.5 {
				w = 1
			}
		}
		if w <= 0 {
			continue
		}
		for c, v := range r.level(at, layer, level, linear) {
			sum[c] += w * v
		}
	}
	return sum
}

// randomSampler has every mode; half of its levels of detail are clamped.
func randomSampler(rng *rand.Rand) *Sampler {
	bit := func() bool { return rng.IntN(2) == 0 }
	s := &Sampler{
		MagLinear: bit(), MinLinear: bit(), MipLinear: bit(),
		AddressU: AddressMode(rng.IntN(5)), AddressV: AddressMode(rng.IntN(5)), AddressW: AddressMode(rng.IntN(5)),
		Border: BorderColor(rng.IntN(6)), CompareOp: CompareOp(rng.IntN(8)),
		MaxLOD: 1000,
	}
	if bit() {
		s.MinLOD = float32(rng.IntN(8)) / 4
		s.MaxLOD = s.MinLOD + float32(rng.IntN(8))/4
		s.LODBias = float32(rng.IntN(9)-4) / 4
	}
	return s
}

// randomCoord is near the image, often on a texel's edge or centre.
func randomCoord(rng *rand.Rand, size int) float32 {
	switch rng.IntN(3) {
	case 0:
		return float32(rng.IntN(10*size)-4*size) / float32(2*size)
	case 1:
		return float32(rng.NormFloat64() * 2)
	}
	return rng.Float32()
}

func TestSampleAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	shapes := []func(f *Format) *Image{
		func(f *Format) *Image { return newImage(f, spirv.Dim1D, false, 5, 1, 1, 1, 3) },
		func(f *Format) *Image { return newImage(f, spirv.Dim1D, true, 8, 1, 1, 3, 4) },
		func(f *Format) *Image { return newImage(f, spirv.Dim2D, false, 7, 4, 1, 1, 3) },
		func(f *Format) *Image { return newImage(f, spirv.Dim2D, true, 4, 6, 1, 3, 2) },
		func(f *Format) *Image { return newImage(f, spirv.Dim3D, false, 4, 3, 5, 1, 3) },
		func(f *Format) *Image { return newImage(f, spirv.Dim2D, false, 1, 1, 1, 1, 1) },
	}
	names := []string{
		"R8G8B8A8_UNORM", "R8_SNORM", "R16G16_SFLOAT", "R32G32B32A32_SFLOAT", "B5G6R5_UNORM_PACK16",
		"B8G8R8A8_SRGB", "A2B10G10R10_UNORM_PACK32", "D16_UNORM", "D32_SFLOAT", "X8_D24_UNORM_PACK32",
	}
	for round := range 6000 {
		im := shapes[rng.IntN(len(shapes))](format(t, names[rng.IntN(len(names))]))
		one := make([]byte, im.Format.TexelSize)
		for at := 0; at < len(im.Data); at += len(one) {
			im.Format.Encode(im.Data[at:], floats(rng.Float32()*2-0.5, rng.Float32(), rng.Float32(), rng.Float32()))
		}
		im.BaseLevel = rng.IntN(im.Levels)
		s := randomSampler(rng)
		op := &Operands{Compare: im.Format.isDepth() && rng.IntN(2) == 0, Dref: rng.Float32()*1.5 - 0.25}
		s.Unnormalized = rng.IntN(8) == 0
		var coord [4]float32
		size := im.Size(0)
		for i := range 3 {
			coord[i] = randomCoord(rng, size[i])
			if s.Unnormalized {
				coord[i] *= float32(size[i])
			}
			if rng.IntN(2) == 0 {
				op.Offset[i] = rng.IntN(16) - 8
			}
		}
		if im.Arrayed {
			coord[im.dims()] = float32(rng.IntN(20)-6) / 2
		}
		lod := float32(rng.IntN(20)-6) / 4
		if rng.IntN(3) == 0 {
			op.Bias, op.MinLOD = rng.Float32(), rng.Float32()
		}
		ref := refSampler{im, s, op, lookUp(t, im, borderOf(im.Format, s.Border))}
		want := ref.sample(coord, lod)
		got := Sample(im, s, coord, lod, op)
		for c := range want {
			if d := math.Abs(float64(toFloat(got[c])) - want[c]); !(d <= 1e-6) {
				t.Fatalf("round %d: %s %v %+v at %g lod %g %+v: component %d is %g, want %g",
					round, im.Format, im.Dim, s, coord, lod, op, c, toFloat(got[c]), want[c])
			}
		}
	}
}

// borderOf spells out what a border texel reads as.
func borderOf(f *Format, b BorderColor) Texel {
	color := [][4]float32{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 0, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}[b]
	t := floats(0, 0, 0, 1)
	for _, c := range f.Components {
		switch c.Name {
		case 'R', 'D':
			t[0] = fromFloat(color[0])
		case 'G':
			t[1] = fromFloat(color[1])
		case 'B':
			t[2] = fromFloat(color[2])
		case 'A':
			t[3] = fromFloat(color[3])
		}
	}
	return t
}

// TestGatherAgainstSample finds each gathered texel by sampling its centre.
func TestGatherAgainstSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		name := []string{"R8G8B8A8_UNORM", "R16G16_UINT", "D32_SFLOAT", "R64_SINT"}[rng.IntN(4)]
		im := newImage(format(t, name), spirv.Dim2D, true, 2+rng.IntN(6), 1+rng.IntN(6), 1, 3, 1)
		for i := range im.Data {
			im.Data[i] = byte(rng.Uint32())
		}
		s := randomSampler(rng)
		op := &Operands{Compare: im.Format.isDepth(), Dref: rng.Float32(), Offset: [3]int{rng.IntN(9) - 4, rng.IntN(9) - 4}}
		coord := [4]float32{rng.Float32()*4 - 2, rng.Float32()*4 - 2, float32(rng.IntN(3))}
		component := rng.IntN(4)
		got := Gather(im, s, coord, component, op)
		var offsets [4][2]int
		for i := range offsets {
			offsets[i] = [2]int{rng.IntN(9) - 4, rng.IntN(9) - 4}
		}
		gotOffsets := GatherOffsets(im, s, coord, component, offsets, op)

		centre := func(dx, dy int) uint64 {
			near := *s
			near.MagLinear, near.MinLinear, near.Unnormalized = false, false, true
			x := math.Floor(float64(coord[0])*float64(im.Width)-0.5) + 0.5
			y := math.Floor(float64(coord[1])*float64(im.Height)-0.5) + 0.5
			o := *op
			o.Offset[0] += dx
			o.Offset[1] += dy
			texel := Sample(im, &near, [4]float32{float32(x), float32(y), coord[2]}, 0, &o)
			if o.Compare {
				return texel[0]
			}
			return texel[component]
		}
		if want := (Texel{centre(0, 1), centre(1, 1), centre(1, 0), centre(0, 0)}); got != want {
			t.Fatalf("%s %+v at %g: gathered %x, want %x", im.Format, s, coord, got, want)
		}
		for i, o := range offsets {
			if want := centre(o[0], o[1]); gotOffsets[i] != want {
				t.Fatalf("%s %+v at %g offset %d: gathered %x, want %x", im.Format, s, coord, o, gotOffsets[i], want)
			}
		}
	}
}

// TestWrapAgainstWalk compares every index around images of some sizes.
func TestWrapAgainstWalk(t *testing.T) {
	for _, m := range []AddressMode{Repeat, MirroredRepeat, ClampToEdge, ClampToBorder, MirrorClampToEdge} {
		for n := 1; n < 6; n++ {
			for i := -20; i <= 20; i++ {
				if got, want := m.wrap(i, n), refWrap(m, i, n); got != want {
					t.Errorf("mode %d: index %d of %d is texel %d, want %d", m, i, n, got, want)
				}
			}
		}
	}
}

// TestHugeCoordinates compares with arithmetic of any precision.
func TestHugeCoordinates(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 3000 {
		n := 1 + rng.IntN(100)
		u := float64(float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(128)))) * float64(n)
		exact, _ := new(big.Float).SetFloat64(math.Floor(u)).Int(nil)
		for _, m := range []AddressMode{Repeat, MirroredRepeat, ClampToEdge, ClampToBorder, MirrorClampToEdge} {
			i, _ := m.floor(u, n)
			got := m.wrap(i, n)
			period := new(big.Int).Mod(exact, big.NewInt(int64(2*n))).Int64()
			far := exact.Sign() * min(1000, int(new(big.Int).Abs(exact).Int64()&math.MaxInt64))
			if !exact.IsInt64() {
				far = exact.Sign() * 1000
			}
			if m == Repeat || m == MirroredRepeat {
				far = int(period)
			}
			if want := refWrap(m, far, n); got != want {
				t.Fatalf("mode %d: coordinate %g of %d is texel %d, want %d", m, u, n, got, want)
			}
		}
	}
}
