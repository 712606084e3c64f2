package texel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ampdbg/spirv"
)

type vec [3]float64

func distance(a, b vec) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// facePoint is the point on the cube from -1 to 1 at face coordinates from -1
// to 1: the inverse of face selection.
func facePoint(face int, s, t float64) vec {
	return [6]vec{{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}}[face]
}

// texelCentre is where texel i, j of a face of n by n lies.
func texelCentre(face, i, j, n int) vec {
	return facePoint(face, float64(2*i+1)/float64(n)-1, float64(2*j+1)/float64(n)-1)
}

type cubeTexel struct{ face, i, j int }

// allTexels of a cube, nearest to p first.
func allTexels(p vec, n int) []cubeTexel {
	var all []cubeTexel
	for face := range 6 {
		for j := range n {
			for i := range n {
				all = append(all, cubeTexel{face, i, j})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b cubeTexel) int {
		d := distance(texelCentre(a.face, a.i, a.j, n), p) - distance(texelCentre(b.face, b.i, b.j, n), p)
		switch {
		case d < -1e-9:
			return -1
		case d > 1e-9:
			return 1
		}
		return 0
	})
	return all
}

// TestCubeNeighbors looks at both sides of the middle of a texel's outer edge.
func TestCubeNeighbors(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for face := range 6 {
			for a := range n {
				for _, step := range [][4]int{{-1, a, 0, a}, {n, a, n - 1, a}, {a, -1, a, 0}, {a, n, a, n - 1}} {
					i, j, inI, inJ := step[0], step[1], step[2], step[3]
					clamp := func(k int) float64 { return math.Max(-1, math.Min(1, float64(2*k+1)/float64(n)-1)) }
					near := allTexels(facePoint(face, clamp(i), clamp(j)), n)[:2]
					want := near[0]
					if want == (cubeTexel{face, inI, inJ}) {
						want = near[1]
					}
					f, ni, nj := cubeNeighbor(face, i, j, n)
					if got := (cubeTexel{f, ni, nj}); got != want {
						t.Errorf("face %d of %d: texel %d, %d is %v, want %v", face, n, i, j, got, want)
					}
				}
			}
		}
	}
}

// refCube samples a cube of one level linearly at a point on it.
func refCube(im *Image, face int, s, t float64, cube int) (sum [4]float64) {
	n := im.Width
	u, v := (s+1)/2*float64(n), (t+1)/2*float64(n)
	for j := -1; j <= n; j++ {
		for i := -1; i <= n; i++ {
			w := math.Max(0, 1-math.Abs(u-float64(i)-0.5)) * math.Max(0, 1-math.Abs(v-float64(j)-0.5))
			if w == 0 {
				continue
			}
			clamp := func(k int) float64 { return math.Max(-1, math.Min(1, float64(2*k+1)/float64(n)-1)) }
			p := facePoint(face, clamp(i), clamp(j))
			outI, outJ := i < 0 || i >= n, j < 0 || j >= n
			var texels []cubeTexel
			switch {
			case outI && outJ:
				texels = allTexels(p, n)[:3]
			case outI || outJ:
				for _, near := range allTexels(p, n)[:2] {
					if near.face != face {
						texels = []cubeTexel{near}
					}
				}
			default:
				texels = []cubeTexel{{face, i, j}}
			}
			for _, x := range texels {
				at, _ := im.Offset(x.i, x.j, 0, 6*cube+x.face, 0, 0)
				for c, bits := range im.Format.Decode(im.Data[at:]) {
					sum[c] += w / float64(len(texels)) * float64(toFloat(bits))
				}
			}
		}
	}
	return sum
}

func randomCube(t *testing.T, rng *rand.Rand, name string, n int) *Image {
	im := newImage(format(t, name), spirv.DimCube, true, n, n, 1, 12, 1)
	for i := range im.Data {
		im.Data[i] = byte(rng.Uint32())
	}
	return im
}

func TestCubeSamplesAgainstGeometry(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	s := &Sampler{MagLinear: true, AddressU: Repeat, AddressV: ClampToBorder}
	for range 1500 {
		im := randomCube(t, rng, "R8G8B8A8_UNORM", 1+rng.IntN(4))
		face, cube := rng.IntN(6), rng.IntN(2)
		fs, ft := rng.Float64()*2-1, rng.Float64()*2-1
		if rng.IntN(2) == 0 { // near an edge
			fs = math.Copysign(1-rng.Float64()/8, fs)
		}
		p, scale := facePoint(face, fs, ft), math.Exp(rng.NormFloat64()*3)
		coord := [4]float32{float32(p[0] * scale), float32(p[1] * scale), float32(p[2] * scale), float32(cube)}
		want := refCube(im, face, fs, ft, cube)
		got := Sample(im, s, coord, 0, &Operands{Offset: [3]int{3, 3, 3}})
		for c := range want {
			if math.Abs(float64(toFloat(got[c]))-want[c]) > 2e-5 {
				t.Fatalf("face %d at %g, %g: component %d is %g, want %g", face, fs, ft, c, toFloat(got[c]), want[c])
			}
		}
		// The nearest texel is the one whose square the point lies in.
		near := Sample(im, &Sampler{AddressU: ClampToBorder}, coord, 0, nil)
		i, j := int((fs+1)/2*float64(im.Width)), int((ft+1)/2*float64(im.Width))
		if w, _ := im.fetch([3]int{i, j, 6*cube + face}, 0, 0); near != w {
			t.Fatalf("face %d at %g, %g: nearest is %x, want %x", face, fs, ft, near, w)
		}
	}
}

// TestCubeHasNoSeams crosses every edge and corner.
func TestCubeHasNoSeams(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	im := randomCube(t, rng, "R32G32B32A32_SFLOAT", 4)
	for at := 0; at < len(im.Data); at += 16 {
		im.Format.Encode(im.Data[at:], floats(rng.Float32(), rng.Float32(), rng.Float32(), rng.Float32()))
	}
	s := &Sampler{MagLinear: true}
	const eps = 1e-5
	for range 3000 {
		p := vec{1, 1, rng.Float64()*2 - 1}
		if rng.IntN(3) == 0 {
			p[2] = 1
		}
		for i := range p {
			if rng.IntN(2) == 0 {
				p[i] = -p[i]
			}
		}
		rng.Shuffle(3, func(i, j int) { p[i], p[j] = p[j], p[i] })
		side := func() Texel {
			var c [4]float32
			for i := range p {
				c[i] = float32(p[i] + (rng.Float64()-0.5)*eps)
			}
			return Sample(im, s, c, 0, nil)
		}
		a, b := side(), side()
		for c := range a {
			if d := toFloat(a[c]) - toFloat(b[c]); math.Abs(float64(d)) > 1e-3 {
				t.Fatalf("at %g the texel jumps by %g", p, d)
			}
		}
	}
}

func TestCubeFaceSelection(t *testing.T) {
	tests := []struct {
		v    [3]float64
		face int
	}{
		{[3]float64{1, 0, 0}, 0}, {[3]float64{-1, 0, 0}, 1}, {[3]float64{0, 1, 0}, 2},
		{[3]float64{0, -1, 0}, 3}, {[3]float64{0, 0, 1}, 4}, {[3]float64{0, 0, -1}, 5},
		{[3]float64{1, 1, 1}, 4}, {[3]float64{-1, -1, -1}, 5}, {[3]float64{1, 1, 0}, 2},
		{[3]float64{-1, -1, 0}, 3}, {[3]float64{1, 0, 1}, 4}, {[3]float64{0, 0, 0}, 4},
		{[3]float64{3, 2, -2.5}, 0},
	}
	for _, test := range tests {
		if got := cubeFace(test.v); got != test.face {
			t.Errorf("direction %g has face %d, want %d", test.v, got, test.face)
		}
	}
}

func TestCubeGather(t *testing.T) {
	im := newImage(format(t, "R32_SFLOAT"), spirv.DimCube, false, 2, 2, 1, 6, 1)
	for face := range 6 {
		for j := range 2 {
			for i := range 2 {
				im.Write([3]int{i, j, face}, 0, 0, floats(float32(100*face+10*j+i), 0, 0, 0))
			}
		}
	}
	// At the +Z face's upper left corner: beyond the left edge lies -X, whose
	// right column adjoins; beyond the upper edge +Y, whose lower row does.
	got := Gather(im, &Sampler{}, [4]float32{-0.9, 0.9, 1}, 0, nil)
	corner := (float32(400) + 101 + 210) / 3
	if want := floats(101, 400, 210, corner); got != want {
		t.Errorf("gathered %g %g %g %g", toFloat(got[0]), toFloat(got[1]), toFloat(got[2]), toFloat(got[3]))
	}
	im.Format = format(t, "R32_UINT") // no mean of integers: the face's own texel
	if got := Gather(im, &Sampler{}, [4]float32{-0.9, 0.9, 1}, 0, nil); got[3] != got[1] {
		t.Errorf("integer corner is %x, want %x", got[3], got[1])
	}
	im.Format = format(t, "D32_SFLOAT")
	op := &Operands{Compare: true, Dref: 200}
	if got, want := Gather(im, &Sampler{CompareOp: Less}, [4]float32{-0.9, 0.9, 1}, 0, op), floats(0, 1, 1, float32(2)/3); got != want {
		t.Errorf("compared %x, want %x", got, want)
	}
}
