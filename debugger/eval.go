package debugger

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ampdbg/spirv"
	"ampdbg/tilemem"
)

// evaluator computes expressions at threads of a target.
type evaluator struct {
	t *target
	// write is asked before memory or a register is changed; nil forbids it.
	write func(o *operand) error
}

// eval computes an expression. The result may still be a place that is read
// when its bits are needed.
func (e *evaluator) eval(n *node, th *thread) (operand, error) {
	switch n.kind {
	case literalNode:
		return n.lit, nil
	case nameNode:
		if n.hit.t != e.t || n.hit.pc != th.pc || n.hit.scope != th.scope || n.hit.outer != th.outer || n.hit.get == nil {
			get, err := e.t.lookup(n.text, th)
			if err != nil {
				return operand{}, err
			}
			n.hit = resolved{e.t, th.pc, th.scope, th.outer, get}
		}
		return n.hit.get(th)
	case memberNode:
		o, err := e.eval(n.kids[0], th)
		if err != nil {
			return o, err
		}
		return e.member(o, n.text, th)
	case indexNode:
		return e.index(n, th)
	case sliceNode:
		return e.slice(n, th)
	case callNode:
		return e.call(n, th)
	case castNode:
		v, err := e.value(n.kids[0], th)
		if err != nil {
			return v, err
		}
		return construct(namedTypes[n.text], []operand{v})
	case unaryNode:
		return e.unary(n, th)
	case binaryNode:
		return e.binary(n, th)
	case chooseNode:
		yes, err := e.truth(n.kids[0], th)
		if err != nil {
			return operand{}, err
		}
		if yes {
			return e.eval(n.kids[1], th)
		}
		return e.eval(n.kids[2], th)
	}
	return e.assign(n, th)
}

// value computes an expression and reads its bits.
func (e *evaluator) value(n *node, th *thread) (operand, error) {
	o, err := e.eval(n, th)
	if err != nil || o.at == nil {
		return o, err
	}
	bits, err := o.load(th)
	return operand{t: o.t, bits: bits, n: o.n}, err
}

// truth computes a condition.
func (e *evaluator) truth(n *node, th *thread) (bool, error) {
	v, err := e.value(n, th)
	if err != nil {
		return false, err
	}
	if !v.t.IsScalar() {
		return false, fmt.Errorf("expected a condition, found a value of type %s", typeName(e.t.u, v.t))
	}
	return convert(boolType, v.t, v.bits[0]) != 0, nil
}

func (e *evaluator) member(o operand, name string, th *thread) (operand, error) {
	for o.t.Kind == spirv.Pointer {
		var err error
		if o, err = e.follow(o, th); err != nil {
			return o, err
		}
	}
	switch o.t.Kind {
	case spirv.Struct:
		for i := range o.t.Members {
			if o.t.Members[i].Name == name {
				return o.child(i)
			}
		}
		var names []string
		for i := range o.t.Members {
			names = append(names, o.t.Members[i].Name)
		}
		return o, fmt.Errorf("no member %s; members are %s", name, strings.Join(names, ", "))
	case spirv.Vector:
		return e.swizzle(o, name, th)
	}
	if o.isTexel() && (name == "x" || name == "r") {
		return o, nil // the only component of the image's format
	}
	return o, fmt.Errorf("no member %s in a value of type %s", name, typeName(e.t.u, o.t))
}

func (e *evaluator) swizzle(o operand, name string, th *thread) (operand, error) {
	var at []int
	for _, letters := range []string{"xyzw", "rgba", "stpq"} {
		at = at[:0]
		for _, c := range name {
			if i := strings.IndexRune(letters, c); i >= 0 && i < o.t.Len {
				at = append(at, i)
			}
		}
		if len(at) == len(name) && len(at) <= 4 {
			break
		}
	}
	if len(at) != len(name) || len(at) > 4 || len(at) == 0 {
		return o, fmt.Errorf("no component %s in a vector of %d", name, o.t.Len)
	}
	if len(at) == 1 {
		return o.child(at[0])
	}
	bits, err := o.load(th)
	if err != nil {
		return o, err
	}
	out := operand{t: vectorOf(o.t.Elem, len(at))}
	for _, i := range at {
		out.bits = append(out.bits, bits[i])
	}
	return out, nil
}

func (e *evaluator) index(n *node, th *thread) (operand, error) {
	o, err := e.eval(n.kids[0], th)
	if err != nil {
		return o, err
	}
	if o.at == nil || o.at.views == nil {
		if im, err := e.t.asImage(o, th); err == nil {
			coord, err := e.integers(n.kids[1:], th)
			if err != nil {
				return o, err
			}
			x := im.at.texels
			return im.texel(coord, 0, 0, x.im.Format.TexelSize*x.im.Samples, x.stored())
		}
	}
	if len(n.kids) > 2 {
		return o, fmt.Errorf("%d indexes of a value of type %s; texels of images have several", len(n.kids)-1, typeName(e.t.u, o.t))
	}
	i, err := e.integer(n.kids[1], th)
	if err != nil {
		return o, err
	}
	if o.t.Kind == spirv.Struct && (o.at == nil || o.at.views == nil) {
		// The only run-time array of a block may be left out.
		if len(o.t.Members) == 1 {
			if o, err = o.child(0); err != nil {
				return o, err
			}
		}
	}
	descriptors := o.at != nil && o.at.views != nil
	if !descriptors && (!o.t.IsComposite() || o.t.Kind == spirv.Struct) {
		return o, fmt.Errorf("no elements in a value of type %s", typeName(e.t.u, o.t))
	}
	if int64(int(i)) != i || i < 0 || i > math.MaxInt32 {
		return o, fmt.Errorf("index %d is outside", i)
	}
	return o.child(int(i))
}

// integer computes an expression that must be an integer.
func (e *evaluator) integer(n *node, th *thread) (int64, error) {
	v, err := e.value(n, th)
	if err != nil {
		return 0, err
	}
	if v.t.Kind != spirv.Int && v.t.Kind != spirv.Bool {
		return 0, fmt.Errorf("expected an integer, found a value of type %s", typeName(e.t.u, v.t))
	}
	return asInt(v.t, v.bits[0]), nil
}

// slice makes an array of the elements that follow one.
func (e *evaluator) slice(n *node, th *thread) (operand, error) {
	o, err := e.eval(n.kids[0], th)
	if err != nil {
		return o, err
	}
	count, err := e.integer(n.kids[1], th)
	if err != nil {
		return o, err
	}
	if o.at == nil || o.at.rows != nil || n.kids[0].kind != indexNode {
		return o, fmt.Errorf("expected an element of an array in memory before @")
	}
	whole, err := e.eval(n.kids[0].kids[0], th)
	if err != nil {
		return o, err
	}
	if whole.t.Kind == spirv.Struct && len(whole.t.Members) == 1 {
		if whole, err = whole.child(0); err != nil {
			return o, err
		}
	}
	stride := whole.t.ArrayStride
	if whole.t.ID != 0 && whole.at != nil {
		stride = whole.t.Stride(whole.at.layout)
	}
	if count < 1 || count > maxRead {
		return o, fmt.Errorf("expected 1 to %d elements, found %d", maxRead, count)
	}
	o.t = &spirv.Type{Kind: spirv.Array, Elem: o.t, Len: int(count), ArrayStride: stride}
	return o, nil
}

// follow reads what a pointer value leads to.
func (e *evaluator) follow(o operand, th *thread) (operand, error) {
	if o.t.Kind != spirv.Pointer {
		return o, fmt.Errorf("expected a pointer, found a value of type %s", typeName(e.t.u, o.t))
	}
	bits, err := o.load(th)
	if err != nil {
		return o, err
	}
	return e.t.deref(bits[0], 0, o.t.Elem, spirv.LayoutOf(o.t), th)
}

func (e *evaluator) unary(n *node, th *thread) (operand, error) {
	if n.text == "*" {
		o, err := e.eval(n.kids[0], th)
		if err != nil {
			return o, err
		}
		return e.follow(o, th)
	}
	if n.text == "&" {
		o, err := e.eval(n.kids[0], th)
		switch {
		case err != nil:
			return o, err
		case o.at == nil || o.at.rows != nil || o.at.views != nil || o.at.texels != nil:
			return o, fmt.Errorf("this value has no address")
		}
		if o.at.view == noView {
			return o, fmt.Errorf("no address: the dispatch does not use this memory under that name")
		}
		return literal(uint64Type, tilemem.Point(o.at.view, o.at.off)), nil
	}
	v, err := e.value(n.kids[0], th)
	if err != nil {
		return v, err
	}
	c := component(v.t)
	if c == nil {
		return v, fmt.Errorf("no %s of a value of type %s", n.text, typeName(e.t.u, v.t))
	}
	if n.text == "!" {
		c = boolType
	} else if c.Kind == spirv.Bool {
		c = intType
	}
	out := operand{t: vectorOf(c, width(v.t)), bits: make([]uint64, len(v.bits))}
	for i, b := range v.bits {
		x := convert(c, component(v.t), b)
		switch {
		case n.text == "!":
			x ^= 1
		case n.text == "~" && c.Kind == spirv.Float:
			return v, fmt.Errorf("no ~ of a floating-point value")
		case n.text == "~":
			x = convert(c, uint64Type, ^x)
		case n.text == "-" && c.Kind == spirv.Float:
			x = fromFloat(c, -asFloat(c, x))
		case n.text == "-":
			x = convert(c, int64Type, -x)
		}
		out.bits[i] = x
	}
	return out, nil
}

// common is the type that both operands of an arithmetic operator become.
func common(a, b *spirv.Type) *spirv.Type {
	rank := func(t *spirv.Type) int {
		switch {
		case t.Kind == spirv.Float:
			return 100 + t.Width
		case t.Kind == spirv.Int && t.Width >= 32 && t.Signed:
			return t.Width
		case t.Kind == spirv.Int && t.Width >= 32:
			return t.Width + 1
		}
		return 0
	}
	best := a
	if rank(b) > rank(a) {
		best = b
	}
	if rank(best) == 0 {
		return intType
	}
	return best
}

var comparisons = map[string]bool{"==": true, "!=": true, "<": true, ">": true, "<=": true, ">=": true}

func (e *evaluator) binary(n *node, th *thread) (operand, error) {
	switch n.text {
	case "&&", "||", "^^":
		a, err := e.truth(n.kids[0], th)
		if err != nil {
			return operand{}, err
		}
		if a && n.text == "||" || !a && n.text == "&&" {
			return literal(boolType, bit(a)), nil
		}
		b, err := e.truth(n.kids[1], th)
		if n.text == "^^" {
			b = a != b
		}
		return literal(boolType, bit(b)), err
	}
	a, err := e.value(n.kids[0], th)
	if err != nil {
		return a, err
	}
	b, err := e.value(n.kids[1], th)
	if err != nil {
		return b, err
	}
	return e.apply(n.text, a, b)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// apply computes a binary operator of two loaded values, by component.
func (e *evaluator) apply(op string, a, b operand) (operand, error) {
	if op == "*" && (a.t.Kind == spirv.Matrix || b.t.Kind == spirv.Matrix) {
		return e.multiply(a, b)
	}
	ca, cb := component(a.t), component(b.t)
	if ca == nil || cb == nil {
		if (op == "==" || op == "!=") && a.t == b.t {
			return literal(boolType, bit(slices.Equal(a.bits, b.bits) == (op == "=="))), nil
		}
		return a, fmt.Errorf("no %s of values of types %s and %s", op, typeName(e.t.u, a.t), typeName(e.t.u, b.t))
	}
	n := max(width(a.t), width(b.t))
	if width(a.t) != n && width(a.t) != 1 || width(b.t) != n && width(b.t) != 1 {
		return a, fmt.Errorf("no %s of vectors of %d and %d components", op, width(a.t), width(b.t))
	}
	c := common(ca, cb)
	if op == "<<" || op == ">>" {
		c = common(ca, ca)
	}
	result := c
	if comparisons[op] {
		result = boolType
	}
	out := operand{t: vectorOf(result, n), bits: make([]uint64, n)}
	if n == 1 {
		out.t = result
	}
	for i := range n {
		x, y := a.bits[min(i, len(a.bits)-1)], b.bits[min(i, len(b.bits)-1)]
		v, err := scalarOp(op, c, convert(c, ca, x), convert(c, cb, y))
		if err != nil {
			return out, err
		}
		out.bits[i] = v
	}
	if comparisons[op] && n > 1 && (op == "==" || op == "!=") {
		// GLSL compares vectors as a whole.
		all := true
		for _, v := range out.bits {
			all = all && v == bit(op == "==")
		}
		return literal(boolType, bit(all == (op == "=="))), nil
	}
	return out, nil
}

// scalarOp computes an operator on two scalars of one type.
func scalarOp(op string, t *spirv.Type, x, y uint64) (uint64, error) {
	if t.Kind == spirv.Float {
		a, b := asFloat(t, x), asFloat(t, y)
		switch op {
		case "+":
			return fromFloat(t, a+b), nil
		case "-":
			return fromFloat(t, a-b), nil
		case "*":
			return fromFloat(t, a*b), nil
		case "/":
			return fromFloat(t, a/b), nil
		case "==":
			return bit(a == b), nil
		case "!=":
			return bit(a != b), nil
		case "<":
			return bit(a < b), nil
		case ">":
			return bit(a > b), nil
		case "<=":
			return bit(a <= b), nil
		case ">=":
			return bit(a >= b), nil
		}
		return 0, fmt.Errorf("no %s of floating-point values", op)
	}
	keep := ^uint64(0) >> (64 - uint(t.Width))
	a, b := asInt(t, x), asInt(t, y)
	less := x < y
	if t.Signed {
		less = a < b
	}
	switch op {
	case "+":
		return (x + y) & keep, nil
	case "-":
		return (x - y) & keep, nil
	case "*":
		return (x * y) & keep, nil
	case "/", "%":
		if y == 0 {
			return 0, fmt.Errorf("division by zero")
		}
		switch {
		case t.Signed && b == -1 && op == "/":
			return uint64(-a) & keep, nil
		case t.Signed && b == -1:
			return 0, nil
		case t.Signed && op == "/":
			return uint64(a/b) & keep, nil
		case t.Signed:
			return uint64(a%b) & keep, nil
		case op == "/":
			return x / y, nil
		}
		return x % y, nil
	case "&":
		return x & y, nil
	case "|":
		return x | y, nil
	case "^":
		return x ^ y, nil
	case "<<":
		return x << y & keep, nil
	case ">>":
		if t.Signed {
			return uint64(a>>min(y, 63)) & keep, nil
		}
		return x >> y, nil
	case "==":
		return bit(x == y), nil
	case "!=":
		return bit(x != y), nil
	case "<":
		return bit(less), nil
	case ">":
		return bit(!less && x != y), nil
	case "<=":
		return bit(less || x == y), nil
	case ">=":
		return bit(!less), nil
	}
	return 0, fmt.Errorf("unknown operator %s", op)
}

// multiply is the linear-algebraic product of a matrix and a matrix, vector or
// scalar.
func (e *evaluator) multiply(a, b operand) (operand, error) {
	bad := fmt.Errorf("no product of %s and %s", typeName(e.t.u, a.t), typeName(e.t.u, b.t))
	if a.t.IsScalar() || b.t.IsScalar() {
		m, s := a, b
		if a.t.IsScalar() {
			m, s = b, a
		}
		f := m.t.Elem.Elem
		out := operand{t: m.t, bits: make([]uint64, len(m.bits))}
		for i, v := range m.bits {
			out.bits[i] = fromFloat(f, asFloat(f, v)*asFloat(s.t, s.bits[0]))
		}
		return out, nil
	}
	// A vector is a matrix of one column on the right, of one row on the left.
	shape := func(o operand, left bool) (columns, rows int, elem *spirv.Type) {
		switch {
		case o.t.Kind == spirv.Matrix:
			return o.t.Len, o.t.Elem.Len, o.t.Elem.Elem
		case left:
			return o.t.Len, 1, o.t.Elem
		}
		return 1, o.t.Len, o.t.Elem
	}
	if a.t.Kind != spirv.Matrix && a.t.Kind != spirv.Vector || b.t.Kind != spirv.Matrix && b.t.Kind != spirv.Vector {
		return a, bad
	}
	n, rows, f := shape(a, true)
	columns, m, g := shape(b, false)
	if n != m || component(f) == nil || component(g) == nil || f.Kind != spirv.Float {
		return a, bad
	}
	out := operand{bits: make([]uint64, columns*rows)}
	for c := range columns {
		for r := range rows {
			sum := 0.0
			for k := range n {
				sum += asFloat(f, a.bits[k*rows+r]) * asFloat(g, b.bits[c*n+k])
			}
			out.bits[c*rows+r] = fromFloat(f, sum)
		}
	}
	switch {
	case columns == 1:
		out.t = vectorOf(f, rows)
	case rows == 1:
		out.t = vectorOf(f, columns)
	default:
		out.t = &spirv.Type{Kind: spirv.Matrix, Elem: vectorOf(f, rows), Len: columns}
	}
	return out, nil
}

// construct makes a scalar or vector of a type out of the scalars of its
// arguments, as GLSL's constructors do.
func construct(t *spirv.Type, args []operand) (operand, error) {
	c := component(t)
	n := width(t)
	out := operand{t: t}
	for _, a := range args {
		from := component(a.t)
		if from == nil && a.t.Kind == spirv.Pointer {
			from = uint64Type
		}
		if from == nil {
			return a, fmt.Errorf("a constructor takes scalars and vectors")
		}
		for _, b := range a.bits {
			out.bits = append(out.bits, convert(c, from, b))
		}
	}
	if len(out.bits) == 1 {
		for len(out.bits) < n {
			out.bits = append(out.bits, out.bits[0])
		}
	}
	if len(out.bits) < n || len(args) > 1 && n == 1 {
		return out, fmt.Errorf("a constructor of %d components with %d", n, len(out.bits))
	}
	out.bits = out.bits[:n:n]
	return out, nil
}

// functions are those that expressions may call, by component.
var functions = map[string]func(c *spirv.Type, args []uint64) uint64{
	"abs": func(c *spirv.Type, a []uint64) uint64 {
		if c.Kind == spirv.Float {
			return fromFloat(c, math.Abs(asFloat(c, a[0])))
		}
		if asInt(c, a[0]) < 0 && c.Signed {
			return convert(c, int64Type, uint64(-asInt(c, a[0])))
		}
		return a[0]
	},
	"min": func(c *spirv.Type, a []uint64) uint64 { return pick(c, a[0], a[1], "<") },
	"max": func(c *spirv.Type, a []uint64) uint64 { return pick(c, a[0], a[1], ">") },
	"clamp": func(c *spirv.Type, a []uint64) uint64 {
		return pick(c, pick(c, a[0], a[1], ">"), a[2], "<")
	},
	"sqrt":  realFunction(math.Sqrt),
	"floor": realFunction(math.Floor),
	"ceil":  realFunction(math.Ceil),
	"exp":   realFunction(math.Exp),
	"log":   realFunction(math.Log),
	"sin":   realFunction(math.Sin),
	"cos":   realFunction(math.Cos),
	"isnan": func(c *spirv.Type, a []uint64) uint64 {
		return bit(c.Kind == spirv.Float && math.IsNaN(asFloat(c, a[0])))
	},
	"isinf": func(c *spirv.Type, a []uint64) uint64 {
		return bit(c.Kind == spirv.Float && math.IsInf(asFloat(c, a[0]), 0))
	},
}

var arity = map[string]int{"min": 2, "max": 2, "clamp": 3}

func pick(c *spirv.Type, a, b uint64, op string) uint64 {
	if v, _ := scalarOp(op, c, a, b); v != 0 {
		return a
	}
	return b
}

func realFunction(f func(float64) float64) func(*spirv.Type, []uint64) uint64 {
	return func(c *spirv.Type, a []uint64) uint64 { return fromFloat(c, f(asFloat(c, a[0]))) }
}

func (e *evaluator) call(n *node, th *thread) (operand, error) {
	if imageFunctions[n.text] > 0 {
		return e.imageCall(n, th)
	}
	args := make([]operand, len(n.kids))
	for i, k := range n.kids {
		v, err := e.value(k, th)
		if err != nil {
			return v, err
		}
		args[i] = v
	}
	if t := namedTypes[n.text]; t != nil {
		return construct(t, args)
	}
	switch n.text {
	case "length", "dot":
		if n.text == "length" && len(args) == 1 && (args[0].t.Kind == spirv.Array || args[0].t.Kind == spirv.RuntimeArray) {
			return literal(intType, uint64(max(args[0].n, args[0].t.Len))), nil
		}
		if n.text == "length" && len(args) == 1 {
			args = append(args, args[0])
		}
		if len(args) == 2 && component(args[0].t) != nil && component(args[1].t) != nil && len(args[0].bits) == len(args[1].bits) {
			sum := 0.0
			for i := range args[0].bits {
				sum += asFloat(component(args[0].t), args[0].bits[i]) * asFloat(component(args[1].t), args[1].bits[i])
			}
			if n.text == "length" {
				sum = math.Sqrt(sum)
			}
			return literal(floatType, fromFloat(floatType, sum)), nil
		}
		return operand{}, fmt.Errorf("%s takes vectors", n.text)
	}
	f := functions[n.text]
	if f == nil {
		return operand{}, fmt.Errorf("no function %s to call in an expression", n.text)
	}
	if len(args) != max(arity[n.text], 1) {
		return operand{}, fmt.Errorf("%s takes %d arguments, found %d", n.text, max(arity[n.text], 1), len(args))
	}
	size := 1
	var c *spirv.Type
	for _, a := range args {
		ca := component(a.t)
		if ca == nil {
			return a, fmt.Errorf("%s takes scalars and vectors", n.text)
		}
		size = max(size, width(a.t))
		if c == nil {
			c = ca
		}
		c = common(c, ca)
	}
	if _, real := map[string]bool{"sqrt": true, "floor": true, "ceil": true, "exp": true, "log": true, "sin": true, "cos": true}[n.text]; real && c.Kind != spirv.Float {
		c = floatType
	}
	result := c
	if strings.HasPrefix(n.text, "is") {
		result = boolType
	}
	out := operand{t: vectorOf(result, size)}
	row := make([]uint64, len(args))
	for i := range size {
		for k, a := range args {
			row[k] = convert(c, component(a.t), a.bits[min(i, len(a.bits)-1)])
		}
		out.bits = append(out.bits, f(c, row))
	}
	return out, nil
}

func (e *evaluator) assign(n *node, th *thread) (operand, error) {
	if e.write == nil {
		return operand{}, fmt.Errorf("an assignment is not possible here; use set")
	}
	to, err := e.eval(n.kids[0], th)
	if err != nil {
		return to, err
	}
	if to.at == nil || to.at.views != nil {
		return to, fmt.Errorf("expected something that can be changed before %s", n.text)
	}
	v, err := e.value(n.kids[1], th)
	if err != nil {
		return v, err
	}
	if op := strings.TrimSuffix(n.text, "="); op != "" {
		old, err := e.value(n.kids[0], th)
		if err != nil {
			return old, err
		}
		if v, err = e.apply(op, operand{t: old.t, bits: slices.Clone(old.bits)}, v); err != nil {
			return v, err
		}
	}
	if c := component(to.t); c != nil {
		if v, err = construct(vectorOf(c, width(to.t)), []operand{v}); err != nil {
			return v, err
		}
	} else if v.t != to.t {
		return to, fmt.Errorf("cannot assign a value of type %s to one of type %s", typeName(e.t.u, v.t), typeName(e.t.u, to.t))
	}
	if err := e.write(&to); err != nil {
		return to, err
	}
	return operand{t: to.t, bits: v.bits}, to.store(th, v.bits)
}
