package emu

import (
	"fmt"
	"slices"

	"ampdbg/diag"
	"ampdbg/lower"
	"ampdbg/spirv"
)

// checker holds the instructions of function bodies to the types that SPIR-V
// asks of their operands and results (section 3.3): what the lowering relies
// on, since it counts rows by types and the interpreter trusts the rows.
// Instructions that the lowering does not know are left to it.
type checker struct {
	u   *spirv.Unit
	at  int
	in  *spirv.Inst
	typ *spirv.Type   // of the result, nil if none
	arg []*spirv.Type // by word of in.Args: type of the value, nil where it is none
}

// checkTypes checks all instructions of the blocks that can be reached.
func checkTypes(u *spirv.Unit) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case stop:
			err = e.err
		default:
			panic(e)
		}
	}()
	c := &checker{u: u}
	for _, f := range u.Functions {
		for _, b := range f.Blocks {
			for i := b.First; b.Reachable && i <= b.Last; i++ {
				c.check(i)
			}
		}
	}
	return nil
}

// stop is the panic that carries an error out of the checks.
type stop struct{ err error }

func (c *checker) fail(format string, args ...any) {
	panic(stop{c.errorf(diag.BadInput, format, args...)})
}

// errorf is an error at the instruction that is being checked.
func (c *checker) errorf(class diag.ErrorClass, format string, args ...any) error {
	pos, what := c.u.Locate(c.at)
	return &diag.Error{Class: class, Pos: pos, Msg: what + ": " + fmt.Sprintf(format, args...)}
}

// want fails unless ok.
func (c *checker) want(ok bool, format string, args ...any) {
	if !ok {
		c.fail(format, args...)
	}
}

// check checks instruction i.
func (c *checker) check(i int) {
	c.at, c.in = i, &c.u.Insts[i]
	in := c.in
	rule, known := rules[in.Op]
	switch {
	case lower.IsAtomic(in.Op):
		rule, known = (*checker).atomic, true
	case lower.IsGroup(in.Op) || in.Op >= spirv.OpGroupNonUniformElect && in.Op <= spirv.OpGroupNonUniformQuadSwap || in.Op == spirv.OpGroupNonUniformRotateKHR:
		rule, known = (*checker).group, true
	}
	if !known {
		return
	}
	c.typ = c.u.Type(in.Type)
	c.want(in.Type == 0 || c.typ != nil, "%s is not a type", c.u.IDName(in.Type))
	c.arg = make([]*spirv.Type, len(in.Args))
	ops, err := c.u.Operands(in)
	if err != nil {
		c.fail("%v", err)
	}
	for _, o := range ops {
		if o.Kind.IsID() {
			c.arg[o.At] = c.u.TypeOf(spirv.ID(o.Words[0]))
		}
	}
	rule(c)
}

// value is the type of operand k, which must be a value.
func (c *checker) value(k int) *spirv.Type {
	c.want(k < len(c.arg), "%d operands are too few", len(c.arg))
	t := c.arg[k]
	c.want(t != nil && t.Kind != spirv.Void && t.Kind != spirv.FunctionType, "operand %d is not a value", k+1)
	return t
}

// pointee is what operand k, which must be a pointer, points to.
func (c *checker) pointee(k int) *spirv.Type {
	t := c.value(k)
	c.want(t.Kind == spirv.Pointer && t.Elem != nil, "operand %d is %s, expected a pointer", k+1, t)
	return t.Elem
}

// is fails unless operand k has type t.
func (c *checker) is(k int, t *spirv.Type) {
	got := c.value(k)
	c.want(got == t || got.Same(t), "operand %d is %s, expected %s", k+1, got, t)
}

// isResult fails unless the result has type t.
func (c *checker) isResult(t *spirv.Type) {
	c.want(c.typ == t || c.typ != nil && c.typ.Same(t), "result is %s, expected %s", c.typ, t)
}

// shape is a scalar or vector type: kind and width of the components and how
// many there are. The signedness of integers is left out: instructions decide.
type shape struct {
	kind  spirv.TypeKind
	width int
	n     int
}

func (s shape) String() string {
	name := map[spirv.TypeKind]string{spirv.Bool: "bool", spirv.Int: "int", spirv.Float: "float"}[s.kind]
	if s.width > 0 {
		name += fmt.Sprint(s.width)
	}
	if s.n > 1 {
		return fmt.Sprintf("vec%d<%s>", s.n, name)
	}
	return name
}

func shapeOf(t *spirv.Type) (shape, bool) {
	n := 1
	if t != nil && t.Kind == spirv.Vector {
		n, t = t.Len, t.Elem
	}
	if t == nil || !t.IsScalar() {
		return shape{}, false
	}
	return shape{t.Kind, t.Width, n}, true
}

// numbers is the shape of operand k, whose components must be of one of the
// kinds.
func (c *checker) numbers(k int, kinds ...spirv.TypeKind) shape {
	s, ok := shapeOf(c.value(k))
	c.want(ok && slices.Contains(kinds, s.kind), "operand %d is %s", k+1, c.arg[k])
	return s
}

// result is the shape of the result likewise.
func (c *checker) result(kinds ...spirv.TypeKind) shape {
	s, ok := shapeOf(c.typ)
	c.want(ok && slices.Contains(kinds, s.kind), "result is %s", c.typ)
	return s
}

// shaped fails unless operand k has the shape.
func (c *checker) shaped(k int, s shape) {
	got, ok := shapeOf(c.value(k))
	c.want(ok && got == s, "operand %d is %s, expected %s", k+1, c.arg[k], s)
}

// integer fails unless operand k is an integer scalar.
func (c *checker) integer(k int) {
	s := c.numbers(k, spirv.Int)
	c.want(s.n == 1, "operand %d is %s, expected an integer scalar", k+1, c.arg[k])
}

// count fails unless the instruction has n operand words.
func (c *checker) count(n int) {
	c.want(len(c.in.Args) == n, "%d operands, expected %d", len(c.in.Args), n)
}

// componentwise is the rule of instructions whose result and operands have
// one shape, of components of the kind.
func componentwise(n int, kind spirv.TypeKind) func(*checker) {
	return func(c *checker) {
		c.count(n)
		s := c.result(kind)
		for k := range n {
			c.shaped(k, s)
		}
	}
}

// comparison is the rule of instructions that make bools of n operands of one
// shape.
func comparison(n int, kind spirv.TypeKind) func(*checker) {
	return func(c *checker) {
		c.count(n)
		s := c.numbers(0, kind)
		for k := range n {
			c.shaped(k, s)
		}
		c.want(c.result(spirv.Bool).n == s.n, "result is %s, operands are %s", c.typ, s)
	}
}

// conversion is the rule of conversions between numbers.
func conversion(to, from spirv.TypeKind) func(*checker) {
	return func(c *checker) {
		c.count(1)
		c.want(c.result(to).n == c.numbers(0, from).n, "result is %s, operand %s", c.typ, c.arg[0])
	}
}

var (
	twoInts   = componentwise(2, spirv.Int)
	oneInt    = componentwise(1, spirv.Int)
	twoFloats = componentwise(2, spirv.Float)
	oneFloat  = componentwise(1, spirv.Float)
	twoBools  = componentwise(2, spirv.Bool)

	intComparison   = comparison(2, spirv.Int)
	floatComparison = comparison(2, spirv.Float)
	floatTest       = comparison(1, spirv.Float)
)
