package diff

import (
	"fmt"
	"math"
	"strings"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/spirv"
)

// Tolerance says how far two floats may be apart: ULP units in the last
// place, or the absolute distance Abs, or Rel times the larger magnitude,
// whichever allows most. The zero value allows nothing, but for the sign of
// zero and the bits of a NaN. Integers must always be equal.
type Tolerance struct {
	ULP float64 `json:"ulp"`
	Abs float64 `json:"abs"`
	Rel float64 `json:"rel"`
	// Flush lets a denormal number pass for a zero of any sign.
	Flush bool `json:"flush_denormals"`
	// Reason says where the numbers come from.
	Reason string `json:"reason"`
}

// exact reports whether no difference is allowed.
func (t Tolerance) exact() bool { return t.ULP == 0 && t.Abs == 0 && t.Rel == 0 }

func (t Tolerance) String() string {
	var parts []string
	if t.ULP > 0 {
		parts = append(parts, fmt.Sprintf("%.0f ULP", t.ULP))
	}
	if t.Abs > 0 {
		parts = append(parts, "absolute error "+power(t.Abs))
	}
	if t.Rel > 0 {
		parts = append(parts, fmt.Sprintf("relative error %.3g", t.Rel))
	}
	s := "exact"
	if len(parts) > 0 {
		s = strings.Join(parts, " or ")
	}
	if t.Reason != "" {
		s += " (" + t.Reason + ")"
	}
	return s
}

// Override are tolerances that a user sets; NaN leaves the module's own.
// Setting one sets the others to 0.
type Override struct{ ULP, Abs, Rel float64 }

// NoOverride leaves all tolerances as the modules have them.
var NoOverride = Override{math.NaN(), math.NaN(), math.NaN()}

func (o Override) set() bool { return !math.IsNaN(o.ULP) || !math.IsNaN(o.Abs) || !math.IsNaN(o.Rel) }

func (o Override) tolerance() Tolerance {
	given := func(x float64) float64 {
		if math.IsNaN(x) {
			return 0
		}
		return x
	}
	return Tolerance{ULP: given(o.ULP), Abs: given(o.Abs), Rel: given(o.Rel), Reason: "as asked for"}
}

// What is added up: so many instructions of a kind count, and inside a loop
// each counts for so many rounds. See docs/hardware.md.
const (
	maxCounted = 16
	loopRounds = 16
)

// tolerance is what the operations in a set allow: the sum of their bounds,
// since errors add up. Twice doubles it, where both machines may be off.
func (f *flow) tolerance(s operations, twice bool) Tolerance {
	var loosest *operation
	count, loop := 0, false
	var t Tolerance
	for i := range f.ops {
		op := &f.ops[i]
		if !s.has(i) || op.source != noSource {
			continue
		}
		count += op.count
		times := float64(min(op.count, maxCounted))
		if op.loop {
			loop = true
			times *= loopRounds
		}
		t.ULP += times * op.bound.ULP
		t.Abs += times * op.bound.Abs
		if loosest == nil || looseness(op) > looseness(loosest) {
			loosest = op
		}
	}
	if loosest == nil {
		t.Reason = "all operations are exact"
		return t
	}
	t.Reason = fmt.Sprintf("%s: %s", loosest.name, loosest.bound.Why)
	if loosest.pos.IsValid() && loosest.pos.Line > 0 {
		t.Reason += fmt.Sprintf(" at %s", loosest.pos)
	}
	if count > 1 {
		t.Reason += fmt.Sprintf("; the loosest of %d operations, added up", count)
	}
	if loop {
		t.Reason += fmt.Sprintf("; in a loop: x%d", loopRounds)
	}
	// The emulator's own result is within one unit of the exact one.
	t.ULP++
	if twice {
		t.ULP, t.Abs = 2*t.ULP, 2*t.Abs
	}
	t.ULP = math.Ceil(t.ULP)
	return t
}

// looseness orders operations by how much they allow, an absolute error as
// seen from results near 1.
func looseness(op *operation) float64 {
	bits := map[int]int{16: 11, 32: 24, 64: 53}[op.width]
	return max(op.bound.ULP, math.Ldexp(op.bound.Abs, bits))
}

// preserves reports whether an entry point pins the denormals of a float
// width.
func preserves(e *spirv.EntryPoint, width int) bool {
	for _, m := range e.Modes {
		pins := m.Mode == spirv.ExecutionModeDenormPreserve || m.Mode == spirv.ExecutionModeDenormFlushToZero
		if pins && len(m.Args) == 1 && m.Args[0] == uint32(width) {
			return true
		}
	}
	return false
}

// tolerances holds what is known of a dispatch's memory: by buffer and image.
type tolerances struct {
	entry *spirv.EntryPoint
	flow  *flow
	of    map[any]Tolerance // *launch.Buffer, *launch.Image
	ops   map[any]operations
	vars  map[any][]window
	// written are those that the module has a store for.
	written map[any]bool
	rest    Tolerance // memory that no binding of the dispatch names
}

// window is a part of a buffer as a variable of the module sees it.
type window struct {
	v        *spirv.Variable
	typ      *spirv.Type
	off, len int64
	texel    *launch.DataType // of a texel buffer
}

// tolerancesOf analyses a dispatch.
func tolerancesOf(d *launch.Dispatch, twice bool, over Override) (*tolerances, error) {
	u, e, err := resolve(d)
	if err != nil {
		return nil, err
	}
	t := &tolerances{entry: e, flow: analyze(u), of: map[any]Tolerance{}, ops: map[any]operations{}, vars: map[any][]window{}, written: map[any]bool{}}
	type place struct{ set, binding uint32 }
	at := map[place][]*spirv.Variable{}
	for _, v := range u.Globals {
		set, ok1 := u.Decoration(v.ID, spirv.DecorationDescriptorSet)
		binding, ok2 := u.Decoration(v.ID, spirv.DecorationBinding)
		if ok1 && ok2 && len(set) > 0 && len(binding) > 0 {
			p := place{set[0], binding[0]}
			at[p] = append(at[p], v)
		}
	}
	for _, b := range d.Bindings {
		for _, v := range at[place{b.Set, b.Binding}] {
			for _, el := range b.Elems {
				var key any
				switch {
				case el.Image != nil:
					key = el.Image
				case el.Buffer != nil:
					key = el.Buffer
				default:
					continue
				}
				s := t.ops[key]
				s.join(t.flow.reach(v.ID))
				t.ops[key] = s
				if t.flow.written[v.ID] {
					t.written[key] = true
				}
				t.vars[key] = append(t.vars[key], window{v, elementType(v), el.Offset, el.Range, texelType(el.Format)})
			}
		}
	}
	for key, s := range t.ops {
		t.of[key] = t.flow.tolerance(s, twice)
	}
	t.rest = t.flow.tolerance(t.flow.at(physical).ops, twice)
	if over.set() {
		t.rest = over.tolerance()
		for key := range t.of {
			t.of[key] = t.rest
		}
	}
	return t, nil
}

// resolve finds the module and the entry point of a dispatch.
func resolve(d *launch.Dispatch) (*spirv.Unit, *spirv.EntryPoint, error) {
	u, err := spirv.Resolve(d.Module, d.Spec)
	if err != nil {
		return nil, nil, err
	}
	e := u.EntryPoint(d.Entry)
	if e == nil {
		return nil, nil, &diag.Error{Class: diag.BadInput, Pos: d.Pos, Msg: fmt.Sprintf("module %s has no entry point %q", d.Module.Name, d.Entry)}
	}
	return u, e, nil
}

// texelType is the type of a texel of some format, nil if there is none.
func texelType(format string) *launch.DataType {
	if t, err := launch.ParseType(format, launch.Std430); err == nil && t.Kind == launch.FormatType {
		return t
	}
	return nil
}

// elementType is the type of what one descriptor of a variable holds.
func elementType(v *spirv.Variable) *spirv.Type {
	t := v.Type.Elem
	if t != nil && (t.Kind == spirv.Array || t.Kind == spirv.RuntimeArray) {
		t = t.Elem
	}
	return t
}

// writes reports whether the module may write a memory.
func (t *tolerances) writes(key any) bool { return t.written[key] || t.flow.written[physical] }

// allowed gives the tolerance for floats of some width in a memory.
func (t *tolerances) allowed(key any, width int) Tolerance {
	tol, ok := t.of[key]
	if !ok {
		tol = t.rest
	}
	tol.Flush = !preserves(t.entry, width)
	return tol
}
