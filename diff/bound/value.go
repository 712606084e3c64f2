package bound

import "math"

// Value is what is known of the error of a scalar in a register. The zero
// Value is that of an exact one.
type Value struct {
	// Err bounds how far a legal machine's value may be from the emulator's;
	// infinite where nothing is known.
	Err float64
	// A sum of n terms, or (n = 1) a product, that a machine may compute in
	// another order, or not round: the sum of the terms' bounds, with what the
	// emulator has rounded, and of their magnitudes. n = 0 for other values.
	terms, mag float64
	n          int32
	// Why is 1 + the place of the operation by which Err became infinite, or
	// uncertain; 0 where it is neither.
	Why int32
	// Domain says of what Err is a bound: an integer may carry the bits of a
	// float, with its bound, from a bit cast to the next.
	Domain Domain
}

// Domain says of what a bound is one.
type Domain uint8

// The domains. An exact value has none.
const (
	None Domain = iota
	Float
	Integer
)

// Unbounded is the value that may be anything, because of the operation at a
// place.
func Unbounded(place int32) Value { return Value{Err: math.Inf(1), Why: place + 1} }

// Uncertain is a truth that may be the other one, because of the operation at
// a place.
func Uncertain(place int32) Value { return Value{Err: 1, Domain: Integer, Why: place + 1} }

// Of is a value of a domain with some bound.
func Of(e float64, d Domain, a ...Value) Value {
	v := Value{Err: e}
	if e > 0 {
		v.Domain = d
		v.Why = reason(a...)
	}
	return v
}

// reason is the first that a list of values has.
func reason(a ...Value) int32 {
	for i := range a {
		if a[i].Why != 0 {
			return a[i].Why
		}
	}
	return 0
}

// In gives the bound of a value that is used as a number of a domain: a bound
// of another one means nothing there.
func (v *Value) In(d Domain) float64 {
	if v.Err != 0 && v.Domain != d && v.Domain != None {
		return math.Inf(1)
	}
	return v.Err
}

// Exact reports whether every legal machine has the same value.
func (v *Value) Exact() bool { return v.Err == 0 }

// Zero reports whether v is the zero Value: exact, and no sum or product.
func (v *Value) Zero() bool { return v.Err == 0 && v.n == 0 }

// At blames the operation at a place for an infinite bound that nothing else is
// to blame for.
func (v Value) At(place int32) Value {
	if v.Why == 0 && math.IsInf(v.Err, 1) {
		v.Why = place + 1
	}
	return v
}

// Leaf is the value without its history as a sum or product: rounded, as in
// memory.
func (v Value) Leaf() Value { return Value{Err: v.Err, Why: v.Why, Domain: v.Domain} }

// operand is the bound of an operand x, which a machine may flush.
func (f *Format) operand(v *Value, x float64) float64 {
	e := v.Err
	if v.Domain == Integer && e != 0 {
		return math.Inf(1)
	}
	if f.flush != 0 && x != 0 && math.Abs(x) < f.tiny {
		e += f.flush
	}
	return e
}

// flushed adds to the bound of a result that it may be flushed.
func (f *Format) flushed(x, e float64) float64 {
	if f.flush != 0 && (e > 0 || x != 0 && math.Abs(x) < f.tiny) {
		e += f.flush
	}
	return e
}

// Number is the operand x, whose value is v, with its bound.
func (f *Format) Number(v *Value, x float64) Number { return Number{x, f.operand(v, x)} }

// settle makes a value of a bound.
func settle(x, e float64, a ...Value) Value {
	switch {
	case e == 0:
		return Value{}
	case e != e || math.IsNaN(x) || math.IsInf(x, 0):
		e = math.Inf(1)
	}
	v := Value{Err: e, Domain: Float}
	if math.IsInf(e, 1) {
		v.Why = reason(a...)
	}
	return v
}

// Result is the value of x, which the emulator has computed, where a formula
// gives r; exact operations have no error of exact operands.
func (f *Format) Result(x float64, r Number, exact bool, a ...Value) Value {
	if exact {
		if r.E == 0 {
			return Value{Err: f.flushed(x, 0), Domain: Float}.normal()
		}
		return settle(x, f.flushed(x, r.E), a...)
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		if r.E == 0 || math.IsInf(x, 0) && r.X == x && !math.IsInf(r.E, 1) {
			return Value{}
		}
		// What overflows in a format may have been finite in the formula.
		if math.IsInf(x, 0) && math.Abs(r.X)-r.E > f.max {
			return Value{}
		}
		return settle(x, math.Inf(1), a...)
	}
	e := r.E
	if r.X != x {
		e += math.Abs(r.X - x)
	}
	return settle(x, f.flushed(x, e), a...)
}

// normal drops what a bound of 0 does not need.
func (v Value) normal() Value {
	if v.Err == 0 {
		return Value{}
	}
	return v
}

// parts are a value's terms, their magnitude and their number, as part of a
// sum; e is its bound as an operand x.
func (v *Value) parts(x, e float64) (terms, mag float64, n int32) {
	if v.n > 0 && !math.IsInf(e, 1) {
		// What the order of its own terms may change counts again in the whole
		// sum, for all of them: Err is not a part of that.
		return v.terms + (e - v.Err), max(v.mag, math.Abs(x)), v.n
	}
	if x == 0 && e == 0 {
		return 0, 0, 0
	}
	return e, math.Abs(x), 1
}

// Sum is the value of x = xa + xb, also of a difference. loose says that a
// machine may contract and reassociate it.
func (f *Format) Sum(a, b *Value, xa, xb, x float64, loose bool) Value {
	ea, eb := f.operand(a, xa), f.operand(b, xb)
	if x-x != 0 { // NaN or infinity
		if ea == 0 && eb == 0 && (!loose || a.n+b.n == 0 || xa-xa != 0 || xb-xb != 0) || ea+eb < math.Inf(1) && (math.IsInf(xa, 0) && ea == 0 && xb-xb == 0 || math.IsInf(xb, 0) && eb == 0 && xa-xa == 0) {
			return Value{}
		}
		return settle(x, math.Inf(1), *a, *b)
	}
	if !loose {
		e := ea + eb
		if e > 0 {
			e += f.ULP(math.Abs(x) + e)
		}
		return settle(x, f.flushed(x, e), *a, *b)
	}
	ta, ma, na := a.parts(xa, ea)
	tb, mb, nb := b.parts(xb, eb)
	switch {
	case na == 0:
		return *b
	case nb == 0:
		return *a
	}
	n, t, m := na+nb, ta+tb, ma+mb
	if n < 0 {
		n = math.MaxInt32
	}
	rounded := f.half(x)
	if f.width < 64 {
		rounded = min(rounded, math.Abs(xa+xb-x))
	}
	var e float64
	switch {
	case n == 2 && t == 0:
	case n == 2:
		e = t + rounded + f.half(math.Abs(x)+t)
	default:
		e = t + rounded + f.gamma(int(n-1))*(m+t)
	}
	v := settle(x, f.flushed(x, e), *a, *b)
	v.terms, v.mag, v.n = t+rounded, m, n
	return v
}

// Difference is the value of x = xa - xb.
func (f *Format) Difference(a, b *Value, xa, xb, x float64, loose bool) Value {
	return f.Sum(a, b, xa, -xb, x, loose)
}

// Product is the value of x = xa * xb.
func (f *Format) Product(a, b *Value, xa, xb, x float64, loose bool) Value {
	ea, eb := f.operand(a, xa), f.operand(b, xb)
	if loose && a.n == 1 {
		ea = max(ea, a.terms)
	}
	if loose && b.n == 1 {
		eb = max(eb, b.terms)
	}
	if x-x != 0 {
		if ea == 0 && eb == 0 || ea+eb < math.Inf(1) && (math.IsInf(xa, 0) && ea == 0 && math.Abs(xb) > eb || math.IsInf(xb, 0) && eb == 0 && math.Abs(xa) > ea) {
			return Value{}
		}
		return settle(x, math.Inf(1), *a, *b)
	}
	e := 0.0
	if ea != 0 || eb != 0 {
		if e = productError(Number{xa, ea}, Number{xb, eb}); e > 0 {
			e += f.ULP(math.Abs(x) + e)
		}
	}
	v := settle(x, f.underflow(xa, xb, x, e), *a, *b)
	if !loose {
		return v
	}
	v.n, v.mag, v.terms = 1, math.Abs(x), v.Err
	if f.width < 64 {
		v.terms += math.Abs(xa*xb - x)
	} else if x != 0 {
		v.terms += f.half(x)
	}
	return v
}

// underflow is flushed for a product.
func (f *Format) underflow(xa, xb, x, e float64) float64 {
	if x == 0 && xa != 0 && xb != 0 {
		return e + f.flush
	}
	return f.flushed(x, e)
}

// MulAdd is the value of x = xa*xb + xc, of which the emulator may round the
// product, or not; loose as for Sum. Whether the machine does is its own affair.
func (f *Format) MulAdd(a, b, c *Value, xa, xb, xc, x float64, loose bool) Value {
	p := xa * xb
	v := f.Product(a, b, xa, xb, p, true)
	if v.terms += f.half(p); p == 0 {
		v.terms = v.Err
	}
	if !loose {
		v.Err = v.terms
		v.n = 0
		if v.Err > 0 {
			v.Domain = Float
		}
	}
	return f.Sum(&v, c, p, xc, x, loose)
}

// Union is the sum of many values in any order, of which the emulator's is x.
func (f *Format) Union(vs []Value, xs []float64, x float64) Value {
	n, inexact := 0, false
	for i := range vs {
		if e := f.operand(&vs[i], xs[i]); e != 0 || xs[i] != 0 {
			n, inexact = n+1, inexact || e != 0
		}
	}
	if n < 2 && len(vs) > 0 || n == 2 && !inexact || x-x != 0 && !inexact {
		n = 1
	}
	return f.AnyOrder(vs, xs, n, x)
}

// Relaxed adds what RelaxedPrecision allows.
func (v Value) Relaxed(x float64) Value {
	if x == 0 && v.Err == 0 || x-x != 0 {
		return v
	}
	v.Err += 0x1p-10 * math.Abs(x) * 2
	v.terms += 0x1p-10 * math.Abs(x) * 2
	v.Domain = Float
	return v
}

// Converted is the value of x, converted to the format from a with a bound.
func (f *Format) Converted(a *Value, x float64, from Domain) Value {
	e := a.In(from)
	if e == 0 {
		return settle(x, f.flushed(x, 0))
	}
	return settle(x, f.flushed(x, e+f.ULP(math.Abs(x)+e)), *a)
}

// Products is the product of values in any order.
func (f *Format) Products(vs []Value, xs []float64, x float64) Value {
	p := exactly(1)
	exact := len(vs) < 3
	for i := range vs {
		n := f.Number(&vs[i], xs[i])
		exact = exact && n.E == 0
		p = f.mul(p, n)
	}
	return f.Result(x, p, exact, vs...)
}

// Joined is the bound of terms that go into a sum together.
func (f *Format) Joined(a, b *Value, xa, xb float64) Value {
	v := Value{Err: f.operand(a, xa) + f.operand(b, xb)}
	if v.Err > 0 {
		v.Domain, v.Why = Float, reason(*a, *b)
	}
	return v
}

// AnyOrder is the sum x of n terms in any order, some of which are joined: xs
// are their magnitudes.
func (f *Format) AnyOrder(vs []Value, xs []float64, n int, x float64) Value {
	var t, m float64
	for i := range vs {
		t += f.operand(&vs[i], xs[i])
		m += math.Abs(xs[i])
	}
	if n < 2 || n == 2 && t == 0 || len(xs) == 2 && xs[1] == 0 {
		return settle(x, f.flushed(x, t), vs...)
	}
	return settle(x, f.flushed(x, t+2*f.gamma(n-1)*(m+t)), vs...)
}
