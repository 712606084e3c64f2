package texel

import (
	"math"

	"ampdbg/spirv"
)

// Operands are the optional operands of a sampling instruction.
type Operands struct {
	Offset  [3]int  // ConstOffset or Offset, added to the texel indices; ignored for cubes
	Compare bool    // a Dref instruction: compare first, then filter
	Dref    float32 // the reference depth
	Bias    float32 // added to the level of detail
	MinLOD  float32 // a lower bound of the level of detail besides the sampler's
	Touched *Touched
}

var noOperands Operands

// Touched collects the texels that a sampling instruction reads, for those who
// watch memory. A texel that filtering gives no weight is not read; one that
// wrapping reaches twice is there twice.
type Touched struct {
	Offsets [16]int // where in Image.Data they begin
	N       int     // how many there are
}

// Sample samples an image at an explicit level of detail. coord has as many
// coordinates as Dim has, three (a direction) for a cube, then the layer, or
// the cube, if the image is arrayed; a projective coordinate has been divided
// by the caller. op may be nil.
//
// The result of a comparison is (v, 0, 0, 1) with v in [0, 1]. An integer or
// 64-bit format has no linear filters: the nearest texel and level are taken.
// A linear filter sums in float64 and rounds once; texels of weight 0 do not
// count, so that infinities and NaNs next to a texel's centre stay out.
func Sample(im *Image, s *Sampler, coord [4]float32, lod float32, op *Operands) Texel {
	q := newQuery(im, s, coord, op)
	lod = s.lod(lod, q.op)
	linear := s.MinLinear
	if lod <= 0 {
		linear = s.MagLinear
	}
	hi, lo, weight := s.levels(im, lod)
	if im.Format.Class != FloatClass || im.Format.Wide() {
		if weight > 0.5 {
			hi = lo
		}
		linear, weight = false, 0
	}
	if !linear && weight == 0 {
		return q.nearest(hi)
	}
	q.filter(hi, linear, 1-weight)
	if weight != 0 {
		q.filter(lo, linear, weight)
	}
	return q.result()
}

// query is one sampling instruction under way.
type query struct {
	im    *Image
	s     *Sampler
	op    *Operands
	dref  float32
	at    [3]float64 // s, t and r
	modes [3]AddressMode
	layer int        // the layer, of a cube its first face
	face  int        // 0 unless a cube
	sum   [4]float64 // of weighted texels
}

// newQuery returns the query by value: its pointers do not escape then, and a
// caller's Operands can live on the stack.
func newQuery(im *Image, s *Sampler, coord [4]float32, op *Operands) query {
	if op == nil {
		op = &noOperands
	}
	q := query{im: im, s: s, op: op, dref: op.Dref, modes: [3]AddressMode{s.AddressU, s.AddressV, s.AddressW}}
	if im.Format.isDepth() && im.Format.Components[0].Mode == UNorm {
		q.dref = min(max(q.dref, 0), 1) // "Depth Compare Operation"; NaN stays
	}
	n := im.dims()
	v := wide([3]float32(coord[:3]))
	copy(q.at[:n], v[:n])
	if im.Dim == spirv.DimCube {
		q.face = cubeFace(v)
		q.at[0], q.at[1] = cubeCoords(v, q.face)
		q.modes[0], q.modes[1] = ClampToEdge, ClampToEdge
		if im.Arrayed {
			q.layer = 6 * nearestLayer(coord[3], im.Layers/6)
		}
	} else if im.Arrayed && n < 3 {
		q.layer = nearestLayer(coord[n], im.Layers)
	}
	return q
}

// nearestLayer rounds a layer coordinate and clamps it: "(s,t,r,q,a) to
// (u,v,w,a)". NaN is 0.
func nearestLayer(a float32, layers int) int {
	r := math.RoundToEven(float64(a))
	if !(r > 0) {
		return 0
	}
	return int(min(r, float64(max(layers, 1)-1)))
}

// taps are the two texel indices of a filter along one axis, wrapped, and the
// weight of the second.
type taps struct {
	lo, hi int
	weight float64
}

// taps finds the texels to read along an axis: "Unnormalized Texel Coordinate
// Operations" and "Integer Texel Coordinate Operations". For a cube with a
// linear filter they are not wrapped.
func (q *query) taps(axis, size, offset int, linear bool) taps {
	u := q.at[axis]
	if !q.s.Unnormalized {
		u *= float64(size)
	}
	mode := q.modes[axis]
	if !linear {
		i, _ := mode.floor(u, size)
		return taps{lo: mode.wrap(i+offset, size)}
	}
	i, frac := mode.floor(u-0.5, size)
	if q.im.Dim == spirv.DimCube {
		return taps{i, i + 1, frac}
	}
	i += offset
	return taps{mode.wrap(i, size), mode.wrap(i+1, size), frac}
}

// footprint finds the taps of all axes; those that the image lacks have index
// 0 alone.
func (q *query) footprint(level int, linear bool) (t [3]taps) {
	size := q.im.Size(level)
	for axis := range q.im.dims() {
		offset := q.op.Offset[axis]
		if q.im.Dim == spirv.DimCube {
			offset = 0
		}
		t[axis] = q.taps(axis, size[axis], offset, linear)
	}
	return t
}

// nearest is the result of a nearest filter.
func (q *query) nearest(level int) Texel {
	t := q.footprint(level, false)
	texel := q.texel(level, q.face, t[0].lo, t[1].lo, t[2].lo)
	if !q.op.Compare {
		return texel
	}
	return Texel{fromFloat(q.compare(texel)), 0, 0, fromFloat(1)}
}

// filter adds a level's filtered texels, times weight, to the sum.
func (q *query) filter(level int, linear bool, weight float64) {
	t := q.footprint(level, linear)
	for corner := range 8 {
		var at [3]int
		w := weight
		for axis := range at {
			if corner>>axis&1 == 0 {
				at[axis] = t[axis].lo
				w *= 1 - t[axis].weight
			} else {
				at[axis] = t[axis].hi
				w *= t[axis].weight
			}
		}
		if w != 0 {
			q.add(level, at, w)
		}
	}
}

// add adds a weighted texel to the sum. A texel beyond the edge of a cube's
// face comes from the adjoining face; where three faces meet there is none and
// the mean of the three texels at the corner takes its place: "Cube Map Edge
// Handling".
func (q *query) add(level int, at [3]int, w float64) {
	i, j := at[0], at[1]
	if q.im.Dim != spirv.DimCube {
		q.accumulate(q.texel(level, 0, i, j, at[2]), w)
		return
	}
	n := q.im.Size(level)[0]
	iIn, jIn := min(max(i, 0), n-1), min(max(j, 0), n-1)
	if i != iIn && j != jIn {
		q.accumulate(q.texel(level, q.face, iIn, jIn, 0), w/3)
		q.accumulate(q.cubeTexel(level, i, jIn, n), w/3)
		q.accumulate(q.cubeTexel(level, iIn, j, n), w/3)
		return
	}
	q.accumulate(q.cubeTexel(level, i, j, n), w)
}

// cubeTexel reads a texel of a cube's face or, one step beyond one of its
// edges, of the adjoining face.
func (q *query) cubeTexel(level, i, j, n int) Texel {
	face := q.face
	if i < 0 || i >= n || j < 0 || j >= n {
		face, i, j = cubeNeighbor(face, i, j, n)
	}
	return q.texel(level, face, i, j, 0)
}

// texel reads a texel by wrapped indices.
func (q *query) texel(level, face, i, j, k int) Texel {
	if i == border || j == border || k == border {
		return q.s.borderTexel(q.im.Format)
	}
	at, ok := q.im.Offset(i, j, k, q.layer+face, level, 0)
	if !ok { // only if the image is not what Check wants
		return q.im.Format.zero
	}
	if seen := q.op.Touched; seen != nil && seen.N < len(seen.Offsets) {
		seen.Offsets[seen.N] = at
		seen.N++
	}
	return q.im.Format.Decode(q.im.Data[at:])
}

// borderTexel is the border colour in a format: "Texel Replacement".
func (s *Sampler) borderTexel(f *Format) Texel {
	t := f.zero
	for i := range f.Components {
		channel := f.Components[i].Channel()
		switch {
		case channel < 0:
		case s.Border >= FloatOpaqueWhite, s.Border >= FloatOpaqueBlack && channel == 3:
			t[channel] = f.one()
		default:
			t[channel] = 0
		}
	}
	return t
}

// accumulate adds a texel, or the result of comparing it, to the sum.
func (q *query) accumulate(t Texel, w float64) {
	if q.op.Compare {
		q.sum[0] += w * float64(q.compare(t))
		return
	}
	for i := range t {
		q.sum[i] += w * float64(toFloat(t[i]))
	}
}

// compare is 1 if the comparison holds, else 0.
func (q *query) compare(t Texel) float32 {
	if q.s.CompareOp.test(q.dref, toFloat(t[0])) {
		return 1
	}
	return 0
}

// result rounds the sum.
func (q *query) result() Texel {
	if q.op.Compare {
		return Texel{fromFloat(float32(q.sum[0])), 0, 0, fromFloat(1)}
	}
	var t Texel
	for i := range t {
		t[i] = fromFloat(float32(q.sum[i]))
	}
	return t
}
