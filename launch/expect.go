package launch

import (
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
	if math.IsInf(expected, 0) {
		return found == expected // any percentage of it would allow everything
	}
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
			equal = Tolerance{doubleEpsilon * 100, true}.allows(f, w)
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
