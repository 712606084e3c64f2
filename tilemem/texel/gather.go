package texel

import "ampdbg/spirv"

// Gather returns one component (0 to 3) of the four texels that a linear
// filter of the base level would mix, in the order of OpImageGather: (i0, j1),
// (i1, j1), (i1, j0), (i0, j0). With op.Compare it returns the four results of
// the comparison: OpImageDrefGather. coord and op are as for Sample. At a
// cube's corner, where the fourth texel does not exist, its place is taken by
// the mean of the other three; in an integer format, by that of the face.
func Gather(im *Image, s *Sampler, coord [4]float32, component int, op *Operands) Texel {
	q := newQuery(im, s, coord, op)
	t := q.footprint(0, true)
	return Texel{
		q.gathered(t[0].lo, t[1].hi, component),
		q.gathered(t[0].hi, t[1].hi, component),
		q.gathered(t[0].hi, t[1].lo, component),
		q.gathered(t[0].lo, t[1].lo, component),
	}
}

// GatherOffsets is Gather with ConstOffsets: the texel (i0, j0) at each of
// four offsets. op.Offset is added to each.
func GatherOffsets(im *Image, s *Sampler, coord [4]float32, component int, offsets [4][2]int, op *Operands) Texel {
	q := newQuery(im, s, coord, op)
	size := im.Size(0)
	var out Texel
	for k, offset := range offsets {
		var at [2]int
		for axis := range min(im.dims(), 2) {
			at[axis] = q.taps(axis, size[axis], offset[axis]+q.op.Offset[axis], true).lo
		}
		out[k] = q.gathered(at[0], at[1], component)
	}
	return out
}

// gathered reads a texel of the base level for Gather.
func (q *query) gathered(i, j, component int) uint64 {
	f := q.im.Format
	if q.im.Dim != spirv.DimCube {
		return q.picked(q.texel(0, 0, i, j, 0), component)
	}
	n := q.im.Size(0)[0]
	iIn, jIn := min(max(i, 0), n-1), min(max(j, 0), n-1)
	switch {
	case i == iIn || j == jIn:
		return q.picked(q.cubeTexel(0, i, j, n), component)
	case f.Class != FloatClass || f.Wide():
		return q.picked(q.texel(0, q.face, iIn, jIn, 0), component)
	}
	q.sum = [4]float64{}
	q.add(0, [3]int{i, j}, 1)
	if q.op.Compare {
		component = 0
	}
	return fromFloat(float32(q.sum[component&3]))
}

// picked is a component of a texel, or the result of comparing it.
func (q *query) picked(t Texel, component int) uint64 {
	if q.op.Compare {
		return fromFloat(q.compare(t))
	}
	return t[component&3]
}
