package spirv

import (
	"fmt"
	"maps"
	"slices"
)

// typing holds the instructions of function bodies to the types that
// SPIR-V asks of their operands and results (section 3.3): what lowering relies
// on, since it counts registers by types. Instructions without a rule are left
// to what runs the module.
type typing struct {
	v   *validator
	at  int
	in  *Inst
	typ *Type   // of the result, nil if none
	arg []*Type // by word of in.Args: type of the value, nil where it is none
}

// checkOperands checks all instructions of the blocks that can be reached.
func (v *validator) checkOperands() {
	c := &typing{v: v}
	for _, f := range v.Functions {
		for _, b := range f.Blocks {
			for i := b.First; b.Reachable && i <= b.Last; i++ {
				if rule := operandRules[v.Insts[i].Op]; rule != nil {
					c.begin(i)
					rule(c)
				}
			}
		}
	}
}

// OperandRules lists the instructions whose operands Validate knows rules for,
// by opcode. Control flow is not among them: Resolve checks it.
func OperandRules() []Opcode { return slices.Sorted(maps.Keys(operandRules)) }

// begin takes up instruction i.
func (c *typing) begin(i int) {
	c.at, c.in = i, &c.v.Insts[i]
	in := c.in
	c.typ = c.v.Type(in.Type)
	c.want(in.Type == 0 || c.typ != nil, "%s is not a type", c.v.IDName(in.Type))
	c.arg = make([]*Type, len(in.Args))
	ops, err := c.v.Operands(in)
	if err != nil {
		c.fail("%v", err)
	}
	for _, o := range ops {
		if o.Kind.IsID() {
			c.arg[o.At] = c.v.TypeOf(ID(o.Words[0]))
		}
	}
}

func (c *typing) fail(format string, args ...any) {
	panic(bailout{c.v.errorAt(c.at, format, args...)})
}

// want fails unless ok.
func (c *typing) want(ok bool, format string, args ...any) {
	if !ok {
		c.fail(format, args...)
	}
}

// value is the type of operand k, which must be a value.
func (c *typing) value(k int) *Type {
	c.want(k < len(c.arg), "%d operands are too few", len(c.arg))
	t := c.arg[k]
	c.want(t != nil && t.Kind != Void && t.Kind != FunctionType, "operand %d is not a value", k+1)
	return t
}

// pointee is what operand k, which must be a pointer, points to.
func (c *typing) pointee(k int) *Type {
	t := c.value(k)
	c.want(t.Kind == Pointer && t.Elem != nil, "operand %d is %s, expected a pointer", k+1, t)
	return t.Elem
}

// is fails unless operand k has type t.
func (c *typing) is(k int, t *Type) {
	got := c.value(k)
	c.want(got == t || got.Same(t), "operand %d is %s, expected %s", k+1, got, t)
}

// isResult fails unless the result has type t.
func (c *typing) isResult(t *Type) {
	c.want(c.typ == t || c.typ != nil && c.typ.Same(t), "result is %s, expected %s", c.typ, t)
}

// shape is a scalar or vector type: kind and width of the components and how
// many there are. The signedness of integers is left out: instructions decide.
type shape struct {
	kind  TypeKind
	width int
	n     int
}

func (s shape) String() string {
	name := map[TypeKind]string{Bool: "bool", Int: "int", Float: "float"}[s.kind]
	if s.width > 0 {
		name += fmt.Sprint(s.width)
	}
	if s.n > 1 {
		return fmt.Sprintf("vec%d<%s>", s.n, name)
	}
	return name
}

func shapeOf(t *Type) (shape, bool) {
	n := 1
	if t != nil && t.Kind == Vector {
		n, t = t.Len, t.Elem
	}
	if t == nil || !t.IsScalar() {
		return shape{}, false
	}
	return shape{t.Kind, t.Width, n}, true
}

// numbers is the shape of operand k, whose components must be of one of the
// kinds.
func (c *typing) numbers(k int, kinds ...TypeKind) shape {
	s, ok := shapeOf(c.value(k))
	c.want(ok && slices.Contains(kinds, s.kind), "operand %d is %s", k+1, c.arg[k])
	return s
}

// result is the shape of the result likewise.
func (c *typing) result(kinds ...TypeKind) shape {
	s, ok := shapeOf(c.typ)
	c.want(ok && slices.Contains(kinds, s.kind), "result is %s", c.typ)
	return s
}

// shaped fails unless operand k has the shape.
func (c *typing) shaped(k int, s shape) {
	got, ok := shapeOf(c.value(k))
	c.want(ok && got == s, "operand %d is %s, expected %s", k+1, c.arg[k], s)
}

// integer fails unless operand k is an integer scalar.
func (c *typing) integer(k int) {
	s := c.numbers(k, Int)
	c.want(s.n == 1, "operand %d is %s, expected an integer scalar", k+1, c.arg[k])
}

// count fails unless the instruction has n operand words.
func (c *typing) count(n int) {
	c.want(len(c.in.Args) == n, "%d operands, expected %d", len(c.in.Args), n)
}

// componentwise is the rule of instructions whose result and operands have
// one shape, of components of the kind.
func componentwise(n int, kind TypeKind) func(*typing) {
	return func(c *typing) {
		c.count(n)
		s := c.result(kind)
		for k := range n {
			c.shaped(k, s)
		}
	}
}

// comparison is the rule of instructions that make bools of n operands of one
// shape.
func comparison(n int, kind TypeKind) func(*typing) {
	return func(c *typing) {
		c.count(n)
		s := c.numbers(0, kind)
		for k := range n {
			c.shaped(k, s)
		}
		c.want(c.result(Bool).n == s.n, "result is %s, operands are %s", c.typ, s)
	}
}

// conversion is the rule of conversions between numbers.
func conversion(to, from TypeKind) func(*typing) {
	return func(c *typing) {
		c.count(1)
		c.want(c.result(to).n == c.numbers(0, from).n, "result is %s, operand %s", c.typ, c.arg[0])
	}
}

var (
	twoInts   = componentwise(2, Int)
	oneInt    = componentwise(1, Int)
	twoFloats = componentwise(2, Float)
	oneFloat  = componentwise(1, Float)
	twoBools  = componentwise(2, Bool)

	intComparison   = comparison(2, Int)
	floatComparison = comparison(2, Float)
	floatTest       = comparison(1, Float)
)
