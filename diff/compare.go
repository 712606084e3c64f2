package diff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/spirv"
	"ampdbg/tilemem/texel"
)

// Element is one number that differs.
type Element struct {
	Name   string // "Out[17].x", as the launch calls it
	Offset int    // of the number in its buffer or image, in bytes; of its texel in an image
	Size   int    // bytes there
	Kind   launch.ScalarKind
	Bits   [2]uint64 // on either machine
	Text   [2]string // as decimal numbers
	// ULP is the distance in units in the last place; of integers, and of
	// texels that hold fractions as integers, the distance of those. NaN is
	// set where a NaN has none.
	ULP      uint64
	NaN      bool
	Distance float64 // the absolute difference; NaN and infinities included
	Beyond   bool    // more than the tolerance and, where there is one, the error bound
	// Bound is how far a machine may be from what the emulator computes, by a
	// replay of what led to the element; infinite where that is unknown.
	// Bounded says that there was one, so that it decided.
	Bound   float64
	Bounded bool
	// Unsure says why nothing can be said of the element: what may go another
	// way on another machine. Empty where it is decided.
	Unsure string

	class class
	width int // bits
}

// class says how numbers are compared.
type class uint8

const (
	integer class = iota
	float
	fraction // stored as an integer, computed as a float: UNORM and the like
)

// Memory is a buffer or an image as the two machines left it.
type Memory struct {
	Name   string
	Buffer *launch.Buffer // the first machine's, nil for an image
	Image  *launch.Image  // nil for a buffer

	Numbers   int // that it holds
	Beyond    int // numbers that differ by more than the tolerance
	Within    int // others that differ
	ByBound   int // of those Within, the ones that exceed the tolerance and not the error bound
	Undecided int // numbers that differ, and may, for all that is known
	Padding   int // bytes that differ and belong to no number
	MaxULP    uint64
	MaxAbs    float64
	NaNs      int // differing numbers of which one is a NaN
	Tolerance Tolerance
	Largest   *Element  // the largest difference, nil if there is none
	First     []Element // the first that differ by more than the tolerance, by offset
	Bounded   []Element // the first of those counted by ByBound
	Unsure    []Element // the first of those counted by Undecided
	Data      [2][]byte // what the machines left, where numbers differ
	// Decided says that floats which need not be exact take part in branches,
	// indexes or conversions to integers of the kernel, so that an integer
	// may differ, too.
	Decided string

	numbers func(off int) ([]number, int)
	judge   *judge // decides on what exceeds the tolerance; nil if nothing does
}

// Same reports whether nothing differs by more than the tolerance.
func (m *Memory) Same() bool { return m.Beyond == 0 }

// number is where a number lies and what it is.
type number struct {
	at    launch.Scalar // relative to base
	base  int
	class class
	width int // bits in memory
	size  int // bytes from base+at.Offset on that hold it
}

// content is a buffer or an image of a launch.
type content struct{ launch.Content }

func contents(l *launch.Launch) []content {
	var out []content
	for _, b := range l.Buffers {
		out = append(out, content{launch.Content{Buffer: b}})
	}
	for _, i := range l.Images {
		out = append(out, content{launch.Content{Image: i}})
	}
	return out
}

func (c content) key() any {
	if c.Image != nil {
		return c.Image
	}
	return c.Buffer
}

// compare compares what two machines left in a buffer or image. x is the first
// machine's; tolerances are those of its dispatch. show bounds First. j, if not
// nil, decides on what exceeds the tolerance.
func compare(x, y content, t *tolerances, show int, j *judge) *Memory {
	m := &Memory{Name: x.Name(), Buffer: x.Buffer, Image: x.Image, judge: j}
	a, b := x.Bytes(), y.Bytes()
	m.numbers = numbersOf(x, t)
	m.Numbers = count(x, a)
	m.Tolerance = t.allowed(x.key(), 32)
	if tol := t.flow.tolerance(t.flow.decides, false); !tol.exact() {
		m.Decided = tol.Reason
	}
	if bytes.Equal(a, b) {
		return m
	}
	m.Data = [2][]byte{bytes.Clone(a), bytes.Clone(b)}
	for off := 0; off < len(a); {
		if off+8 <= len(a) && binary.LittleEndian.Uint64(a[off:]) == binary.LittleEndian.Uint64(b[off:]) {
			off += 8
			continue
		}
		if a[off] == b[off] {
			off++
			continue
		}
		list, next := m.numbers(off)
		if len(list) == 0 {
			if !x.address(off) {
				m.Padding++
			}
			off++
			continue
		}
		for _, n := range list {
			m.number(n, a, b, t.allowed(x.key(), n.width), show)
		}
		off = max(next, off+1)
	}
	return m
}

// address reports whether a byte belongs to the device address of a buffer,
// which each machine has its own of.
func (c content) address(off int) bool {
	if c.Buffer == nil {
		return false
	}
	for _, a := range c.Buffer.Addresses {
		if off >= a.At && off < a.At+8 {
			return true
		}
	}
	return false
}

// number compares one number.
func (m *Memory) number(n number, a, b []byte, t Tolerance, show int) {
	x, y := n.at.Load(a[n.base:]), n.at.Load(b[n.base:])
	if x == y {
		return
	}
	e := Element{
		Offset: n.base + n.at.Offset, Size: n.size, Kind: n.at.Kind, Bits: [2]uint64{x, y},
		Text: [2]string{n.at.Format(x), n.at.Format(y)}, class: n.class, width: n.width,
		Distance: math.Abs(n.at.Float(x) - n.at.Float(y)),
	}
	switch n.class {
	case float:
		if equals(x, y, n.width) {
			return // the sign of a zero, the bits of a NaN
		}
		var ok bool
		e.ULP, ok = ulPs(x, y, n.width)
		e.NaN = !ok
		e.Beyond = !t.allows(n.at, x, y)
	default:
		e.ULP = max(x, y) - min(x, y)
		if n.at.Kind.IsSigned() {
			e.ULP = distance(n.at.Int(x), n.at.Int(y))
		}
		e.Beyond = n.class == integer || t.exact() || e.ULP > 1
	}
	if e.Beyond && m.judge != nil {
		m.judge.decide(&e, n, x, y)
	}
	m.note(e, show)
}

func distance(x, y int64) uint64 { return uint64(max(x, y)) - uint64(min(x, y)) }

// note counts a number that differs.
func (m *Memory) note(e Element, show int) {
	if e.NaN {
		m.NaNs++
	} else {
		m.MaxULP = max(m.MaxULP, e.ULP)
	}
	if !math.IsNaN(e.Distance) {
		m.MaxAbs = max(m.MaxAbs, e.Distance)
	}
	if m.Largest == nil || e.larger(m.Largest) {
		e.Name = m.element(e.Offset).String()
		large := e
		m.Largest = &large
	}
	keep := func(list *[]Element) {
		if len(*list) < show {
			e.Name = m.element(e.Offset).String()
			*list = append(*list, e)
		}
	}
	switch {
	case e.Unsure != "":
		m.Undecided++
		keep(&m.Unsure)
		return
	case !e.Beyond:
		m.Within++
		if e.Bounded {
			m.ByBound++
			keep(&m.Bounded)
		}
		return
	}
	m.Beyond++
	keep(&m.First)
}

// larger orders differences: what is beyond the tolerance, then a NaN, then by
// distance.
func (e *Element) larger(o *Element) bool {
	switch {
	case e.Beyond != o.Beyond:
		return e.Beyond
	case e.NaN != o.NaN:
		return e.NaN
	}
	return e.ULP > o.ULP
}

// String gives both values in decimal and hex and how far they are apart.
func (e *Element) String() string {
	s := fmt.Sprintf("%s: %s (%#0*x) against %s (%#0*x)", e.Name, e.Text[0], hexDigits(e.width), e.Bits[0], e.Text[1], hexDigits(e.width), e.Bits[1])
	if d := e.apart(); d != "" {
		s += ", " + d
	}
	return s
}

// hexDigits is the width for %#0*x, which does not count the 0x.
func hexDigits(bits int) int { return (bits + 3) / 4 }

// apart says how far the two values are apart: "3 ULP".
func (e *Element) apart() string {
	switch {
	case e.NaN:
		return ""
	case e.class == float:
		return fmt.Sprintf("%d ULP apart", e.ULP)
	}
	return fmt.Sprintf("%d apart", e.ULP)
}

// element names a number as the launch does.
func (m *Memory) element(off int) diag.Element {
	e := diag.Element{Name: m.Name}
	if m.Image != nil {
		e.Path = texelName(m.Image, off)
		return e
	}
	t := m.Buffer.Elem
	if t != nil {
		if i, ok := t.Find(off); ok {
			t.Lead(&e, i)
			return e
		}
	}
	if t == nil && off%4 == 0 {
		e.Index(int64(off / 4))
	} else {
		e.Byte(int64(off))
	}
	return e
}

// texelName names a texel by its coordinates: "(3,1)", and the mip level and
// layer where there are several.
func texelName(im *launch.Image, off int) string {
	f, ok := texel.Lookup(im.Format)
	if !ok || f.TexelSize == 0 {
		return fmt.Sprintf(" at byte %d", off)
	}
	i, level := off/f.TexelSize, 0
	for level+1 < max(im.MipLevels, 1) && i >= im.LevelTexels(level) {
		i -= im.LevelTexels(level)
		level++
	}
	w, h, d := im.LevelExtent(level)
	s := max(im.Samples, 1)
	coords := []string{fmt.Sprint(i / s % w)}
	if im.Dim > 1 || h > 1 {
		coords = append(coords, fmt.Sprint(i/s/w%h))
	}
	if d > 1 {
		coords = append(coords, fmt.Sprint(i/s/w/h%d))
	}
	name := "(" + strings.Join(coords, ",") + ")"
	if im.Layers > 1 {
		name += fmt.Sprintf(" of layer %d", i/s/w/h/d)
	}
	if im.MipLevels > 1 {
		name += fmt.Sprintf(" of level %d", level)
	}
	if s > 1 {
		name += fmt.Sprintf(" sample %d", i%s)
	}
	return name
}

// count is the number of numbers that a buffer or image holds.
func count(c content, data []byte) int {
	if c.Image != nil {
		if t, err := launch.ParseType(c.Image.Format, launch.Std430); err == nil && t.Stride > 0 {
			return len(data) / t.Stride * t.Scalars()
		}
	} else if t := c.Buffer.Elem; t != nil && t.Stride > 0 {
		return len(data) / t.Stride * t.Scalars()
	}
	return len(data) / 4
}

// numbersOf gives a function that finds the numbers around a byte of a memory
// and the byte behind them; none for padding and device addresses.
func numbersOf(c content, t *tolerances) func(off int) ([]number, int) {
	if c.Image != nil {
		typ, err := launch.ParseType(c.Image.Format, launch.Std430)
		if err != nil {
			return bare(c)
		}
		return func(off int) ([]number, int) { return texelNumbers(typ, 0, off) }
	}
	windows := t.vars[c.key()]
	fallback := bare(c)
	return func(off int) ([]number, int) {
		if c.address(off) {
			return nil, 0
		}
		var found []number
		var next int
		for _, w := range windows {
			at := int64(off) - w.off
			if at < 0 || at >= w.len || w.typ == nil {
				continue
			}
			if w.typ.Kind == spirv.Image || w.typ.Kind == spirv.SampledImage {
				if w.texel != nil {
					return texelNumbers(w.texel, int(w.off), off)
				}
				continue
			}
			s, start, ok := w.typ.ScalarAt(spirv.LayoutOf(w.v.Type), at)
			if !ok || s.Kind != spirv.Int && s.Kind != spirv.Float {
				continue
			}
			n, ok := moduleNumber(s, int(w.off+start))
			if ok && (found == nil || n.class == float && found[0].class != float) {
				found, next = []number{n}, n.at.Offset+n.size
			}
		}
		if c.Buffer.Elem == nil && found != nil {
			return found, next
		}
		// The launch's type says whether an integer of the module is a float.
		list, end := fallback(off)
		switch {
		case found == nil && len(windows) > 0 && c.inWindow(windows, off):
			return nil, 0
		case found == nil:
			return list, end
		case len(list) == 1 && list[0].class == float && list[0].width == found[0].width && list[0].at.Offset == found[0].at.Offset:
			return list, end
		}
		if len(list) == 1 && list[0].class == integer && found[0].class == integer && list[0].at.Offset == found[0].at.Offset && list[0].width == found[0].width {
			return list, end // with the signedness that the launch shows
		}
		return found, next
	}
}

// inWindow reports whether a variable whose type is known covers a byte.
func (c content) inWindow(windows []window, off int) bool {
	for _, w := range windows {
		if at := int64(off) - w.off; at >= 0 && at < w.len && w.typ != nil && w.typ.Kind == spirv.Struct {
			return true
		}
	}
	return false
}

// bare finds numbers by the launch's own type, or 32-bit words where it has
// none.
func bare(c content) func(off int) ([]number, int) {
	data := c.Bytes()
	return func(off int) ([]number, int) {
		if c.Buffer != nil && c.Buffer.Elem != nil {
			t := c.Buffer.Elem
			for start := off; start >= 0 && start > off-8; start-- {
				i, ok := t.Find(start)
				if !ok {
					continue
				}
				s := t.At(i)
				size := s.Kind.Bits() / 8
				if t.Kind == launch.FormatType {
					return texelNumbers(t, 0, off)
				}
				if s.Offset+size <= off || s.Offset+size > len(data) {
					break
				}
				n := number{at: s, width: s.Kind.Bits(), size: size}
				if s.Kind.IsFloat() {
					n.class = float
				}
				return []number{n}, s.Offset + size
			}
			if off < len(data)/t.Stride*t.Stride {
				return nil, 0
			}
		}
		word := off &^ 3
		if word+4 > len(data) {
			return []number{{at: launch.Scalar{Kind: launch.Uint8, Offset: off}, width: 8, size: 1}}, off + 1
		}
		return []number{{at: launch.Scalar{Kind: launch.Uint32, Offset: word}, width: 32, size: 4}}, word + 4
	}
}

// texelNumbers gives the components of the texel at a byte of a memory whose
// texels start at byte base.
func texelNumbers(t *launch.DataType, base, off int) ([]number, int) {
	i := (off - base) / t.Stride
	var out []number
	for k := range t.Scalars() {
		c := &t.Format.Components[k]
		n := number{at: t.At(i*t.Scalars() + k), base: base, width: c.Width, size: t.Stride}
		switch c.Mode {
		case texel.SFloat:
			n.class = float
		case texel.UFloat, texel.UNorm, texel.SNorm, texel.SRGB, texel.UScaled, texel.SScaled:
			n.class = fraction
		}
		out = append(out, n)
	}
	return out, base + (i+1)*t.Stride
}

// moduleNumber is a scalar of a module's type at a byte of a memory.
func moduleNumber(t *spirv.Type, at int) (number, bool) {
	n := number{width: t.Width, size: t.Width / 8}
	name := fmt.Sprintf("uint%d", t.Width)
	switch {
	case t.Kind == spirv.Float:
		n.class = float
		name = map[int]string{16: "float16", 32: "float", 64: "double"}[t.Width]
	case t.Signed:
		name = fmt.Sprintf("int%d", t.Width)
	}
	k, ok := launch.LookupScalar(name)
	n.at = launch.Scalar{Kind: k, Offset: at}
	return n, ok
}
