package texel

// signedAxis is +x, -x, +y, ...: an axis of the direction vector and a sign.
type signedAxis struct{ axis, sign int }

func (a signedAxis) of(v [3]float64) float64 { return float64(a.sign) * v[a.axis] }

// cubeFaces is the table "Cube Map Face Selection": the major axis of each
// face in the order of layers, and the axes along its s and t.
var cubeFaces = [6]struct{ r, s, t signedAxis }{
	{r: signedAxis{0, +1}, s: signedAxis{2, -1}, t: signedAxis{1, -1}},
	{r: signedAxis{0, -1}, s: signedAxis{2, +1}, t: signedAxis{1, -1}},
	{r: signedAxis{1, +1}, s: signedAxis{0, +1}, t: signedAxis{2, +1}},
	{r: signedAxis{1, -1}, s: signedAxis{0, +1}, t: signedAxis{2, -1}},
	{r: signedAxis{2, +1}, s: signedAxis{0, +1}, t: signedAxis{1, -1}},
	{r: signedAxis{2, -1}, s: signedAxis{0, -1}, t: signedAxis{1, -1}},
}

// cubeFace selects the face that a direction points at: the axis of largest
// magnitude; of equals z, then y.
func cubeFace(v [3]float64) int {
	axis := 0
	x, y, z := abs(v[0]), abs(v[1]), abs(v[2])
	switch {
	case !(z < x) && !(z < y):
		axis = 2
	case !(y < x):
		axis = 1
	}
	if v[axis] < 0 {
		return 2*axis + 1
	}
	return 2 * axis
}

func abs(f float64) float64 {
	if f < 0 {
		return -f
	}
	return f
}

// cubeCoords projects a direction on a face: "Cube Map Coordinate
// Transformation". The result is in [0, 1], or NaN.
func cubeCoords(v [3]float64, face int) (s, t float64) {
	f := &cubeFaces[face]
	r := abs(f.r.of(v))
	return 0.5*(f.s.of(v)/r) + 0.5, 0.5*(f.t.of(v)/r) + 0.5
}

// cubeGradient is the derivative of cubeCoords along dv: "Cube Map Derivative
// Transformation".
func cubeGradient(v, dv [3]float64, face int) (ds, dt float64) {
	f := &cubeFaces[face]
	r, dr := f.r.of(v), f.r.of(dv)
	ds = 0.5 * (r*f.s.of(dv) - f.s.of(v)*dr) / (r * r)
	dt = 0.5 * (r*f.t.of(dv) - f.t.of(v)*dr) / (r * r)
	return ds, dt
}

// cubeNeighbor finds the texel of the adjoining face that lies one step beyond
// an edge of a face of n by n texels: exactly one of i and j is -1 or n: "Cube
// Map Edge Handling". It folds the step over the edge on a cube of edge length
// 2n around the origin, whose texel centres have whole coordinates.
func cubeNeighbor(face, i, j, n int) (int, int, int) {
	f := &cubeFaces[face]
	s, t := 2*i+1-n, 2*j+1-n
	major := f.s
	if j < 0 || j >= n {
		major = f.t
	}
	var v [3]int
	v[f.r.axis] = f.r.sign * (n - 1)
	v[f.s.axis] = f.s.sign * min(max(s, -n), n)
	v[f.t.axis] = f.t.sign * min(max(t, -n), n)
	face = 2 * major.axis
	if v[major.axis] < 0 {
		face++
	}
	f = &cubeFaces[face]
	s, t = f.s.sign*v[f.s.axis], f.t.sign*v[f.t.axis]
	return face, (s + n - 1) / 2, (t + n - 1) / 2
}
