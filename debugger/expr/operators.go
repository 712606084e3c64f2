package expr

import (
	"fmt"

	"ampdbg/spirv"
	"ampdbg/warp/scalar"
)

// conversion is the instruction that converts a scalar to another type.
func conversion(to, from *spirv.Type, how *Arithmetic) (scalar.Func1, error) {
	if to == from {
		return func(a uint64) uint64 { return a }, nil
	}
	dst, src := kind(to), kind(from)
	op := spirv.OpNop
	switch {
	case to.Kind == spirv.Bool && from.Kind == spirv.Float:
		f, _ := scalar.Binary(spirv.OpFUnordNotEqual, src, how.mode(src))
		return func(a uint64) uint64 { return f(a, 0) }, nil
	case to.Kind == spirv.Bool:
		return func(a uint64) uint64 { return bit(a != 0) }, nil
	case from.Kind == spirv.Bool && to.Kind == spirv.Int:
		return func(a uint64) uint64 { return a }, nil
	case from.Kind == spirv.Bool:
		one := fromFloat(to, 1)
		return func(a uint64) uint64 { return a * one }, nil
	case to.Kind == spirv.Float && from.Kind == spirv.Float && dst.Width == src.Width:
		return func(a uint64) uint64 { return a }, nil
	case to.Kind == spirv.Float && from.Kind == spirv.Float:
		op = spirv.OpFConvert
	case to.Kind == spirv.Float && from.Signed:
		op = spirv.OpConvertSToF
	case to.Kind == spirv.Float:
		op = spirv.OpConvertUToF
	case from.Kind == spirv.Float && to.Signed:
		op = spirv.OpConvertFToS
	case from.Kind == spirv.Float:
		op = spirv.OpConvertFToU
	case from.Signed:
		op = spirv.OpSConvert
	default:
		op = spirv.OpUConvert
	}
	m := how.mode(dst)
	if !dst.Float {
		m = how.mode(src)
	}
	f, ok := scalar.Unary(op, dst, src, m)
	if !ok {
		return nil, fmt.Errorf("no conversion of %s to %s", from, to)
	}
	return f, nil
}

// common is the type that both operands of an arithmetic operator become: the
// wider floating-point type, else the wider integer, unsigned if either of two
// equally wide ones is. Truth values count as int.
func common(a, b *spirv.Type) *spirv.Type {
	rank := func(t *spirv.Type) int {
		switch {
		case t.Kind == spirv.Float:
			return 100 + t.Width
		case t.Kind == spirv.Int && t.Signed:
			return t.Width
		case t.Kind == spirv.Int:
			return t.Width + 1
		}
		return 0
	}
	best := a
	if rank(b) > rank(a) {
		best = b
	}
	if rank(best) == 0 {
		return Int
	}
	return best
}

// broadcast makes an operation on scalars one on scalars and vectors: each
// operand is converted to the type that it has for each component; scalars count
// for all components.
func broadcast(result *spirv.Type, types, to []*spirv.Type, how *Arithmetic, f func(in []uint64) (uint64, error)) (operation, error) {
	n := 1
	converts := make([]scalar.Func1, len(types))
	for i, t := range types {
		if w := width(t); w > 1 {
			if n > 1 && w != n {
				return operation{}, fmt.Errorf("vectors of %d and %d components", n, w)
			}
			n = w
		}
		if to[i] == Component(t) {
			continue
		}
		var err error
		if converts[i], err = conversion(to[i], Component(t), how); err != nil {
			return operation{}, err
		}
	}
	width := n
	return operation{result: VectorOf(result, n), run: func(in [][]uint64) ([]uint64, error) {
		var few [4]uint64
		row, out := few[:len(in)], make([]uint64, width)
		for i := range out {
			for k, v := range in {
				if row[k] = v[min(i, len(v)-1)]; converts[k] != nil {
					row[k] = converts[k](row[k])
				}
			}
			var err error
			if out[i], err = f(row); err != nil {
				return nil, err
			}
		}
		return out, nil
	}}, nil
}

// prefixed chooses the operation of - + ! ~.
func prefixed(op string, x *spirv.Type, t Target) (operation, error) {
	how := t.Arithmetic()
	if x.Kind == spirv.Matrix && op != "!" && op != "~" {
		f, err := prefixed(op, x.Elem.Elem, t)
		return eachScalar(x, f), err
	}
	c := Component(x)
	if c == nil {
		return operation{}, fmt.Errorf("no %s of a value of type %s", op, name(x, t))
	}
	if op == "!" {
		c = Bool
	} else if c.Kind == spirv.Bool {
		c = Int
	}
	code := map[string]spirv.Opcode{"-": spirv.OpSNegate, "~": spirv.OpNot, "!": spirv.OpLogicalNot}[op]
	if c.Kind == spirv.Float {
		switch op {
		case "~":
			return operation{}, fmt.Errorf("no ~ of a floating-point value")
		case "-":
			code = spirv.OpFNegate
		}
	}
	f := func(a uint64) uint64 { return a }
	if op != "+" {
		k := kind(c)
		g, ok := scalar.Unary(code, k, k, how.mode(k))
		if !ok {
			return operation{}, fmt.Errorf("no %s of a value of type %s", op, name(x, t))
		}
		f = g
	}
	return broadcast(c, []*spirv.Type{x}, []*spirv.Type{c}, how, func(in []uint64) (uint64, error) { return f(in[0]), nil })
}

// eachScalar does an operation on one scalar to all of a value.
func eachScalar(t *spirv.Type, f operation) operation {
	return operation{result: t, run: func(in [][]uint64) ([]uint64, error) {
		out := make([]uint64, len(in[0]))
		for i, b := range in[0] {
			v, err := f.run([][]uint64{{b}})
			if err != nil {
				return nil, err
			}
			out[i] = v[0]
		}
		return out, nil
	}}
}

// opcodes are the instructions of operators, on floating-point numbers, signed
// and unsigned integers.
var opcodes = map[string][3]spirv.Opcode{
	"+":  {spirv.OpFAdd, spirv.OpIAdd, spirv.OpIAdd},
	"-":  {spirv.OpFSub, spirv.OpISub, spirv.OpISub},
	"*":  {spirv.OpFMul, spirv.OpIMul, spirv.OpIMul},
	"/":  {spirv.OpFDiv, spirv.OpSDiv, spirv.OpUDiv},
	"%":  {0, spirv.OpSMod, spirv.OpUMod},
	"&":  {0, spirv.OpBitwiseAnd, spirv.OpBitwiseAnd},
	"|":  {0, spirv.OpBitwiseOr, spirv.OpBitwiseOr},
	"^":  {0, spirv.OpBitwiseXor, spirv.OpBitwiseXor},
	"<<": {0, spirv.OpShiftLeftLogical, spirv.OpShiftLeftLogical},
	">>": {0, spirv.OpShiftRightArithmetic, spirv.OpShiftRightLogical},
	"==": {spirv.OpFOrdEqual, spirv.OpIEqual, spirv.OpIEqual},
	"!=": {spirv.OpFUnordNotEqual, spirv.OpINotEqual, spirv.OpINotEqual},
	"<":  {spirv.OpFOrdLessThan, spirv.OpSLessThan, spirv.OpULessThan},
	">":  {spirv.OpFOrdGreaterThan, spirv.OpSGreaterThan, spirv.OpUGreaterThan},
	"<=": {spirv.OpFOrdLessThanEqual, spirv.OpSLessThanEqual, spirv.OpULessThanEqual},
	">=": {spirv.OpFOrdGreaterThanEqual, spirv.OpSGreaterThanEqual, spirv.OpUGreaterThanEqual},
}

var comparisons = map[string]bool{"==": true, "!=": true, "<": true, ">": true, "<=": true, ">=": true}

// instruction is the function of an operator on two scalars of a type; nil if
// there is none.
func instruction(op string, c *spirv.Type, how *Arithmetic) scalar.Func2 {
	list := opcodes[op]
	code := list[1]
	switch {
	case c.Kind == spirv.Float:
		code = list[0]
	case !c.Signed:
		code = list[2]
	case op == "%" && how.TruncatedRemainder:
		code = spirv.OpSRem
	}
	k := kind(c)
	f, ok := scalar.Binary(code, k, how.mode(k))
	if !ok {
		return nil
	}
	return f
}

// infix chooses the operation of a binary operator.
func infix(op string, x, y *spirv.Type, t Target) (operation, error) {
	how := t.Arithmetic()
	if op == "==" || op == "!=" {
		if f, ok := equality(x, y, how); ok {
			return operation{result: Bool, run: func(in [][]uint64) ([]uint64, error) {
				return []uint64{bit(f(in[0], in[1]) == (op == "=="))}, nil
			}}, nil
		}
	}
	if x.Kind == spirv.Matrix || y.Kind == spirv.Matrix {
		return matrices(op, x, y, t)
	}
	cx, cy := Component(x), Component(y)
	if x.Kind == spirv.Pointer && cy != nil || y.Kind == spirv.Pointer && cx != nil || x.Kind == spirv.Pointer && y.Kind == spirv.Pointer {
		if comparisons[op] {
			return infix(op, Uint64, Uint64, t)
		}
	}
	if cx == nil || cy == nil {
		return operation{}, fmt.Errorf("no %s of values of types %s and %s", op, name(x, t), name(y, t))
	}
	if a, b := width(x), width(y); a > 1 && b > 1 && a != b {
		return operation{}, fmt.Errorf("no %s of vectors of %d and %d components", op, a, b)
	}
	c := common(cx, cy)
	to := []*spirv.Type{c, c}
	if op == "<<" || op == ">>" {
		c = common(cx, cx)
		if to[0] = c; cy.Kind == spirv.Int {
			to[1] = cy
		} else {
			to[1] = c
		}
	}
	f := instruction(op, c, how)
	if f == nil || cy.Kind == spirv.Float && to[1].Kind != spirv.Float {
		return operation{}, fmt.Errorf("no %s of floating-point values", op)
	}
	result := c
	if comparisons[op] {
		result = Bool
	}
	divides := c.Kind == spirv.Int && (op == "/" || op == "%")
	two := func(a, b uint64) (uint64, error) {
		if divides && b == 0 {
			return 0, ValueErrorf("division by zero")
		}
		return f(a, b), nil
	}
	out, err := broadcast(result, []*spirv.Type{x, y}, to, how, func(in []uint64) (uint64, error) { return two(in[0], in[1]) })
	if err != nil || !x.IsScalar() || !y.IsScalar() {
		return out, err
	}
	left, err := conversion(to[0], cx, how)
	if err != nil {
		return out, err
	}
	right, err := conversion(to[1], cy, how)
	switch {
	case err != nil:
	case to[0] == cx && to[1] == cy:
		out.two = two
	default:
		out.two = func(a, b uint64) (uint64, error) { return two(left(a), right(b)) }
	}
	return out, err
}

// equality is the comparison of two values as a whole; ok is false if there is
// none.
func equality(x, y *spirv.Type, how *Arithmetic) (func(a, b []uint64) bool, bool) {
	cx, cy := Component(x), Component(y)
	switch {
	case cx != nil && cy != nil:
		if a, b := width(x), width(y); a != b && a > 1 && b > 1 {
			return nil, false
		}
		c := common(cx, cy)
		if cx.Kind == spirv.Bool && cy.Kind == spirv.Bool {
			return allEqual(func(a, b uint64) uint64 { return bit(a == b) }), true
		}
		f := instruction("==", c, how)
		left, err1 := conversion(c, cx, how)
		right, err2 := conversion(c, cy, how)
		return allEqual(func(a, b uint64) uint64 { return f(left(a), right(b)) }), err1 == nil && err2 == nil && f != nil
	case !same(x, y) || !x.IsComposite():
		return nil, false
	}
	// The parts one after the other.
	type part struct {
		first, n int
		equal    func(a, b []uint64) bool
	}
	var parts []part
	n := x.Len
	if x.Kind == spirv.Struct {
		n = len(x.Members)
	}
	for i := range n {
		a, b := x.Elem, y.Elem
		if x.Kind == spirv.Struct {
			a, b = x.Members[i].Type, y.Members[i].Type
		} else if i > 0 {
			p := parts[0]
			p.first = FirstScalar(x, i)
			parts = append(parts, p)
			continue
		}
		f, ok := equality(a, b, how)
		if !ok {
			return nil, false
		}
		parts = append(parts, part{FirstScalar(x, i), Scalars(a), f})
	}
	return func(a, b []uint64) bool {
		for _, p := range parts {
			if !p.equal(a[p.first:p.first+p.n], b[p.first:p.first+p.n]) {
				return false
			}
		}
		return true
	}, true
}

// allEqual compares component by component; a scalar with all of a vector.
func allEqual(f scalar.Func2) func(a, b []uint64) bool {
	return func(a, b []uint64) bool {
		for i := range max(len(a), len(b)) {
			if f(a[min(i, len(a)-1)], b[min(i, len(b)-1)]) == 0 {
				return false
			}
		}
		return true
	}
}

// matrices chooses the operation of an operator of which an operand is a matrix:
// the product of linear algebra, or one by component.
func matrices(op string, x, y *spirv.Type, t Target) (operation, error) {
	bad := fmt.Errorf("no %s of values of types %s and %s", op, name(x, t), name(y, t))
	if op == "*" {
		bad = fmt.Errorf("no product of %s and %s", name(x, t), name(y, t))
	}
	how := t.Arithmetic()
	cx, cy := x.Component(), y.Component()
	if cx == nil || cy == nil || op != "+" && op != "-" && op != "*" && op != "/" {
		return operation{}, bad
	}
	c := common(cx, cy)
	k := kind(c)
	left, err1 := conversion(c, cx, how)
	right, err2 := conversion(c, cy, how)
	f := instruction(op, c, how)
	if err1 != nil || err2 != nil || f == nil {
		return operation{}, bad
	}
	each := func(list []uint64, f scalar.Func1) []uint64 {
		out := make([]uint64, len(list))
		for i, v := range list {
			out[i] = f(v)
		}
		return out
	}
	both := func(g func(a, b []uint64) []uint64) func(in [][]uint64) ([]uint64, error) {
		return func(in [][]uint64) ([]uint64, error) { return g(each(in[0], left), each(in[1], right)), nil }
	}
	if op != "*" || x.IsScalar() || y.IsScalar() {
		m := x
		if x.Kind != spirv.Matrix {
			m = y
		}
		if x.Kind == spirv.Vector || y.Kind == spirv.Vector || x.Kind == y.Kind && (x.Len != y.Len || x.Elem.Len != y.Elem.Len) {
			return operation{}, bad
		}
		reciprocal := op == "/" && y.IsScalar()
		mul := instruction("*", c, how)
		one := fromFloat(c, 1)
		return operation{result: matrixOf(c, m.Len, m.Elem.Len), run: both(func(a, b []uint64) []uint64 {
			g := f
			if reciprocal {
				// GLSL's compilers multiply by the reciprocal.
				b, g = []uint64{f(one, b[0])}, mul
			}
			out := make([]uint64, max(len(a), len(b)))
			for i := range out {
				out[i] = g(a[min(i, len(a)-1)], b[min(i, len(b)-1)])
			}
			return out
		})}, nil
	}
	// A vector is a matrix of one column on the right, of one row on the left.
	shape := func(t *spirv.Type, left bool) (columns, rows int) {
		switch {
		case t.Kind == spirv.Matrix:
			return t.Len, t.Elem.Len
		case left:
			return t.Len, 1
		}
		return 1, t.Len
	}
	if x.Kind != spirv.Matrix && x.Kind != spirv.Vector || y.Kind != spirv.Matrix && y.Kind != spirv.Vector {
		return operation{}, bad
	}
	n, rows := shape(x, true)
	columns, m := shape(y, false)
	dot, ok := scalar.Dot(k, n, how.mode(k))
	if n != m || !ok {
		return operation{}, bad
	}
	result := matrixOf(c, columns, rows)
	switch {
	case columns == 1:
		result = VectorOf(c, rows)
	case rows == 1:
		result = VectorOf(c, columns)
	}
	return operation{result: result, run: both(func(a, b []uint64) []uint64 {
		out := make([]uint64, columns*rows)
		in := make([]uint64, 2*n)
		for col := range columns {
			for row := range rows {
				for k := range n {
					in[k], in[n+k] = a[k*rows+row], b[col*n+k]
				}
				out[col*rows+row] = dot(in)
			}
		}
		return out
	})}, nil
}

// construct chooses the operation of a constructor.
func construct(to *spirv.Type, args []*spirv.Type, t Target) (operation, error) {
	how := t.Arithmetic()
	if to.Kind == spirv.Struct {
		return constructStruct(to, args, t)
	}
	c := to.Component()
	if c == nil {
		return operation{}, fmt.Errorf("no constructor of %s", name(to, t))
	}
	n := Scalars(to)
	have := 0
	converts := make([]scalar.Func1, len(args))
	for i, a := range args {
		from := a.Component()
		if from == nil && a.Kind == spirv.Pointer {
			from = Uint64
		}
		if from == nil {
			return operation{}, fmt.Errorf("a constructor takes scalars, vectors and matrices, found %s", name(a, t))
		}
		if to.Kind == spirv.Matrix && a.Kind == spirv.Matrix && len(args) > 1 {
			return operation{}, fmt.Errorf("a matrix is made of one matrix, or of scalars and vectors")
		}
		if have >= n {
			return operation{}, fmt.Errorf("a constructor of %d components with more arguments than it needs", n)
		}
		have += max(1, Scalars(a))
		var err error
		if converts[i], err = conversion(c, from, how); err != nil {
			return operation{}, err
		}
	}
	gather := func(in [][]uint64) []uint64 {
		out := make([]uint64, 0, max(have, n))
		for i, list := range in {
			for _, v := range list {
				out = append(out, converts[i](v))
			}
		}
		return out
	}
	one := len(args) == 1
	switch {
	case one && to.Kind == spirv.Matrix && (args[0].IsScalar() || args[0].Kind == spirv.Matrix):
		// On the diagonal, or in a part of the unit matrix.
		diagonal := fromFloat(c, 1)
		from := args[0]
		return operation{result: to, run: func(in [][]uint64) ([]uint64, error) {
			list := gather(in)
			out := make([]uint64, n)
			for i := range to.Len {
				for k := range to.Elem.Len {
					at := &out[i*to.Elem.Len+k]
					switch {
					case from.Kind == spirv.Matrix && i < from.Len && k < from.Elem.Len:
						*at = list[i*from.Elem.Len+k]
					case i == k && from.Kind == spirv.Matrix:
						*at = diagonal
					case i == k:
						*at = list[0]
					}
				}
			}
			return out, nil
		}}, nil
	case one && have == 1 && to.Kind == spirv.Vector:
		return operation{result: to, run: func(in [][]uint64) ([]uint64, error) {
			out := gather(in)
			for len(out) < n {
				out = append(out, out[0])
			}
			return out, nil
		}}, nil
	case have < n:
		return operation{}, fmt.Errorf("a constructor of %d components with %d", n, have)
	}
	return operation{result: to, run: func(in [][]uint64) ([]uint64, error) { return gather(in)[:n:n], nil }}, nil
}

func constructStruct(to *spirv.Type, args []*spirv.Type, t Target) (operation, error) {
	if len(args) != len(to.Members) {
		return operation{}, fmt.Errorf("%s has %d members, found %d arguments", name(to, t), len(to.Members), len(args))
	}
	for i, a := range args {
		m := to.Members[i].Type
		if m.Kind == spirv.RuntimeArray {
			return operation{}, fmt.Errorf("%s has an array without a size", name(to, t))
		}
		if _, err := become(m, Value{Type: a, Bits: make([]uint64, Scalars(a))}, t); err != nil {
			return operation{}, fmt.Errorf("member %s: %w", to.Members[i].Name, err)
		}
	}
	return operation{result: to, run: func(in [][]uint64) ([]uint64, error) {
		var out []uint64
		for i, list := range in {
			bits, err := become(to.Members[i].Type, Value{Type: args[i], Bits: list}, t)
			if err != nil {
				return nil, err
			}
			out = append(out, bits...)
		}
		return out, nil
	}}, nil
}
