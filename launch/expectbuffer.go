package launch

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"ampdbg/tilemem/texel"
)

// checkBuffers compares byte by byte, and tells the first difference as a
// number where the type is known.
func (e *Expect) checkBuffers(r *ExpectResult) {
	x, y, t := e.Subject.Bytes(), e.Other.Bytes(), e.Subject.Type
	if bytes.Equal(x, y) {
		r.Checked = len(x)
		return
	}
	if t == nil || t.Stride == 0 {
		for i := range x {
			r.Checked++
			if x[i] != y[i] {
				r.fail(func() {
					r.Offset, r.Where = i, fmt.Sprintf("%s at byte %d", e.Subject.Name(), i)
					r.Found, r.Expected = fmt.Sprintf("0x%02x", x[i]), fmt.Sprintf("0x%02x (%s)", y[i], e.Other.Name())
				})
			}
		}
		return
	}
	for i := range len(x) / t.Stride * t.scalars {
		s := t.At(i)
		if s.end() > len(x) {
			break
		}
		r.Checked++
		if f, w := s.Load(x), s.Load(y); f != w {
			r.fail(func() {
				r.Offset, r.Where = s.Offset, fmt.Sprintf("%s%s at byte %d", e.Subject.Name(), t.Path(i), s.Offset)
				r.Found, r.Expected = s.Format(f), fmt.Sprintf("%s (%s)", s.Format(w), e.Other.Name())
			})
		}
	}
	if r.Failed == 0 { // only padding differs
		for i := range x {
			if x[i] != y[i] {
				r.fail(func() {
					r.Offset, r.Where = i, fmt.Sprintf("%s at byte %d (padding)", e.Subject.Name(), i)
					r.Found, r.Expected = fmt.Sprintf("0x%02x", x[i]), fmt.Sprintf("0x%02x (%s)", y[i], e.Other.Name())
				})
			}
		}
	}
}

func (e *Expect) checkMeasure(r *ExpectResult, what string, value float64) {
	r.Checked = 1
	if limit := e.Tolerance[0].Value; !(value <= limit) {
		r.fail(func() {
			r.Where = fmt.Sprintf("%s of %s and %s", what, e.Subject.Name(), e.Other.Name())
			r.Found = strconv.FormatFloat(value, 'g', 6, 64)
			r.Expected = "at most " + strconv.FormatFloat(limit, 'g', -1, 64)
		})
	}
}

// rmse is the root mean square difference of all numbers.
func (e *Expect) rmse() float64 {
	x, y, t := e.Subject.Bytes(), e.Other.Bytes(), e.Subject.Type
	n := len(x) / max(t.Stride, 1) * t.scalars
	sum := 0.0
	for i := range n {
		s := t.At(i)
		d := s.Float(s.Load(x)) - s.Float(s.Load(y))
		sum += d * d
	}
	return math.Sqrt(sum / float64(max(n, 1)))
}

func isUnorm8(c *texel.Component) bool { return c.Mode == texel.UNorm && c.Width == 8 }

// histogramDistance is the largest earth mover's distance of any component's
// histograms, where 1 is all pixels moved through all 256 bins.
func (e *Expect) histogramDistance() float64 {
	x, y, t := e.Subject.Bytes(), e.Other.Bytes(), e.Subject.Type
	texels, worst := len(x)/t.Stride, 0.0
	for c := range t.scalars {
		var bins [256]int64
		for i := range texels {
			s := t.At(i*t.scalars + c)
			bins[s.Load(x)]++
			bins[s.Load(y)]--
		}
		var moved, total int64
		for _, b := range bins {
			moved += b
			total += max(moved, -moved)
		}
		worst = max(worst, float64(total)/256/float64(max(texels, 1)))
	}
	return worst
}
