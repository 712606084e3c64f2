package spirv

import "math"

// evaluate computes OpSpecConstantOp i into c.
func (r *resolver) evaluate(i int, c *Const) {
	op := Opcode(r.arg(i, 0))
	args := r.Insts[i].Args[1:]
	switch op {
	case OpCompositeExtract, OpCompositeInsert, OpVectorShuffle, OpSelect,
		OpAccessChain, OpInBoundsAccessChain, OpPtrAccessChain, OpInBoundsPtrAccessChain:
	default:
		r.evaluateComponents(i, op, c, args)
		return
	}
	r.makeBits(i, c)
	switch op {
	case OpCompositeExtract:
		p := r.constOperand(i, ID(r.arg(i, 1)))
		t, at := r.part(i, p.Type, args[1:])
		r.expectType(i, t, c.Type)
		c.copyScalars(0, p, at, t.scalars)
	case OpCompositeInsert:
		p := r.constOperand(i, ID(r.arg(i, 1)))
		whole := r.constOperand(i, ID(r.arg(i, 2)))
		r.expectType(i, whole.Type, c.Type)
		t, at := r.part(i, whole.Type, args[2:])
		r.expectType(i, p.Type, t)
		c.copyScalars(0, whole, 0, len(whole.Bits))
		c.copyScalars(at, p, 0, len(p.Bits))
	case OpVectorShuffle:
		r.shuffle(i, c, r.constOperand(i, ID(r.arg(i, 1))), r.constOperand(i, ID(r.arg(i, 2))), args[2:])
	case OpSelect:
		r.selectConst(i, c)
	default:
		r.unsupported(i, "%s of a constant pointer", op)
	}
}

func (r *resolver) expectType(i int, found, expected *Type) {
	if !found.Same(expected) {
		r.fail(i, "operand of type %s, expected %s", found, expected)
	}
}

// part goes down a composite by literal indexes and gives the part's type and
// its first scalar's place.
func (r *resolver) part(i int, t *Type, indexes []uint32) (*Type, int) {
	at := 0
	for _, k := range indexes {
		e := t.Child(int(k))
		if e == nil || t.Kind == RuntimeArray {
			r.fail(i, "%s has no part %d", t, k)
		}
		at += t.ChildScalar(int(k))
		t = e
	}
	return t, at
}

func (r *resolver) shuffle(i int, c, a, b *Const, components []uint32) {
	t := c.Type
	if t.Kind != Vector || a.Type.Kind != Vector || b.Type.Kind != Vector || a.Type.Elem != t.Elem || b.Type.Elem != t.Elem {
		r.fail(i, "operands of types %s and %s, result of type %s, expected vectors of one component type", a.Type, b.Type, t)
	}
	if len(components) != t.Len {
		r.fail(i, "%d component numbers, expected %d", len(components), t.Len)
	}
	for k, n := range components {
		switch {
		case n == math.MaxUint32:
			c.setUndef(k, true)
		case int(n) < a.Type.Len:
			c.copyScalars(k, a, int(n), 1)
		case int(n) < a.Type.Len+b.Type.Len:
			c.copyScalars(k, b, int(n)-a.Type.Len, 1)
		default:
			r.fail(i, "component number %d, expected below %d", n, a.Type.Len+b.Type.Len)
		}
	}
}

// selectConst evaluates OpSelect, component-wise or on whole objects.
func (r *resolver) selectConst(i int, c *Const) {
	cond := r.constOperand(i, ID(r.arg(i, 1)))
	a, b := r.constOperand(i, ID(r.arg(i, 2))), r.constOperand(i, ID(r.arg(i, 3)))
	r.expectType(i, a.Type, c.Type)
	r.expectType(i, b.Type, c.Type)
	k := cond.Type.Component()
	switch {
	case k == nil || k.Kind != Bool, cond.Type.Kind == Vector && (c.Type.Kind != Vector || c.Type.Len != cond.Type.Len):
		r.fail(i, "condition of type %s for a result of type %s", cond.Type, c.Type)
	case cond.Type.Kind != Vector:
		c.pick(cond, 0, a, b, 0, len(c.Bits))
	default:
		for k := range c.Bits {
			c.pick(cond, k, a, b, k, 1)
		}
	}
}

// pick copies n scalars from at on from a or b by scalar k of cond.
func (c *Const) pick(cond *Const, k int, a, b *Const, at, n int) {
	from := b
	if cond.Bits[k] != 0 {
		from = a
	}
	c.copyScalars(at, from, at, n)
	if cond.IsUndef(k) {
		for j := at; j < at+n; j++ {
			c.setUndef(j, true)
		}
	}
}

// evaluateComponents computes an operation that works on each component of
// its operands alone.
func (r *resolver) evaluateComponents(i int, op Opcode, c *Const, args []uint32) {
	f, ok := constOps[op]
	if !ok {
		r.unsupported(i, "%s of constants", op)
	}
	if len(args) != f.operands {
		r.fail(i, "%s with %d operands, expected %d", op, len(args), f.operands)
	}
	to := c.Type.Component()
	if to == nil || !f.result(to) {
		r.fail(i, "%s with a result of type %s", op, c.Type)
	}
	var in [2]*Const
	for k, id := range args {
		p := r.constOperand(i, ID(id))
		from := p.Type.Component()
		switch {
		case from == nil || !f.operand(from),
			op != OpBitcast && p.Type.scalars != c.Type.scalars,
			f.widths == allSame && from.Width != to.Width,
			f.widths != anyWidth && k == 1 && from.Width != in[0].Type.Component().Width:
			r.fail(i, "%s: operand %s of type %s for a result of type %s", op, r.IDName(ID(id)), p.Type, c.Type)
		}
		in[k] = p
	}
	r.makeBits(i, c)
	if op == OpBitcast {
		r.bitcast(i, c, in[0])
		return
	}
	v := operands{to: to}
	for k := range c.Bits {
		undef := false
		for n, p := range in[:len(args)] {
			v.from[n], v.bits[n] = p.Type.Component(), p.Bits[k]
			undef = undef || p.IsUndef(k)
		}
		bits, ok := f.eval(v)
		c.Bits[k] = mask(bits, to.bitWidth())
		c.setUndef(k, undef || !ok)
	}
}

// bitcast reinterprets the bits of p, lower components first.
func (r *resolver) bitcast(i int, c, p *Const) {
	from, to := p.Type.Component().Width, c.Type.Component().Width
	if from*len(p.Bits) != to*len(c.Bits) {
		r.fail(i, "OpBitcast from %s to %s, expected as many bits", p.Type, c.Type)
	}
	unit := min(from, to)
	for at := 0; at < from*len(p.Bits); at += unit {
		bits := mask(p.Bits[at/from]>>(at%from), unit)
		c.Bits[at/to] |= bits << (at % to)
		if p.IsUndef(at / from) {
			c.setUndef(at/to, true)
		}
	}
	for k := range c.Bits {
		c.setUndef(k, c.IsUndef(k)) // bits 0 where any part is undefined
	}
}
