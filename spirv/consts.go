package spirv

// Limits on constants: the scalars of all constants of a module together.
const maxConstScalars = 1 << 24

// mask keeps the low width bits.
func mask(bits uint64, width int) uint64 { return bits & (1<<width - 1) }

// signed sign-extends the low width bits.
func signed(bits uint64, width int) int64 { return int64(bits<<(64-width)) >> (64 - width) }

// bitWidth gives the bits of a scalar type, 1 for Bool, 64 for pointers and
// handles.
func (t *Type) bitWidth() int {
	switch t.Kind {
	case Bool:
		return 1
	case Int, Float:
		return t.Width
	}
	return 64
}

// Uint gives an integer or Boolean scalar constant's value as its bits,
// zero-extended.
func (c *Const) Uint() uint64 { return c.Bits[0] }

// Int gives an integer scalar constant's value, sign-extended if its type is
// signed.
func (c *Const) Int() int64 {
	if c.Type.Signed {
		return signed(c.Bits[0], c.Type.Width)
	}
	return int64(c.Bits[0])
}

// IsUndef reports whether scalar k is undefined.
func (c *Const) IsUndef(k int) bool { return c.Undef != nil && c.Undef[k] }

// readConst resolves the constant-making instruction i (OpUndef included).
func (r *resolver) readConst(i int) {
	in := &r.Insts[i]
	t := r.Type(in.Type)
	if t == nil {
		r.fail(i, "result type %s is not a type declared before", r.IDName(in.Type))
	}
	if t.Kind == Void || t.Kind == FunctionType {
		r.fail(i, "constant of type %s", t)
	}
	c := &Const{ID: in.Result, Type: t}
	switch in.Op {
	case OpConstantTrue, OpConstantFalse, OpSpecConstantTrue, OpSpecConstantFalse:
		if t.Kind != Bool {
			r.fail(i, "result type %s, expected bool", t)
		}
		c.Bits = []uint64{0}
		if in.Op == OpConstantTrue || in.Op == OpSpecConstantTrue {
			c.Bits[0] = 1
		}
		if in.Op == OpSpecConstantTrue || in.Op == OpSpecConstantFalse {
			r.specialize(c)
		}
	case OpConstant, OpSpecConstant:
		if t.Kind != Int && t.Kind != Float {
			r.fail(i, "result type %s, expected a numerical scalar", t)
		}
		bits := uint64(r.arg(i, 0))
		if t.Width == 64 {
			bits |= uint64(r.arg(i, 1)) << 32
		}
		c.Bits = []uint64{mask(bits, t.Width)}
		if in.Op == OpSpecConstant {
			r.specialize(c)
		}
	case OpConstantNull:
		r.makeBits(i, c)
	case OpUndef:
		r.makeBits(i, c)
		if len(c.Bits) > 0 {
			c.Undef = make([]bool, len(c.Bits))
			for k := range c.Undef {
				c.Undef[k] = true
			}
		}
	case OpConstantComposite, OpSpecConstantComposite:
		r.compose(i, c, in.Args)
		c.Spec = c.Spec || in.Op == OpSpecConstantComposite
	case OpSpecConstantOp:
		c.Spec = true
		r.evaluate(i, c)
	default:
		return // OpConstantSampler and other constants without a value of bits
	}
	r.results[i] = c
}

// specialize replaces a specialization constant's default by the value given
// for its SpecId.
func (r *resolver) specialize(c *Const) {
	c.Spec = true
	if id, ok := r.Decoration(c.ID, DecorationSpecId); ok && len(id) > 0 {
		if v, ok := r.spec[id[0]]; ok {
			if c.Type.Kind == Bool && v != 0 {
				v = 1
			}
			c.Bits[0] = mask(v, c.Type.bitWidth())
		}
	}
}

// makeBits gives c as many zeros as its type has scalars.
func (r *resolver) makeBits(i int, c *Const) {
	n := c.Type.scalars
	if n > maxConstScalars-r.constScalars {
		r.fail(i, "the module's constants have more than %d scalars", maxConstScalars)
	}
	r.constScalars += n
	c.Bits = make([]uint64, n)
}

// compose makes c of its constituents.
func (r *resolver) compose(i int, c *Const, parts []uint32) {
	t := c.Type
	n := t.Len
	if t.Kind == Struct {
		n = len(t.Members)
	}
	if !t.IsComposite() || t.Kind == RuntimeArray {
		r.fail(i, "result type %s is not a composite of known size", t)
	}
	if len(parts) != n {
		r.fail(i, "%d constituents, expected %d for %s", len(parts), n, t)
	}
	r.makeBits(i, c)
	at := 0
	for k, id := range parts {
		p := r.constOperand(i, ID(id))
		if !p.Type.Same(t.Child(k)) {
			r.fail(i, "constituent %s is of type %s, expected %s", r.IDName(ID(id)), p.Type, t.Child(k))
		}
		c.copyScalars(at, p, 0, len(p.Bits))
		at += len(p.Bits)
	}
}

// copyScalars sets n scalars of c from at on to those of p from from on.
func (c *Const) copyScalars(at int, p *Const, from, n int) {
	copy(c.Bits[at:at+n], p.Bits[from:from+n])
	c.Spec = c.Spec || p.Spec
	for k := range n {
		c.setUndef(at+k, p.IsUndef(from+k))
	}
}

func (c *Const) setUndef(k int, undef bool) {
	if undef && c.Undef == nil {
		c.Undef = make([]bool, len(c.Bits))
	}
	if c.Undef != nil {
		c.Undef[k] = undef
	}
	if undef {
		c.Bits[k] = 0
	}
}

// constOperand gives the constant that instruction i names.
func (r *resolver) constOperand(i int, id ID) *Const {
	c := r.Const(id)
	if c == nil {
		r.target(i, id)
		r.fail(i, "operand %s is not a constant declared before", r.IDName(id))
	}
	return c
}
