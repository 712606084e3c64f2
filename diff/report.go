package diff

import (
	"fmt"
	"math"
	"strings"

	"ampdbg/diag"
	"ampdbg/launch"
)

// Report makes findings of an outcome: first what the checkers and the
// machines found, then one finding for each buffer or image that differs.
func (o *Outcome) Report() *diag.Report {
	r := &diag.Report{Name: o.Name, Data: o.data()}
	all := append([]diag.Finding(nil), o.Findings...)
	all = append(all, o.Suspects...)
	r.Findings = diag.Fold(all)
	for _, m := range o.Memories {
		if !m.Same() {
			r.Findings = append(r.Findings, o.finding(m))
		}
	}
	for _, m := range o.Memories {
		if m.Undecided > 0 {
			r.Errors = append(r.Errors, m.undecided(o))
		}
	}
	return r
}

// undecided says what of a memory could not be decided.
func (m *Memory) undecided(o *Outcome) *diag.Error {
	e := &m.Unsure[0]
	msg := fmt.Sprintf("not decided: %s is %s on %s and %s on %s, and may be, for all that is known: %s depends on inexact floats, and another machine may go another way there",
		e.Name, e.Text[0], o.Sides[0], e.Text[1], o.Sides[1], e.Unsure)
	if n := m.Undecided - 1; n > 0 {
		msg += fmt.Sprintf("; %s of %s likewise", diag.Count(n, "other number", "other numbers"), m.Name)
	}
	return &diag.Error{Class: diag.Unsupported, Msg: msg}
}

// finding tells of one memory that differs.
func (o *Outcome) finding(m *Memory) diag.Finding {
	first := &m.First[0]
	f := diag.Finding{
		Code: diag.Difference, Severity: diag.SeverityError, Kernel: o.Dispatch.Entry, Variable: m.element(first.Offset), Space: m.space(), Pos: o.Dispatch.Pos,
		Message: fmt.Sprintf("%s differs in %d of %d numbers after dispatch %d: %s is %s on %s and %s on %s%s", m.Name, m.Beyond, m.Numbers, o.Parted,
			first.Name, first.Text[0], o.Sides[0], first.Text[1], o.Sides[1], comma(first.apart())),
	}
	note := func(format string, args ...any) {
		f.Notes = append(f.Notes, diag.Note{Msg: fmt.Sprintf(format, args...)})
	}
	for _, n := range o.Notes {
		note("%s", n)
	}
	if l := m.Largest; l != nil && l.Offset != first.Offset {
		note("the largest difference is that of %s", l)
	}
	note("allowed: %s", m.allowance())
	if h := m.hint(); h != "" {
		note("%s", h)
	}
	for i := range o.Blames {
		b := &o.Blames[i]
		if b.Memory != m {
			continue
		}
		if b.Element.Offset == first.Offset && b.Element.Bits == first.Bits {
			b.accuse(&f)
		}
		text := b.Element.String()
		if b.Element.Bounded {
			text += "; " + b.Element.decided()
		}
		if b.Last != nil {
			text += fmt.Sprintf("; last written by %s", who(b.Last))
		} else {
			text += "; no thread writes it on the emulator"
		}
		note("%s", text)
	}
	if n := m.Beyond - len(m.First); n > 0 {
		note("%d more differ", n)
	}
	if n := m.Within; n > 0 {
		note("%d others differ by no more than is allowed", n)
	}
	m.notes(note)
	return f
}

// decided says that the error bound decided, and by what.
func (e *Element) decided() string {
	if math.IsInf(e.Bound, 1) {
		return "there is no error bound"
	}
	return fmt.Sprintf("the error bound decided: difference %.3g, bound %.3g", e.Distance, e.Bound)
}

// notes tells of the numbers on which error bounds decided.
func (m *Memory) notes(note func(format string, args ...any)) {
	for i := range m.Bounded {
		e := &m.Bounded[i]
		note("%s; allowed, %s", e, e.decided())
	}
	if n := m.ByBound - len(m.Bounded); n > 0 {
		note("%d more are allowed by their error bounds", n)
	}
	for i := range m.Unsure {
		e := &m.Unsure[i]
		note("%s; not decided: %s depends on inexact floats and may go another way", e, e.Unsure)
	}
	if n := m.Undecided - len(m.Unsure); n > 0 {
		note("%d more are not decided", n)
	}
}

func comma(s string) string {
	if s == "" {
		return ""
	}
	return ", " + s
}

func (m *Memory) space() string {
	if m.Image != nil {
		return "image"
	}
	return "buffer"
}

func who(w *Write) string {
	s := w.Thread.Place()
	if w.Pos.IsValid() {
		s += " at " + w.Pos.String()
	}
	return s
}

// accuse puts the blame into a finding: the last write, its history, and the
// races that make the difference no wonder.
func (b *Blame) accuse(f *diag.Finding) {
	if len(b.Suspects) > 0 {
		s := &b.Suspects[0]
		f.Class = diag.DifferenceRacy
		f.Message = fmt.Sprintf("%s %s, so it may hold anything (%s at %s): %s", Touch(s), b.Element.Name, s.Rule(), s.Position(), f.Message)
	}
	w := b.Last
	if w == nil {
		return
	}
	f.Pos, f.Stack = w.Pos, w.Stack
	f.Accesses = []diag.Access{{
		Kind: "last " + w.Kind, Object: b.Element.Name, Thread: w.Thread, Pos: w.Pos, ID: w.ID, Name: w.Name,
		Old: b.Memory.format(&b.Element, w.Old), New: b.Memory.format(&b.Element, w.New), Stack: w.Stack,
	}}
	if b.History.Count > 1 {
		var parts []string
		for i := range b.Thread {
			h := &b.Thread[i]
			parts = append(parts, fmt.Sprintf("%s to %s at %s", b.Memory.format(&b.Element, h.Old), b.Memory.format(&b.Element, h.New), place(h)))
		}
		text := fmt.Sprintf("%s was written %d times; by that thread: ", b.Element.Name, b.History.Count)
		if len(b.Thread) == shownWrites {
			text += "... "
		}
		f.Notes = append(f.Notes, diag.Note{Msg: text + strings.Join(parts, ", ")})
	}
}

func place(w *Write) string {
	if w.Pos.Line > 0 {
		return fmt.Sprintf("%s:%d", w.Pos.File, w.Pos.Line)
	}
	if w.Name != "" {
		return w.Name
	}
	return fmt.Sprintf("%%%d", w.ID)
}

// format prints the bytes of an element, or of the texel it belongs to.
func (m *Memory) format(e *Element, b []byte) string {
	if m.Image == nil && e.Size == e.Kind.Bits()/8 && len(b) >= e.Size {
		s := launch.Scalar{Kind: e.Kind}
		return s.Format(s.Load(b))
	}
	list, _ := m.numbers(e.Offset)
	var parts []string
	for _, n := range list {
		n.at.Offset = 0
		if len(b) >= n.size {
			parts = append(parts, n.at.Format(n.at.Load(b)))
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// allowance is the tolerance in words.
func (m *Memory) allowance() string {
	integers, floats := false, false
	if m.Largest != nil {
		integers, floats = m.Largest.class == integer, m.Largest.class != integer
	}
	for _, e := range m.First {
		integers = integers || e.class == integer
		floats = floats || e.class != integer
	}
	if integers && !floats {
		return "nothing, these are integers"
	}
	return m.Tolerance.String()
}

// hint says what may be behind a difference that is no fault of the machine.
func (m *Memory) hint() string {
	largest := 0.0
	for _, e := range m.First {
		if e.class == integer {
			if m.Decided != "" {
				return "inexact floats take part in branches, indexes or conversions to integers of this kernel (" + m.Decided + "), so integers may differ, too"
			}
			return ""
		}
		largest = max(largest, e.Distance)
	}
	if big := m.magnitude(); !m.First[0].Bounded && m.Tolerance.ULP > 0 && big > 0 && !math.IsInf(big, 0) && m.MaxAbs <= m.Tolerance.ULP*math.Nextafter(big, math.Inf(1))*0x1p-23 {
		return fmt.Sprintf("no difference is larger than the tolerance for numbers like %g, the largest one: sums that nearly cancel may be behind them", big)
	}
	return ""
}

// magnitude is the largest magnitude of the floats of a memory.
func (m *Memory) magnitude() float64 {
	var big float64
	data := m.Data[0]
	for off := 0; off < len(data); {
		list, next := m.numbers(off)
		for _, n := range list {
			if n.class == float {
				if x := math.Abs(n.at.Float(n.at.Load(data[n.base:]))); !math.IsNaN(x) {
					big = max(big, x)
				}
			}
		}
		off = max(next, off+1)
	}
	return big
}

// Lines describe an outcome: a headline, and a line for each memory.
func (o *Outcome) Lines() []string {
	head := fmt.Sprintf("%s: %s on %s and on %s: ", o.Name, diag.Count(o.Dispatches, "dispatch", "dispatches"), o.Sides[0], o.Sides[1])
	switch {
	case o.Parted > 0:
		head += fmt.Sprintf("the results part after dispatch %d", o.Parted)
	case len(o.Findings) > 0:
		head += "not compared to the end, for what the kernel does"
	case o.undecided():
		head += "the results agree, but for numbers that may go another way"
	default:
		head += "the results agree"
	}
	out := []string{head}
	for _, m := range o.Memories {
		out = append(out, "  "+m.String())
		if m.Same() {
			m.notes(func(format string, args ...any) { out = append(out, "    "+fmt.Sprintf(format, args...)) })
		}
	}
	for _, n := range o.Notes {
		out = append(out, "  note: "+n)
	}
	return out
}

// undecided reports whether something differs, and may.
func (o *Outcome) undecided() bool {
	for _, m := range o.Memories {
		if m.Undecided > 0 {
			return true
		}
	}
	return false
}

// String tells how much of a memory differs, in one line.
func (m *Memory) String() string {
	s := m.Name + ": " + diag.Count(m.Numbers, "number", "numbers") + ", "
	switch {
	case m.Beyond > 0:
		s += diag.Count(m.Beyond, "differs", "differ")
	case m.Within > 0:
		s += diag.Count(m.Within, "differs", "differ") + " by no more than is allowed"
		if m.ByBound > 0 {
			s += fmt.Sprintf(", %d of them by their error bounds", m.ByBound)
		}
	case m.Undecided > 0:
	case m.Data[0] != nil:
		s += "equal but for bits that mean nothing"
	default:
		return s + "equal"
	}
	if m.Undecided > 0 {
		s = strings.TrimSuffix(s, ", ") + fmt.Sprintf(", %d not decided", m.Undecided)
	}
	if m.Beyond+m.Within > 0 {
		s += fmt.Sprintf(", by at most %s, %.3g; allowed: %s", diag.Count(m.MaxULP, "ULP or unit", "ULP or units"), m.MaxAbs, m.allowance())
	}
	return s
}

// class sorts an outcome for a table: "equal", "within tolerance", "differs",
// "racy", "faulty" where the launch has a fault that the machines report,
// "undecided" where numbers differ that may, or "unfinished" where nothing of
// that was found before an error.
func (o *Outcome) class() string {
	switch {
	case o.Parted > 0:
		for i := range o.Blames {
			if len(o.Blames[i].Suspects) > 0 {
				return "racy"
			}
		}
		return "differs"
	case len(o.Findings) > 0:
		return "faulty"
	}
	if o.Unfinished {
		return "unfinished"
	}
	if o.undecided() {
		return "undecided"
	}
	for _, m := range o.Memories {
		if m.Within > 0 {
			return "within tolerance"
		}
	}
	return "equal"
}

// counts sums up: numbers compared, numbers that differ, the largest distance
// in ULP or units.
func (o *Outcome) counts() (numbers, differ int, ulp uint64) {
	for _, m := range o.Memories {
		numbers += m.Numbers
		differ += m.Beyond + m.Within + m.Undecided
		ulp = max(ulp, m.MaxULP)
	}
	return numbers, differ, ulp
}

// The JSON form of an outcome, beside the findings.
type jsonOutcome struct {
	Sides      [2]string    `json:"sides"`
	Dispatches int          `json:"dispatches"`
	Parted     int          `json:"parted_after,omitempty"`
	Class      string       `json:"class"`
	Memories   []jsonMemory `json:"memories"`
	Notes      []string     `json:"notes,omitempty"`
}

type jsonMemory struct {
	Name      string        `json:"name"`
	Numbers   int           `json:"numbers"`
	Differ    int           `json:"differ"`
	Within    int           `json:"within_tolerance"`
	ByBound   int           `json:"within_error_bound,omitempty"` // of these, by their error bounds
	Undecided int           `json:"undecided,omitempty"`
	NaNs      int           `json:"nans,omitempty"`
	MaxULP    uint64        `json:"max_ulp"`
	MaxAbs    float64       `json:"max_abs"`
	Tolerance Tolerance     `json:"tolerance"`
	First     []jsonElement `json:"first,omitempty"`
	Bounded   []jsonElement `json:"bounded,omitempty"`   // the first of those by their error bounds
	Unsure    []jsonElement `json:"uncertain,omitempty"` // the first that are undecided
}

type jsonElement struct {
	Name   string    `json:"name"`
	Offset int       `json:"offset"`
	Type   string    `json:"type"`
	Values [2]string `json:"values"`
	Hex    [2]string `json:"hex"`
	ULP    uint64    `json:"ulp"`
	// Bound is the error bound, which decided; absent where there is none.
	Distance float64     `json:"difference"`
	Bound    *float64    `json:"error_bound,omitempty"`
	Decided  string      `json:"decided_by"` // "tolerance", "error bound", "nothing"
	Unsure   string      `json:"uncertain,omitempty"`
	Racy     bool        `json:"racy,omitempty"`
	Writes   []jsonWrite `json:"writes,omitempty"` // by the thread that wrote it last
}

type jsonWrite struct {
	Thread uint32    `json:"thread"`
	Tile   [3]uint32 `json:"tile"`
	Global [3]uint32 `json:"global_id"`
	Lane   uint32    `json:"lane"`
	Warp   uint32    `json:"warp"`
	File   string    `json:"file,omitempty"`
	Line   int       `json:"line,omitempty"`
	ID     uint32    `json:"spirv_id,omitempty"`
	Old    string    `json:"old"`
	New    string    `json:"new"`
}

func (o *Outcome) data() any {
	out := jsonOutcome{Sides: o.Sides, Dispatches: o.Dispatches, Parted: o.Parted, Class: o.class(), Memories: []jsonMemory{}, Notes: o.Notes}
	for _, m := range o.Memories {
		j := jsonMemory{Name: m.Name, Numbers: m.Numbers, Differ: m.Beyond, Within: m.Within, ByBound: m.ByBound, Undecided: m.Undecided, NaNs: m.NaNs, MaxULP: m.MaxULP, MaxAbs: finite(m.MaxAbs), Tolerance: m.Tolerance}
		for i := range m.Bounded {
			j.Bounded = append(j.Bounded, m.Bounded[i].data())
		}
		for i := range m.Unsure {
			j.Unsure = append(j.Unsure, m.Unsure[i].data())
		}
		for _, e := range m.First {
			x := e.data()
			for i := range o.Blames {
				b := &o.Blames[i]
				if b.Memory != m || b.Element.Offset != e.Offset || b.Element.Bits != e.Bits {
					continue
				}
				x.Racy = len(b.Suspects) > 0
				for _, w := range b.Thread {
					x.Writes = append(x.Writes, jsonWrite{
						Thread: w.Thread.Local, Tile: w.Thread.Tile, Global: w.Thread.Global, Lane: w.Thread.Lane, Warp: w.Thread.Warp,
						File: w.Pos.File, Line: w.Pos.Line, ID: w.ID, Old: m.format(&e, w.Old), New: m.format(&e, w.New),
					})
				}
			}
			j.First = append(j.First, x)
		}
		out.Memories = append(out.Memories, j)
	}
	return out
}

// data is the JSON form of an element.
func (e *Element) data() jsonElement {
	x := jsonElement{Name: e.Name, Offset: e.Offset, Type: e.Kind.String(), Values: e.Text, ULP: e.ULP, Distance: finite(e.Distance), Decided: "tolerance", Unsure: e.Unsure}
	if math.IsNaN(e.Distance) {
		x.Distance = math.MaxFloat64
	}
	switch {
	case e.Unsure != "":
		x.Decided = "nothing"
	case e.Bounded:
		x.Decided, x.Bound = "error bound", &e.Bound
	}
	for k := range x.Hex {
		x.Hex[k] = fmt.Sprintf("%#0*x", hexDigits(e.width), e.Bits[k])
	}
	return x
}

// finite is a number that JSON can hold.
func finite(x float64) float64 { return min(x, math.MaxFloat64) }
