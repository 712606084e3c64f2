package expr

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ampdbg/spirv"
)

// maxRun bounds the elements that e @ n names.
const maxRun = 1 << 16

// Eval computes an expression at a target. The result may still be a place that
// is read when its bits are needed.
func Eval(n Node, t Target) (Value, error) {
	switch n := n.(type) {
	case *Literal:
		return n.Value, nil
	case *Name:
		v, err := t.Lookup(n)
		if err != nil {
			if bits, ok := special(n.Text, Float); ok {
				return Of(Float, bits), nil
			}
		}
		return v, err
	case *Member:
		v, err := Eval(n.Of, t)
		if err != nil {
			return v, err
		}
		return member(v, n.Name, t)
	case *Index:
		v, err := Eval(n.Of, t)
		if err != nil {
			return v, err
		}
		return index(v, n.By, t)
	case *Run:
		return run(n, t)
	case *Length:
		v, err := Eval(n.Of, t)
		if err != nil {
			return v, err
		}
		return length(v, t)
	case *Call:
		return call(n, t)
	case *Array:
		return array(n, t)
	case *Cast:
		return apply(&n.op, t, func(types []*spirv.Type) (operation, error) { return construct(n.To, types, t) }, n.Of)
	case *List:
		return list(n, t)
	case *Unary:
		return unary(n, t)
	case *Binary:
		return binary(n, t)
	case *Choose:
		yes, err := Truth(n.If, t)
		if err != nil {
			return Value{}, err
		}
		if yes {
			return Eval(n.Yes, t)
		}
		return Eval(n.No, t)
	case *Assign:
		return assign(n, t)
	}
	return Value{}, fmt.Errorf("an expression of an unknown kind")
}

// read computes an expression and reads its bits.
func read(n Node, t Target) (Value, error) {
	v, err := Eval(n, t)
	if err != nil || v.Place == nil {
		return v, err
	}
	bits, err := v.Load()
	return Value{Type: v.Type, Bits: bits, Len: v.Len}, err
}

// Truth computes a condition.
func Truth(n Node, t Target) (bool, error) {
	v, err := read(n, t)
	if err != nil {
		return false, err
	}
	if !v.Type.IsScalar() {
		return false, fmt.Errorf("expected a condition, found a value of type %s", name(v.Type, t))
	}
	if v.Type.Kind == spirv.Float {
		return AsFloat(v.Type, v.Bits[0]) != 0, nil
	}
	return v.Bits[0] != 0, nil
}

// name is the name of a type in messages.
func name(x *spirv.Type, t Target) string { return TypeName(x, t.StructName) }

// special is a number that has a name instead of digits.
func special(name string, t *spirv.Type) (uint64, bool) {
	switch name {
	case "inf":
		return fromFloat(t, math.Inf(1)), true
	case "nan":
		return canonicalNaN(t), true
	}
	return 0, false
}

// canonicalNaN is the NaN that kernels compute.
func canonicalNaN(t *spirv.Type) uint64 {
	switch t.Width {
	case 16:
		return 0x7e00
	case 64:
		return 0x7ff8000000000000
	}
	return 0x7fc00000
}

func member(v Value, text string, t Target) (Value, error) {
	for v.Type.Kind == spirv.Pointer {
		var err error
		if v, err = follow(v, t); err != nil {
			return v, err
		}
	}
	if v.Type.Kind == spirv.Struct {
		var names []string
		for i := range v.Type.Members {
			if v.Type.Members[i].Name == text {
				return v.Child(i)
			}
			names = append(names, v.Type.Members[i].Name)
		}
		return v, fmt.Errorf("no member %s; members are %s", text, strings.Join(names, ", "))
	}
	if Component(v.Type) == nil {
		return v, fmt.Errorf("no member %s in a value of type %s", text, name(v.Type, t))
	}
	return swizzle(v, text, t)
}

// swizzle selects components of a vector or, as GLSL has it, of a scalar.
func swizzle(v Value, text string, t Target) (Value, error) {
	n := width(v.Type)
	for _, letters := range [...]string{"xyzw", "rgba", "stpq"} {
		var few [4]int
		by := few[:0]
		for k := 0; k < len(text) && k < len(few); k++ {
			if i := strings.IndexByte(letters, text[k]); i >= 0 && i < n {
				by = append(by, i)
			}
		}
		switch {
		case len(by) != len(text) || len(by) == 0:
			continue
		case v.Type.Kind == spirv.Vector && len(by) == 1:
			return v.Child(by[0])
		case len(by) == 1:
			return v, nil
		}
		out := Value{Type: VectorOf(Component(v.Type), len(by))}
		if v.Place != nil && v.Type.Kind == spirv.Vector {
			out.Place = &swizzled{v, slices.Clone(by)}
			return out, nil
		}
		bits, err := v.Load()
		for _, i := range by {
			if err == nil {
				out.Bits = append(out.Bits, bits[i])
			}
		}
		return out, err
	}
	if v.Type.Kind != spirv.Vector {
		return v, fmt.Errorf("no member %s in a value of type %s", text, name(v.Type, t))
	}
	return v, fmt.Errorf("no component %s in a vector of %d", text, n)
}

// index is an element of a value.
func index(v Value, by []Node, t Target) (Value, error) {
	elem, ok, err := t.Index(v, func() ([]int64, error) { return integers(by, t) })
	if ok || err != nil {
		return elem, err
	}
	if len(by) > 1 {
		return v, fmt.Errorf("%d indexes of a value of type %s; texels of images have several", len(by), name(v.Type, t))
	}
	i, err := integer(by[0], t)
	if err != nil {
		return v, err
	}
	if v, err = elements(v); err != nil {
		return v, err
	}
	if !indexable(v.Type) {
		return v, fmt.Errorf("no elements in a value of type %s", name(v.Type, t))
	}
	if i < 0 || i > math.MaxInt32 {
		return v, ValueErrorf("index %d is outside", i)
	}
	return v.Child(int(i))
}

func indexable(t *spirv.Type) bool { return t.IsComposite() && t.Kind != spirv.Struct }

// elements is the only run-time array of a block, whose name may be left out.
func elements(v Value) (Value, error) {
	if v.Type.Kind == spirv.Struct && len(v.Type.Members) == 1 && indexable(v.Type.Members[0].Type) {
		return v.Child(0)
	}
	return v, nil
}

// integer computes an expression that must be an integer.
func integer(n Node, t Target) (int64, error) {
	v, err := read(n, t)
	if err != nil {
		return 0, err
	}
	if v.Type.Kind != spirv.Int && v.Type.Kind != spirv.Bool {
		return 0, fmt.Errorf("expected an integer, found a value of type %s", name(v.Type, t))
	}
	return AsInt(v.Type, v.Bits[0]), nil
}

// integers computes expressions that must be integers or vectors of them, one
// after the other.
func integers(list []Node, t Target) ([]int64, error) {
	var out []int64
	for _, n := range list {
		v, err := read(n, t)
		if err != nil {
			return nil, err
		}
		more, err := Integers(v, t)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// Integers are the components of a loaded integer or vector of integers.
func Integers(v Value, t Target) ([]int64, error) {
	c := Component(v.Type)
	if c == nil || c.Kind != spirv.Int {
		return nil, fmt.Errorf("a value of type %s is no integer", name(v.Type, t))
	}
	var out []int64
	for _, b := range v.Bits {
		out = append(out, AsInt(c, b))
	}
	return out, nil
}

// run makes an array of the elements that follow one.
func run(n *Run, t Target) (Value, error) {
	i, ok := n.First.(*Index)
	if !ok {
		return Value{}, errRun
	}
	whole, err := Eval(i.Of, t)
	if err != nil {
		return whole, err
	}
	first, err := index(whole, i.By, t)
	if err != nil {
		return first, err
	}
	if first.Place == nil {
		return first, errRun
	}
	count, err := integer(n.Count, t)
	if err != nil {
		return first, err
	}
	if count < 1 || count > maxRun {
		return first, ValueErrorf("expected 1 to %d elements, found %d", maxRun, count)
	}
	if whole, err = elements(whole); err != nil {
		return whole, err
	}
	return first.Place.Run(whole, first, int(count))
}

var errRun = fmt.Errorf("expected an element of an array in memory before @")

func length(v Value, t Target) (Value, error) {
	v, err := elements(v)
	if err != nil {
		return v, err
	}
	if !indexable(v.Type) {
		return v, fmt.Errorf("no length() of a value of type %s", name(v.Type, t))
	}
	return Of(Int, uint64(v.parts())), nil
}

// follow reads what a pointer value leads to.
func follow(v Value, t Target) (Value, error) {
	if v.Type.Kind != spirv.Pointer {
		return v, fmt.Errorf("expected a pointer, found a value of type %s", name(v.Type, t))
	}
	bits, err := v.Load()
	if err != nil {
		return v, err
	}
	return t.Deref(Value{Type: v.Type, Bits: bits})
}

func unary(n *Unary, t Target) (Value, error) {
	switch n.Op {
	case "*":
		v, err := Eval(n.Of, t)
		if err != nil {
			return v, err
		}
		return follow(v, t)
	case "&":
		v, err := Eval(n.Of, t)
		if err != nil {
			return v, err
		}
		if v.Place == nil {
			return v, fmt.Errorf("this value has no address")
		}
		p, err := v.Place.Address()
		return Of(Uint64, p), err
	}
	return apply(&n.op, t, func(types []*spirv.Type) (operation, error) { return prefixed(n.Op, types[0], t) }, n.Of)
}

func binary(n *Binary, t Target) (Value, error) {
	switch n.Op {
	case "&&", "||", "^^":
		a, err := Truth(n.X, t)
		if err != nil {
			return Value{}, err
		}
		if a && n.Op == "||" || !a && n.Op == "&&" {
			return Of(Bool, bit(a)), nil
		}
		b, err := Truth(n.Y, t)
		if n.Op == "^^" {
			b = a != b
		}
		return Of(Bool, bit(b)), err
	}
	x, err := read(n.X, t)
	if err != nil {
		return x, err
	}
	y, err := read(n.Y, t)
	if err != nil {
		return y, err
	}
	if c := &n.op; c.two != nil && c.how == t.Arithmetic() && c.types[0] == x.Type && c.types[1] == y.Type {
		v, err := n.op.two(x.Bits[0], y.Bits[0])
		return Value{Type: n.op.result, Bits: []uint64{v}}, err
	}
	return n.op.apply(t, func(types []*spirv.Type) (operation, error) { return infix(n.Op, types[0], types[1], t) }, x, y)
}

// operation is what an operator, function or constructor does to operands of
// certain types.
type operation struct {
	result *spirv.Type
	run    func(in [][]uint64) ([]uint64, error)
	two    func(a, b uint64) (uint64, error) // the same of two scalars; may be nil
}

// chosen remembers the operation that was chosen for operands of certain types.
type chosen struct {
	types []*spirv.Type
	lens  []int
	how   *Arithmetic
	operation
}

// fits reports whether the operation is the one for some loaded values.
func (c *chosen) fits(how *Arithmetic, args ...Value) bool {
	if c.run == nil || c.how != how || len(c.types) != len(args) {
		return false
	}
	for i := range args {
		if c.types[i] != args[i].Type || c.lens[i] != len(args[i].Bits) {
			return false
		}
	}
	return true
}

// apply computes the arguments, and an operation of them.
func apply(c *chosen, t Target, choose func([]*spirv.Type) (operation, error), args ...Node) (Value, error) {
	list := make([]Value, len(args))
	for i, n := range args {
		v, err := read(n, t)
		if err != nil {
			return v, err
		}
		list[i] = v
	}
	return c.apply(t, choose, list...)
}

// apply computes an operation of loaded values, which is chosen by their types if
// it is not the one of the last time.
func (c *chosen) apply(t Target, choose func([]*spirv.Type) (operation, error), args ...Value) (Value, error) {
	how := t.Arithmetic()
	if !c.fits(how, args...) {
		types, lens := make([]*spirv.Type, len(args)), make([]int, len(args))
		for i, a := range args {
			types[i], lens[i] = a.Type, len(a.Bits)
			if a.Type.Kind == spirv.RuntimeArray {
				types[i] = arrayOf(a.Type.Elem, a.Len) // a loaded one has a length
			}
		}
		op, err := choose(types)
		if err != nil {
			return Value{}, err
		}
		for i, a := range args {
			types[i] = a.Type
		}
		*c = chosen{types, lens, how, op}
	}
	var few [4][]uint64
	in := few[:0]
	for _, a := range args {
		in = append(in, a.Bits)
	}
	bits, err := c.run(in)
	return Value{Type: c.result, Bits: bits}, err
}

func call(n *Call, t Target) (Value, error) {
	typ := Types[n.Name]
	if typ == nil {
		typ = t.Struct(n.Name)
	}
	f, known := functions[n.Name]
	if typ == nil && !known {
		args := make([]Value, len(n.Args))
		for i, a := range n.Args {
			v, err := Eval(a, t)
			if err != nil {
				return v, err
			}
			args[i] = v
		}
		v, ok, err := t.Call(n.Name, args)
		if !ok && err == nil {
			err = fmt.Errorf("no function %s to call in an expression", n.Name)
			if why := Absent[n.Name]; why != "" {
				err = fmt.Errorf("no function %s to call in an expression: %s", n.Name, why)
			}
		}
		return v, err
	}
	if n.Name == "length" && len(n.Args) == 1 {
		// Of an array too.
		v, err := Eval(n.Args[0], t)
		if err != nil {
			return v, err
		}
		if v, err = elements(v); err != nil {
			return v, err
		}
		if v.Type.Kind == spirv.Array || v.Type.Kind == spirv.RuntimeArray {
			return length(v, t)
		}
		if v.Bits, err = v.Load(); err != nil {
			return v, err
		}
		v.Place = nil
		return n.op.apply(t, func(types []*spirv.Type) (operation, error) { return f.choose(n.Name, types, t) }, v)
	}
	args := n.Args
	if known && typ == nil {
		if len(args) == f.args+f.out {
			args = args[:f.args]
		}
		if len(args) < f.least() || len(args) > f.args {
			want := fmt.Sprintf("%d arguments", f.args)
			switch {
			case f.least() < f.args:
				want = fmt.Sprintf("%d or %d arguments", f.least(), f.args)
			case f.args == 1:
				want = "1 argument"
			}
			return Value{}, fmt.Errorf("%s takes %s, found %d", n.Name, want, len(n.Args))
		}
	}
	v, err := apply(&n.op, t, func(types []*spirv.Type) (operation, error) {
		if typ != nil {
			return construct(typ, types, t)
		}
		return f.choose(n.Name, types, t)
	}, args...)
	if err == nil && typ == nil && f.out > 0 && len(n.Args) > f.args && f.returns {
		return v.Child(0)
	}
	return v, err
}

// array makes an array, an array of arrays and so on.
func array(n *Array, t Target) (Value, error) {
	elem := Types[n.Elem]
	if elem == nil {
		elem = t.Struct(n.Elem)
	}
	if elem == nil {
		return Value{}, fmt.Errorf("no type %s to make an array of", n.Elem)
	}
	args := make([]Value, len(n.Args))
	for i, a := range n.Args {
		v, err := read(a, t)
		if err != nil {
			return v, err
		}
		args[i] = v
	}
	// The dimensions inside of the first must be known, or be those of the first
	// argument.
	given := elem
	if len(args) > 0 {
		given = args[0].Type
	}
	for i := len(n.Dims) - 1; i > 0; i-- {
		size := 0
		if n.Dims[i] == nil {
			inner := given
			for k := 1; k < i && inner != nil; k++ {
				inner = inner.Elem
			}
			if inner == nil || inner.Kind != spirv.Array {
				return Value{}, fmt.Errorf("the size of the elements of the array is not known")
			}
			size = inner.Len
		} else {
			v, err := integer(n.Dims[i], t)
			if err != nil {
				return Value{}, err
			}
			if v < 1 || v > maxRun {
				return Value{}, fmt.Errorf("an array of %d elements", v)
			}
			size = int(v)
		}
		if elem = arrayOf(elem, size); Scalars(elem) > maxRun {
			return Value{}, fmt.Errorf("an array of more than %d scalars", maxRun)
		}
	}
	if n.Dims[0] != nil {
		want, err := integer(n.Dims[0], t)
		if err != nil {
			return Value{}, err
		}
		if want != int64(len(args)) {
			return Value{}, fmt.Errorf("an array of %d elements made of %d", want, len(args))
		}
	}
	if len(args) == 0 {
		return Value{}, fmt.Errorf("an array of 0 elements")
	}
	out := Value{Type: arrayOf(elem, len(args))}
	for _, a := range args {
		bits, err := become(elem, a, t)
		if err != nil {
			return Value{}, err
		}
		out.Bits = append(out.Bits, bits...)
	}
	return out, nil
}

// list makes a list that nothing says the type of: a vector of the components'
// common type, or an array of the first element's.
func list(n *List, t Target) (Value, error) {
	if n.Rest {
		return Value{}, errRest
	}
	var elems []Value
	size := 0
	for _, e := range n.Elems {
		if e.Name != "" {
			return Value{}, fmt.Errorf("what is written {%s = ...} takes its type from what it is assigned to", e.Name)
		}
		v, err := read(e.Value, t)
		if err != nil {
			return v, err
		}
		if size += e.Times * max(1, len(v.Bits)); size > maxRun {
			return v, fmt.Errorf("a list of more than %d scalars", maxRun)
		}
		for range e.Times {
			elems = append(elems, v)
		}
	}
	if len(elems) == 0 {
		return Value{}, fmt.Errorf("an empty list")
	}
	c := elems[0].Type
	for _, v := range elems[1:] {
		if c.IsScalar() && v.Type.IsScalar() {
			c = common(c, v.Type)
		}
	}
	out := Value{Type: arrayOf(c, len(elems))}
	if !n.Braces {
		if !c.IsScalar() || len(elems) > 4 {
			return Value{}, fmt.Errorf("a list in parentheses is a vector of 2 to 4 scalars")
		}
		out.Type = VectorOf(c, len(elems))
	}
	for _, v := range elems {
		bits, err := become(c, v, t)
		if err != nil {
			return Value{}, err
		}
		out.Bits = append(out.Bits, bits...)
	}
	return out, nil
}

var errRest = fmt.Errorf("the list leaves elements out (...)")

// readConverted computes an expression whose value becomes one of a type, as in an
// assignment. Numbers are rounded to the type and not before, and lists get
// theirs from it.
func readConverted(to *spirv.Type, n Node, t Target) (Value, error) {
	bits, err := readAs(to, n, t)
	return Value{Type: to, Bits: bits}, err
}

func readAs(to *spirv.Type, n Node, t Target) ([]uint64, error) {
	switch n := n.(type) {
	case *Literal:
		if n.plain && to.Kind == spirv.Float && n.Text[0] != '\'' {
			if v, ok := decimal(to, n.Text); ok {
				return []uint64{v}, nil
			}
		}
		if n.plain && to.Kind == spirv.Int && n.Value.Type.Kind == spirv.Int {
			return []uint64{n.Value.Bits[0] & (^uint64(0) >> (64 - uint(to.Width)))}, nil
		}
	case *Unary:
		if lit, ok := n.Of.(*Literal); ok && n.Op == "-" && lit.plain && to.Kind == spirv.Int && lit.Value.Type.Kind == spirv.Int {
			return []uint64{-lit.Value.Bits[0] & (^uint64(0) >> (64 - uint(to.Width)))}, nil
		}
		if n.Op == "-" && to.Kind == spirv.Float {
			inner := n.Of
			if _, lit := inner.(*Literal); lit || isSpecial(inner, t) {
				bits, err := readAs(to, inner, t)
				if err != nil {
					return nil, err
				}
				return []uint64{bits[0] ^ 1<<(to.Width-1)}, nil
			}
		}
	case *Name:
		if isSpecial(n, t) && to.Kind == spirv.Float {
			bits, _ := special(n.Text, to)
			return []uint64{bits}, nil
		}
	case *Call:
		if n.Name == "nan" && len(n.Args) == 1 && to.Kind == spirv.Float {
			v, err := read(n.Args[0], t)
			if err != nil {
				return nil, err
			}
			if v.Type.Kind == spirv.Int {
				return []uint64{v.Bits[0] & (^uint64(0) >> (64 - uint(to.Width)))}, nil
			}
		}
	case *List:
		return initialise(to, n, t)
	}
	v, err := read(n, t)
	if err != nil {
		return nil, err
	}
	return become(to, v, t)
}

// isSpecial reports whether a node is inf or nan, and no variable's name.
func isSpecial(n Node, t Target) bool {
	w, ok := n.(*Name)
	if !ok || w.Text != "inf" && w.Text != "nan" {
		return false
	}
	_, err := t.Lookup(w)
	return err != nil
}

// initialise makes a value of a type out of a list of its parts.
func initialise(to *spirv.Type, n *List, t Target) ([]uint64, error) {
	if n.Rest {
		return nil, errRest
	}
	if !to.IsComposite() || to.Kind == spirv.RuntimeArray {
		return nil, fmt.Errorf("a list for a value of type %s", name(to, t))
	}
	parts := to.Len
	if to.Kind == spirv.Struct {
		parts = len(to.Members)
	}
	var out []uint64
	i := 0
	for _, e := range n.Elems {
		if i+e.Times > parts {
			return nil, fmt.Errorf("a list of more than the %d parts of a value of type %s", parts, name(to, t))
		}
		part := to.Elem
		if to.Kind == spirv.Struct {
			m := to.Members[i]
			if part = m.Type; e.Times > 1 || e.Name != "" && e.Name != m.Name {
				return nil, fmt.Errorf("expected member %s of %s, found %s", m.Name, name(to, t), e.Name)
			}
		} else if e.Name != "" {
			return nil, fmt.Errorf("a member %s in a list for a value of type %s", e.Name, name(to, t))
		}
		bits, err := readAs(part, e.Value, t)
		if err != nil {
			return nil, err
		}
		for range e.Times {
			out = append(out, bits...)
		}
		i += e.Times
	}
	if i < parts {
		return nil, fmt.Errorf("a list of %d of the %d parts of a value of type %s", i, parts, name(to, t))
	}
	return out, nil
}

// become converts a loaded value to the type of what it is assigned to.
func become(to *spirv.Type, v Value, t Target) ([]uint64, error) {
	c, from := Component(to), Component(v.Type)
	if v.Type.Kind == spirv.Pointer && c != nil {
		from = Uint64
	}
	switch {
	case to.Kind == spirv.Pointer && v.Type.Kind == spirv.Int && v.Type.Width == 64:
		return v.Bits, nil
	case c != nil && from != nil && (width(v.Type) == width(to) || width(v.Type) == 1):
		f, err := conversion(c, from, t.Arithmetic())
		if err != nil {
			return nil, err
		}
		out := make([]uint64, width(to))
		for i := range out {
			out[i] = f(v.Bits[min(i, len(v.Bits)-1)])
		}
		return out, nil
	case to.Kind == spirv.Matrix && v.Type.Kind == spirv.Matrix && to.Len == v.Type.Len && to.Elem.Len == v.Type.Elem.Len:
		f, err := conversion(to.Elem.Elem, v.Type.Elem.Elem, t.Arithmetic())
		if err != nil {
			return nil, err
		}
		out := slices.Clone(v.Bits)
		for i := range out {
			out[i] = f(out[i])
		}
		return out, nil
	case to.Kind == v.Type.Kind && (to.Kind == spirv.Array && to.Len == v.Type.Len || to.Kind == spirv.Struct && len(to.Members) == len(v.Type.Members)):
		// Part by part: a compiler has several types for one of the source.
		n := to.Len
		if to.Kind == spirv.Struct {
			n = len(to.Members)
		}
		var out []uint64
		for i := range n {
			part, err := v.Child(i)
			if err != nil {
				return nil, err
			}
			inner := to.Elem
			if to.Kind == spirv.Struct {
				if inner = to.Members[i].Type; to.Members[i].Name != v.Type.Members[i].Name {
					return nil, fmt.Errorf("cannot assign a value of type %s to one of type %s", name(v.Type, t), name(to, t))
				}
			}
			bits, err := become(inner, part, t)
			if err != nil {
				return nil, err
			}
			out = append(out, bits...)
		}
		return out, nil
	case same(to, v.Type):
		return v.Bits, nil
	}
	return nil, fmt.Errorf("cannot assign a value of type %s to one of type %s", name(v.Type, t), name(to, t))
}

func assign(n *Assign, t Target) (Value, error) {
	to, err := Eval(n.To, t)
	if err != nil {
		return to, err
	}
	if to.Place == nil {
		return to, fmt.Errorf("expected something that can be changed before %s", n.Op)
	}
	if s, ok := to.Place.(*swizzled); ok {
		for i, k := range s.at {
			if slices.Contains(s.at[:i], k) {
				return to, fmt.Errorf("a component is there twice: it cannot be assigned to")
			}
		}
	}
	var out Value
	if op := strings.TrimSuffix(n.Op, "="); op != "" {
		old, err := to.Load()
		if err != nil {
			return to, err
		}
		v, err := read(n.Value, t)
		if err != nil {
			return v, err
		}
		v, err = n.op.apply(t, func(types []*spirv.Type) (operation, error) { return infix(op, types[0], types[1], t) },
			Value{Type: to.Type, Bits: slices.Clone(old), Len: to.Len}, v)
		if err != nil {
			return v, err
		}
		out.Type = to.Type
		if out.Bits, err = become(to.Type, v, t); err != nil {
			return v, err
		}
	} else if out, err = readConverted(to.Type, n.Value, t); err != nil {
		return out, err
	}
	out.Bits = slices.Clone(out.Bits)
	if s, ok := to.Place.(*swizzled); ok {
		for i, k := range s.at {
			part, err := s.of.Child(k)
			if err == nil {
				err = t.Write(part, out.Bits[i:i+1])
			}
			if err != nil {
				return out, err
			}
		}
		return out, nil
	}
	return out, t.Write(to, out.Bits)
}
