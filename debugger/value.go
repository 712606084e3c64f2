package debugger

import (
	"fmt"
	"strings"

	"ampdbg/debugger/expr"
	"ampdbg/spirv"
)

// Value is the value of an expression in a thread. What it is made of is read
// when it is asked for; once the session goes on, that gives ErrMoved.
type Value struct {
	Expr string // computes it again, in the same frame
	Type string // as GLSL writes it
	Len  int    // how many parts it has: elements, members, components, texels; 0 of a scalar

	at *Stopped
	th *thread
	o  operand
	// base is Expr as something that members and indexes may follow.
	base string
}

// Variable is a named value: a variable in scope, or a part of a value.
type Variable struct {
	Name  string
	Value Value
	Err   error  // why it has no value
	Scope string // local, private, tile_static, buffer, image, constant
}

// value makes a value of an operand.
func (at *Stopped) value(o operand, th *thread, text, base string) Value {
	return Value{Expr: text, Type: at.t.typeOf(o, th), Len: at.t.parts(o, th), at: at, th: th, o: o, base: base}
}

// valueOf is value for an expression.
func (at *Stopped) valueOf(e *Expr, o operand, th *thread) Value {
	base := e.Text
	switch e.root.(type) {
	case *expr.Name, *expr.Member, *expr.Index, *expr.Call, *expr.Length:
	default:
		base = "(" + base + ")"
	}
	return at.value(o, th, e.Text, base)
}

// parts counts what an operand is made of.
func (t *target) parts(o operand, th *thread) int {
	switch {
	case o.at != nil && o.at.views != nil:
		return len(o.at.views)
	case o.t.Kind == spirv.Image || o.t.Kind == spirv.SampledImage:
		im, err := t.asImage(o, th)
		if err != nil {
			return 0
		}
		_, n := im.at.texels.first(0)
		return n / im.at.texels.im.Samples
	case o.t.Kind == spirv.Struct:
		return len(o.t.Members)
	case o.t.Kind == spirv.RuntimeArray:
		return o.n
	case o.t.IsComposite():
		return o.t.Len
	}
	return 0
}

// Text writes the value; format 0 is that of its type. Of a long array the first
// 200 elements are written.
func (v Value) Text(f Format) (string, error) {
	if err := v.at.enter(); err != nil {
		return "", err
	}
	defer v.at.leave()
	return v.at.t.text(v.o, v.th, f)
}

// Short writes the value in short: of a long array the first 8 elements.
func (v Value) Short() (string, error) {
	if err := v.at.enter(); err != nil {
		return "", err
	}
	defer v.at.leave()
	return v.at.t.shortText(v.o, v.th)
}

// Number is the value of a scalar as a number.
func (v Value) Number() (x float64, ok bool) {
	if v.at.enter() != nil {
		return 0, false
	}
	defer v.at.leave()
	return v.at.t.numberOf(v.o, v.th)
}

func (t *target) numberOf(o operand, th *thread) (x float64, ok bool) {
	if !o.t.IsScalar() || o.at != nil && o.at.views != nil {
		return 0, false
	}
	bits, err := o.load(th)
	if err != nil {
		return 0, false
	}
	return expr.AsFloat(o.t, bits[0]), true
}

// Children gives up to n of the value's parts, from number from on, counted from
// 0: so many as it has, and not more than 65,536 at once. No other part is read.
func (v Value) Children(from, n int) ([]Variable, error) {
	if err := v.at.enter(); err != nil {
		return nil, err
	}
	defer v.at.leave()
	if from < 0 || n < 0 {
		return nil, fmt.Errorf("expected a number of parts from 0 on, found %d from %d on", n, from)
	}
	t := v.at.t
	scope := t.scopeOf(v.o)
	var out []Variable
	for i := from; i < v.Len && len(out) < min(n, maxRead); i++ {
		name, o, err := t.part(v.o, v.th, i)
		c := Variable{Name: name, Err: err, Scope: scope}
		if err == nil {
			text := v.base + name
			if name[0] != '[' {
				text = v.base + "." + name
			}
			c.Value = v.at.value(o, v.th, text, text)
		}
		out = append(out, c)
	}
	return out, nil
}

// part is part i of an operand, and its name: a member's, or "[3]".
func (t *target) part(o operand, th *thread, i int) (string, operand, error) {
	name := fmt.Sprintf("[%d]", i)
	switch {
	case o.at != nil && o.at.views != nil:
	case o.t.Kind == spirv.Image || o.t.Kind == spirv.SampledImage:
		im, err := t.asImage(o, th)
		if err != nil {
			return name, o, err
		}
		coord := im.at.texels.coordinates(i)
		var words []string
		for _, c := range coord {
			words = append(words, fmt.Sprint(c))
		}
		x := im.at.texels
		o, err = im.texel(coord, 0, 0, x.im.Format.TexelSize*x.im.Samples, x.stored())
		return "[" + strings.Join(words, ",") + "]", o, err
	case o.t.Kind == spirv.Struct && o.t.Members[i].Name != "":
		name = o.t.Members[i].Name
	case o.t.Kind == spirv.Vector && o.t.Len <= 4:
		name = "xyzw"[i : i+1]
	}
	o, err := o.child(i)
	return name, o, err
}

// Declaration is the value's type with its members, and where it lies.
func (v Value) Declaration() (string, error) {
	if err := v.at.enter(); err != nil {
		return "", err
	}
	defer v.at.leave()
	o, t := v.o, v.at.t
	where := ""
	if o.at != nil {
		where = ", " + t.scopeOf(o)
	}
	members := ""
	if o.t.Kind == spirv.Struct && !o.isImage() && (o.at == nil || o.at.views == nil) {
		var list []string
		for i := range o.t.Members {
			list = append(list, typeName(t.u, o.t.Members[i].Type)+" "+o.t.Members[i].Name)
		}
		members = " {" + strings.Join(list, "; ") + "}"
	}
	return v.Type + members + where, nil
}

// shortText writes an operand, of a long array its first elements.
func (t *target) shortText(o operand, th *thread) (string, error) {
	const most = 8
	long := o.at != nil && o.at.views == nil && (o.t.Kind == spirv.RuntimeArray || o.t.Kind == spirv.Array)
	n := t.parts(o, th)
	if !long || n <= most {
		return t.text(o, th, 0)
	}
	f := formatter{u: t.u, views: t.element, left: most}
	f.out.WriteByte('{')
	for i := range most {
		part, err := o.child(i)
		if err != nil {
			return "", err
		}
		bits, err := part.load(th)
		if err != nil {
			return "", err
		}
		if i > 0 {
			f.out.WriteString(", ")
		}
		f.value(part.t, bits, part.n)
	}
	return fmt.Sprintf("%s, ... %d in all}", f.out.String(), n), nil
}

// scopeOf says where an operand lies.
func (t *target) scopeOf(o operand) string {
	switch {
	case o.at == nil:
		return "constant"
	case o.at.views != nil:
		return t.scopeOf(o.at.pick(o.at.views[0]))
	case o.at.rows != nil:
		return "private"
	case o.at.mem != nil:
		return o.at.mem.Space.String()
	case o.at.texels != nil:
		return "image"
	}
	return "buffer"
}
