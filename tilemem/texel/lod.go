package texel

import (
	"math"

	"ampdbg/spirv"
)

// GradientLOD is the level of detail of explicit gradients: "Level-of-Detail
// Operation" without anisotropy. coord is as for Sample and matters for cubes
// only; ddx and ddy are the derivatives of its first components, as many as
// Dim has. The result, to be given to Sample, is -Inf where both are 0.
func (im *Image) GradientLOD(coord [4]float32, ddx, ddy [3]float32) float32 {
	dx, dy := wide(ddx), wide(ddy)
	size := im.Size(0)
	n := im.dims()
	if im.Dim == spirv.DimCube {
		v := wide([3]float32(coord[:3]))
		face := cubeFace(v)
		dx[0], dx[1] = cubeGradient(v, dx, face)
		dy[0], dy[1] = cubeGradient(v, dy, face)
	}
	var rx, ry float64
	for i := range n {
		rx = math.Hypot(rx, dx[i]*float64(size[i]))
		ry = math.Hypot(ry, dy[i]*float64(size[i]))
	}
	return float32(math.Log2(max(rx, ry)))
}

func wide(v [3]float32) [3]float64 {
	return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])}
}

// lod applies the bias and the clamps to a level of detail. NaN becomes 0.
func (s *Sampler) lod(lod float32, op *Operands) float32 {
	if s.Unnormalized {
		return 0
	}
	lod = min(max(lod+s.LODBias+op.Bias, s.MinLOD, op.MinLOD), s.MaxLOD)
	if lod != lod {
		return 0
	}
	return lod
}

// levels finds the levels between which a clamped level of detail lies, and
// the weight of the second one; with a nearest mip filter the weight is 0:
// "Image Level(s) Selection".
func (s *Sampler) levels(im *Image, lod float32) (hi, lo int, weight float64) {
	last := max(im.ViewLevels()-1, 0)
	d := min(max(float64(lod), 0), float64(last))
	if d != d {
		d = 0
	}
	if !s.MipLinear {
		hi = int(math.Ceil(d+0.5)) - 1
		return hi, hi, 0
	}
	hi = int(d)
	return hi, min(hi+1, last), d - float64(hi)
}

// QueryLOD is the result of OpImageQueryLod where lod is the level of detail
// before any clamp: the level that Sample accesses, with a fraction if it
// mixes two, and the level of detail with the bias.
func QueryLOD(im *Image, s *Sampler, lod float32) (accessed, unclamped float32) {
	hi, _, weight := s.levels(im, s.lod(lod, &noOperands))
	return float32(float64(hi) + weight), lod + s.LODBias
}
