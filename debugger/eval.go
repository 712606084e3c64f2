package debugger

import (
	"fmt"
	"strings"

	"ampdbg/debugger/expr"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
)

// Expr is a parsed expression.
type Expr struct {
	Text string
	root expr.Node
}

// Assigns reports whether the expression is an assignment.
func (e *Expr) Assigns() bool {
	_, ok := e.root.(*expr.Assign)
	return ok
}

// ParseExpr parses an expression in the syntax of package expr: GLSL's, with
// casts and pointers of C; "e @ n" is the array of n elements from e on; %12 and
// %name are SPIR-V ids, $tile and the like are the debugger's own.
func ParseExpr(text string) (*Expr, error) {
	n, err := expr.Parse(text)
	if err != nil {
		return nil, err
	}
	return &Expr{Text: strings.TrimSpace(text), root: n}, nil
}

// evaluator computes expressions at threads of a target.
type evaluator struct {
	t *target
	// write changes memory or a register; nil forbids it.
	write func(o operand, bits []uint64, th *thread) error
	// columns are expressions that stand for themselves by their names.
	columns []Column
}

// eval computes an expression. The result may still be a place that is read
// when its bits are needed.
func (e *evaluator) eval(n expr.Node, th *thread) (operand, error) {
	v := view{e, th}
	out, err := expr.Eval(n, &v)
	if err != nil {
		return operand{}, err
	}
	return v.operand(out)
}

// truth computes a condition.
func (e *evaluator) truth(n expr.Node, th *thread) (bool, error) {
	return expr.Truth(n, &view{e, th})
}

// view is a thread as expressions see it.
type view struct {
	e  *evaluator
	th *thread
}

// spot is the place of an operand, in the thread that it was computed at.
type spot struct {
	v  *view
	at *place
}

// value is an operand as a value of an expression.
func (v *view) value(o operand) expr.Value {
	out := expr.Value{Type: o.t, Bits: o.bits, Len: o.n}
	if o.at != nil {
		out.Place = &spot{v, o.at}
		if o.at.views != nil {
			out.Type = &spirv.Type{Kind: spirv.Array, Elem: o.t, Len: len(o.at.views)}
		}
	}
	return out
}

// operand is the operand that a value of an expression is.
func (v *view) operand(x expr.Value) (operand, error) {
	s, ok := x.Place.(*spot)
	switch {
	case ok && s.at.views != nil:
		return operand{t: x.Type.Elem, at: s.at}, nil
	case ok:
		return operand{t: x.Type, at: s.at, n: x.Len}, nil
	}
	bits, err := x.Load()
	return operand{t: x.Type, bits: bits, n: x.Len}, err
}

// Load implements expr.Place.
func (s *spot) Load(x expr.Value) ([]uint64, error) {
	o, err := s.v.operand(x)
	if err != nil {
		return nil, err
	}
	return o.load(s.v.th)
}

// Child implements expr.Place.
func (s *spot) Child(x expr.Value, i int) (expr.Value, error) {
	o, err := s.v.operand(x)
	if err == nil {
		o, err = o.child(i)
	}
	if err != nil {
		return expr.Value{}, err
	}
	return s.v.value(o), nil
}

// Run implements expr.Place.
func (s *spot) Run(whole, first expr.Value, n int) (expr.Value, error) {
	w, ok := whole.Place.(*spot)
	if !ok || s.at.rows != nil || s.at.views != nil || w.at.views != nil {
		return expr.Value{}, fmt.Errorf("expected an element of an array in memory before @")
	}
	stride := whole.Type.ArrayStride
	if whole.Type.ID != 0 {
		stride = whole.Type.Stride(w.at.layout)
	}
	t := &spirv.Type{Kind: spirv.Array, Elem: first.Type, Len: n, ArrayStride: stride}
	return s.v.value(operand{t: t, at: s.at}), nil
}

// Address implements expr.Place.
func (s *spot) Address() (uint64, error) {
	switch {
	case s.at.rows != nil || s.at.views != nil || s.at.texels != nil:
		return 0, fmt.Errorf("this value has no address")
	case s.at.view == noView:
		return 0, fmt.Errorf("no address: the dispatch does not use this memory under that name")
	}
	return tilemem.Point(s.at.view, s.at.off), nil
}

// Lookup implements expr.Target.
func (v *view) Lookup(n *expr.Name) (expr.Value, error) {
	for _, c := range v.e.columns {
		if c.Name == n.Text {
			return expr.Eval(c.Expr.root, &view{&evaluator{t: v.e.t}, v.th})
		}
	}
	hit, th := v.e.t.remembered(n), v.th
	if th.away != nil {
		get, err := v.e.t.lookup(n.Text, th)
		if err != nil {
			return expr.Value{}, err
		}
		o, err := get(th)
		return v.value(o), err
	}
	if hit.t != v.e.t || hit.pc != th.pc || hit.scope != th.scope || hit.outer != th.outer || hit.get == nil {
		get, err := v.e.t.lookup(n.Text, th)
		if err != nil {
			return expr.Value{}, err
		}
		*hit = resolved{v.e.t, th.pc, th.scope, th.outer, get}
	}
	o, err := hit.get(th)
	if err != nil {
		return expr.Value{}, err
	}
	return v.value(o), nil
}

// remembered is what a name was found to be the last time.
func (t *target) remembered(n *expr.Name) *resolved {
	hit, _ := n.Memo.(*resolved)
	if hit == nil {
		hit = &resolved{}
		n.Memo = hit
	}
	return hit
}

// Struct implements expr.Target.
func (v *view) Struct(name string) *spirv.Type { return v.e.t.structs()[name] }

// structs are the struct types of the module by name; of several with one name
// the first.
func (t *target) structs() map[string]*spirv.Type {
	if t.named == nil {
		t.named = map[string]*spirv.Type{}
		for i := range t.u.Insts {
			if in := &t.u.Insts[i]; in.Op == spirv.OpTypeStruct && t.u.Type(in.Result) != nil {
				if n := t.u.Name(in.Result); t.named[n] == nil {
					t.named[n] = t.u.Type(in.Result)
				}
			}
		}
		delete(t.named, "")
	}
	return t.named
}

// StructName implements expr.Target.
func (v *view) StructName(id spirv.ID) string { return v.e.t.u.Name(id) }

// Deref implements expr.Target.
func (v *view) Deref(p expr.Value) (expr.Value, error) {
	o, err := v.e.t.deref(p.Bits[0], 0, p.Type.Elem, spirv.LayoutOf(p.Type), v.th)
	if err != nil {
		return expr.Value{}, err
	}
	return v.value(o), nil
}

// Index implements expr.Target: it finds texels.
func (v *view) Index(x expr.Value, at func() ([]int64, error)) (expr.Value, bool, error) {
	s, ok := x.Place.(*spot)
	if !ok || s.at.views != nil {
		return expr.Value{}, false, nil
	}
	im, err := v.e.t.asImage(operand{t: x.Type, at: s.at, n: x.Len}, v.th)
	if err != nil {
		return expr.Value{}, false, nil
	}
	coord, err := at()
	if err != nil {
		return expr.Value{}, true, err
	}
	t := im.at.texels
	o, err := im.texel(coord, 0, 0, t.im.Format.TexelSize*t.im.Samples, t.stored())
	return v.value(o), true, err
}

// Call implements expr.Target: it knows the functions of images.
func (v *view) Call(name string, args []expr.Value) (expr.Value, bool, error) {
	if imageFunctions[name] == 0 {
		return expr.Value{}, false, nil
	}
	o, err := v.imageCall(name, args)
	return v.value(o), true, err
}

// Arithmetic implements expr.Target.
func (v *view) Arithmetic() *expr.Arithmetic { return v.e.t.arithmetic() }

// arithmetic is how the kernel computes.
func (t *target) arithmetic() *expr.Arithmetic {
	if t.how != nil {
		return t.how
	}
	t.how = &expr.Arithmetic{Modes: map[uint8]program.Mode{}}
	for _, m := range t.c.Entry.Modes {
		if len(m.Args) == 0 {
			continue
		}
		width := uint8(m.Args[0])
		mode := t.how.Modes[width]
		switch m.Mode {
		case spirv.ExecutionModeDenormFlushToZero:
			mode.FlushDenorms = true
		case spirv.ExecutionModeRoundingModeRTZ:
			mode.RTZ = true
		default:
			continue
		}
		t.how.Modes[width] = mode
	}
	for i := range t.u.Insts {
		if in := &t.u.Insts[i]; in.Op == spirv.OpSource && len(in.Args) > 0 {
			l := spirv.SourceLanguage(in.Args[0])
			t.how.TruncatedRemainder = l != spirv.SourceLanguageGLSL && l != spirv.SourceLanguageESSL && l != spirv.SourceLanguageUnknown
		}
	}
	return t.how
}

// Write implements expr.Target.
func (v *view) Write(to expr.Value, bits []uint64) error {
	if v.e.write == nil {
		return fmt.Errorf("an assignment is not possible here; use set")
	}
	o, err := v.operand(to)
	if err != nil {
		return err
	}
	if o.at == nil || o.at.views != nil || o.isImage() {
		return fmt.Errorf("expected something that can be changed before =")
	}
	return v.e.write(o, bits, v.th)
}
