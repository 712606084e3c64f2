package launch

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"ampdbg/diag"
	"ampdbg/tilemem/texel"
)

// CompareOp is the comparison of an EXPECT.
type CompareOp uint8

// The comparisons.
const (
	Equal CompareOp = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
	EqualRGB        // EQ_RGB
	EqualRGBA       // EQ_RGBA
	EqualBuffer     // EQ_BUFFER
	RMSEBuffer      // RMSE_BUFFER
	HistogramBuffer // EQ_HISTOGRAM_EMD_BUFFER
)

var compareNames = [...]string{"EQ", "NE", "LT", "LE", "GT", "GE", "EQ_RGB", "EQ_RGBA", "EQ_BUFFER", "RMSE_BUFFER", "EQ_HISTOGRAM_EMD_BUFFER"}

// String is the AmberScript spelling.
func (o CompareOp) String() string { return compareNames[o] }

var compareOps = func() map[string]CompareOp {
	ops := map[string]CompareOp{}
	for i, n := range compareNames {
		ops[n] = CompareOp(i)
	}
	return ops
}()

// Tolerance is how far a number may be from the expected one: an absolute
// distance, or a percentage of the expected number.
type Tolerance struct {
	Value   float64
	Percent bool
}

// limit is the largest distance from the expected number.
func (t Tolerance) limit(expected float64) float64 {
	if t.Percent {
		return t.Value * math.Abs(expected) / 100
	}
	return t.Value
}

func (t Tolerance) allows(found, expected float64) bool {
	return found == expected || math.Abs(found-expected) <= t.limit(expected)
}

// Content is memory and what it holds: a Buffer or an Image.
type Content struct {
	Buffer *Buffer
	Image  *Image
	Type   *DataType // nil if unknown
}

// Bytes is the memory as it is now.
func (c Content) Bytes() []byte {
	if c.Image != nil {
		return c.Image.Data
	}
	return c.Buffer.Data
}

// Name is the name of the buffer or image.
func (c Content) Name() string {
	if c.Image != nil {
		return c.Image.Name
	}
	return c.Buffer.Name
}

// Expect is an EXPECT.
type Expect struct {
	Op        CompareOp
	Subject   Content
	Other     Content // EqualBuffer, RMSEBuffer, HistogramBuffer
	Tolerance []Tolerance
	// Equal … GreaterEqual: the numbers from scalar First of Subject on, as raw
	// bits of those scalars.
	First  int
	Values []uint64
	// EqualRGB, EqualRGBA: the area in texels. The colour is in units in which
	// 255 is full intensity, for normalized and float formats; as it is for
	// integer formats.
	X, Y, W, H int
	Pos        diag.Pos

	colour    []float64
	format    *texel.Format
	rowTexels int
}

// Position implements Step.
func (e *Expect) Position() diag.Pos { return e.Pos }

// ExpectResult is what an EXPECT found.
type ExpectResult struct {
	Expect          *Expect
	Failed          int    // numbers or texels that are not as expected; 1 for a failed RMSE or histogram
	Checked         int    // numbers or texels looked at
	Where           string // the first failure: "b[2].y at byte 24"
	Offset          int    // its byte offset, -1 where that means nothing
	Found, Expected string // there
}

// OK reports whether the expectation holds.
func (r *ExpectResult) OK() bool { return r.Failed == 0 }

// String describes a failure in one or two lines, or says "ok".
func (r *ExpectResult) String() string {
	if r.OK() {
		return fmt.Sprintf("%s: EXPECT %s %s: ok", r.Expect.Pos, r.Expect.Subject.Name(), r.Expect.Op)
	}
	s := fmt.Sprintf("%s: EXPECT failed: %s: expected %s, found %s", r.Expect.Pos, r.Where, r.Expected, r.Found)
	if more := r.Failed - 1; more > 0 {
		s += fmt.Sprintf("\n\t%d more of %d differ", more, r.Checked)
	}
	return s
}

// fail counts a failure; the first one is described.
func (r *ExpectResult) fail(describe func()) {
	if r.Failed == 0 {
		describe()
	}
	r.Failed++
}

// Check evaluates the expectation on memory as it is now.
func (e *Expect) Check() *ExpectResult {
	r := &ExpectResult{Expect: e, Offset: -1}
	switch e.Op {
	case EqualRGB, EqualRGBA:
		e.checkColour(r)
	case EqualBuffer:
		e.checkBuffers(r)
	case RMSEBuffer:
		e.checkMeasure(r, "root mean square error", e.rmse())
	case HistogramBuffer:
		e.checkMeasure(r, "histogram distance", e.histogramDistance())
	default:
		e.checkValues(r)
	}
	return r
}

func (e *Expect) checkValues(r *ExpectResult) {
	mem, t := e.Subject.Bytes(), e.Subject.Type
	for i, want := range e.Values {
		s := t.At(e.First + i)
		found := s.Load(mem)
		r.Checked++
		if e.holds(s, i, found, want) {
			continue
		}
		r.fail(func() {
			r.Offset = s.Offset
			if s.field != nil {
				r.Offset += s.field.Offset / 8
			}
			r.Where = fmt.Sprintf("%s%s at byte %d", e.Subject.Name(), t.Path(e.First+i), r.Offset)
			r.Found, r.Expected = s.Format(found), e.wanted(s, i, want)
		})
	}
}

// tolerance is the one for value i: the only one, or that of the component;
// components beyond the list take the last.
func (e *Expect) tolerance(i int) Tolerance {
	return e.Tolerance[min(i%max(e.Subject.Type.scalars, 1), len(e.Tolerance)-1)]
}

var comparisonWords = [...]string{"", "anything but ", "less than ", "at most ", "more than ", "at least "}

func (e *Expect) wanted(s Scalar, i int, want uint64) string {
	text := comparisonWords[e.Op] + s.Format(want)
	if e.Tolerance != nil {
		t := e.tolerance(e.First + i)
		text += " ±" + strconv.FormatFloat(t.Value, 'g', -1, 64)
		if t.Percent {
			text += "%"
		}
	}
	return text
}

// doubleEpsilon is the relative distance within which doubles count as equal:
// amber's rule, whose scripts write doubles with few digits. It is finer than
// the spacing of the narrower float types.
const doubleEpsilon = 1e-8

// holds compares one number. Floats compare by value: +0 and -0 are equal, a
// NaN equals only NaN and is neither less nor greater than anything.
func (e *Expect) holds(s Scalar, i int, found, want uint64) bool {
	if e.Tolerance != nil {
		return e.near(s, e.tolerance(e.First+i), found, want)
	}
	if s.Kind.IsFloat() {
		f, w := s.Float(found), s.Float(want)
		equal := f == w || math.IsNaN(f) && math.IsNaN(w)
		if s.Kind == Float64 && !equal {
			equal = Tolerance{doubleEpsilon * 100, true}.allows(f, w) && !math.IsInf(w, 0)
		}
		return compare(e.Op, equal, f < w, f > w)
	}
	if s.Kind.IsSigned() {
		f, w := s.Int(found), s.Int(want)
		return compare(e.Op, f == w, f < w, f > w)
	}
	return compare(e.Op, found == want, found < want, found > want)
}

func compare(op CompareOp, equal, less, greater bool) bool {
	switch op {
	case Equal:
		return equal
	case NotEqual:
		return !equal
	case Less:
		return less
	case LessEqual:
		return less || equal
	case Greater:
		return greater
	}
	return greater || equal
}

// near compares with a tolerance; integers by their exact distance.
func (e *Expect) near(s Scalar, t Tolerance, found, want uint64) bool {
	f, w := s.Float(found), s.Float(want)
	if s.Kind.IsFloat() {
		return t.allows(f, w) || math.IsNaN(f) && math.IsNaN(w)
	}
	distance := max(found, want) - min(found, want)
	if s.Kind.IsSigned() {
		x, y := s.Int(found), s.Int(want)
		distance = uint64(max(x, y)) - uint64(min(x, y))
	}
	return float64(distance) <= t.limit(w)
}

// colourRounding is more than what the conversion of 8 bits to a float32
// between 0 and 1 and back is off, in steps of 1/255.
const colourRounding = 1e-4

// texelTolerance is how far a colour may be off without a TOLERANCE, as a
// fraction of full intensity: amber's value, half a step of 8 bits.
const texelTolerance = 0.002

func (e *Expect) checkColour(r *ExpectResult) {
	mem, stride := e.Subject.Bytes(), e.Subject.Type.Stride
	scale, slack := 255.0, texelTolerance*255
	if e.format.Class != texel.FloatClass {
		scale, slack = 1, 0
	}
	for y := e.Y; y < e.Y+e.H; y++ {
		for x := e.X; x < e.X+e.W; x++ {
			at := (y*e.rowTexels + x) * stride
			found := e.colourAt(mem[at:], scale)
			r.Checked++
			if e.sameColour(found, slack) {
				continue
			}
			r.fail(func() {
				r.Offset = at
				r.Where = fmt.Sprintf("%s at %d,%d", e.Subject.Name(), x, y)
				r.Found, r.Expected = formatColour(found), formatColour(e.colour)
			})
		}
	}
}

// colourAt gives the components that are compared, times scale.
func (e *Expect) colourAt(mem []byte, scale float64) []float64 {
	t := e.format.Decode(mem)
	found := make([]float64, len(e.colour))
	for i := range found {
		switch raw := t[i]; {
		case e.format.Class == texel.UintClass:
			found[i] = float64(raw)
		case e.format.Class == texel.SintClass && e.format.Wide():
			found[i] = float64(int64(raw))
		case e.format.Class == texel.SintClass:
			found[i] = float64(int32(raw))
		case e.format.Wide():
			found[i] = math.Float64frombits(raw) * scale
		default:
			found[i] = float64(math.Float32frombits(uint32(raw))) * scale
		}
	}
	return found
}

// sameColour compares the components that the format has.
func (e *Expect) sameColour(found []float64, slack float64) bool {
	for i, f := range found {
		if !e.format.Has(i) {
			continue
		}
		limit := slack
		if e.Tolerance != nil {
			t := e.Tolerance[min(i, len(e.Tolerance)-1)]
			limit = max(t.limit(e.colour[i])+colourRounding, slack)
		}
		if !(math.Abs(f-e.colour[i]) <= limit) {
			return false
		}
	}
	return true
}

func formatColour(c []float64) string {
	s := "("
	for i, v := range c {
		if i > 0 {
			s += ", "
		}
		s += strconv.FormatFloat(v, 'g', 6, 64)
	}
	return s + ")"
}

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
