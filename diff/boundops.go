package diff

import (
	"math"
	"slices"
	"strings"

	"ampdbg/diff/bound"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// What operations do with the bounds in registers, in the order in which
// package bound's table has them.

// after gives the results of the operation at pc their bounds.
func (b *boundKeeper) after(w *warp.Warp, regs *registers, pc int, op *program.Op) {
	switch op.Code {
	case program.CallN:
		b.callN(w, regs, pc, &w.P.Calls[op.X])
	case program.Group:
		b.group(w, regs, pc, &w.P.Groups[op.X])
	case program.LoadVar, program.StoreVar:
		b.variable(w, regs, pc, op)
	case program.ImageOp:
		b.sampled(w, regs, pc, op)
	case program.PtrToElem, program.HandleElem:
		for l := range lanes(w) {
			regs.set(int(op.Dst)+l, bound.Value{})
			if !regs.v[int(op.B)+l].Exact() {
				regs.set(int(op.Dst)+l, bound.Unbounded(int32(pc)))
			}
		}
	case program.ArrayLen, program.Clock:
		regs.clear(w, op.Dst, max(op.N, uint32(w.P.Stride)))
	default:
		if op.Code.Plain() {
			b.compute(w, regs, pc, op)
		}
	}
}

// compute does an operation on rows.
func (b *boundKeeper) compute(w *warp.Warp, regs *registers, pc int, op *program.Op) {
	r := &b.rules[pc]
	act := w.Active()
	stride := uint32(w.P.Stride)
	A := op.A
	if op.Code == program.PtrTo {
		A = op.C
	}
	B := op.B
	if op.Code == program.PtrAdd {
		B = op.C
	}
	if !r.action.inexact() && regs.cold(A, op.N) && regs.cold(op.Dst, op.N) && (r.count < 2 || regs.cold(B, op.N)) && (r.count < 3 || regs.cold(op.C, op.N)) {
		return
	}
	all := act == warp.FirstLanes(int(stride))
	for i := range op.N {
		if !all && !act.Has(int(i%stride)) {
			continue
		}
		x := &regs.v[A+i]
		if r.action == copied {
			regs.set(int(op.Dst+i), *x)
			continue
		}
		v := b.result(w, regs, r, pc, op, A+i, B+i, op.C+i, op.Dst+i)
		if r.relaxed && r.f != nil && r.action != comparison && r.action != floatToInt {
			v = v.Relaxed(real(w.R[op.Dst+i], r.width))
		}
		regs.set(int(op.Dst+i), v.At(int32(pc)))
	}
}

// result is the value of element d, of operands at elements i, j and k.
func (b *boundKeeper) result(w *warp.Warp, regs *registers, r *rule, pc int, op *program.Op, i, j, k, d uint32) bound.Value {
	R := w.R
	x := &regs.v[i]
	y, z := x, x
	if r.count > 1 {
		y = &regs.v[j]
	}
	if r.count > 2 {
		z = &regs.v[k]
	}
	switch r.action {
	case added:
		return r.f.Sum(x, y, real(R[i], r.width), real(R[j], r.width), real(R[d], r.width), r.loose)
	case subtracted:
		return r.f.Difference(x, y, real(R[i], r.width), real(R[j], r.width), real(R[d], r.width), r.loose)
	case multiplied:
		return r.f.Product(x, y, real(R[i], r.width), real(R[j], r.width), real(R[d], r.width), r.loose)
	case mulAdd:
		return r.f.MulAdd(x, y, z, real(R[i], r.width), real(R[j], r.width), real(R[k], r.width), real(R[d], r.width), r.loose)
	case function:
		if r.fn == nil { // ldexp
			if !y.Exact() {
				return bound.Unbounded(int32(pc))
			}
			n := r.f.Number(x, real(R[i], r.width))
			e := math.Ldexp(n.E, int(int32(R[j])))
			return r.f.Result(real(R[d], r.width), bound.Number{X: real(R[d], r.width), E: e}, true, *x)
		}
		in := append(regs.in[:0], r.f.Number(x, real(R[i], r.width)))
		inexact := !x.Exact()
		if r.count > 1 {
			in, inexact = append(in, r.f.Number(y, real(R[j], r.width))), inexact || !y.Exact()
		}
		if r.count > 2 {
			in, inexact = append(in, r.f.Number(z, real(R[k], r.width))), inexact || !z.Exact()
		}
		regs.in = in
		if r.numbers && slices.ContainsFunc(in, func(n bound.Number) bool { return math.IsNaN(n.X) }) {
			return bound.Unbounded(int32(pc))
		}
		if r.exact && !inexact {
			return bound.Value{}
		}
		return r.f.Result(real(R[d], r.width), r.fn(r.f, in, 1)[0], r.exact, *x, *y, *z)
	case intToFloat:
		return r.f.Converted(x, real(R[d], r.width), bound.Integer)
	case floatToFloat:
		if x.Exact() {
			return bound.Value{}
		}
		return r.f.Converted(x, real(R[d], r.width), bound.Float)
	}
	// What follows is exact of exact operands.
	if x.Exact() && y.Exact() && z.Exact() {
		return bound.Value{}
	}
	switch r.action {
	case comparison:
		if r.count == 1 { // of NaN and infinities
			if e := x.In(bound.Float); math.Abs(real(R[i], r.operand))+e <= r.f.Max() {
				return bound.Value{}
			}
			return bound.Uncertain(int32(pc))
		}
		if r.integer && overlap(x, y, whole(R[i]), whole(R[j]), bound.Integer) ||
			!r.integer && overlap(x, y, real(R[i], r.operand), real(R[j], r.operand), bound.Float) {
			return bound.Uncertain(int32(pc))
		}
		return bound.Value{}
	case truth:
		switch {
		case op.Code == program.And && (x.Exact() && R[i] == 0 || y.Exact() && R[j] == 0),
			op.Code == program.Or && (x.Exact() && R[i] != 0 || y.Exact() && R[j] != 0):
			return bound.Value{}
		}
		return bound.Of(1, bound.Integer, *x, *y)
	case choice:
		return b.choose(r, pc, x, y, z, R[i], R[j], R[k])
	case integerSum:
		return bound.Of(x.In(bound.Integer)+y.In(bound.Integer), bound.Integer, *x, *y)
	case integerProduct:
		ex, ey := x.In(bound.Integer), y.In(bound.Integer)
		e := ex * ey
		if ey > 0 && R[i] != 0 {
			e += math.Abs(whole(R[i])) * ey
		}
		if ex > 0 && R[j] != 0 {
			e += math.Abs(whole(R[j])) * ex
		}
		if r.count > 2 {
			e += z.In(bound.Integer)
		}
		if math.IsNaN(e) {
			e = math.Inf(1)
		}
		return bound.Of(e, bound.Integer, *x, *y, *z)
	case extreme:
		return bound.Of(max(x.In(bound.Integer), y.In(bound.Integer), z.In(bound.Integer)), bound.Integer, *x, *y, *z)
	case floatToInt:
		a, e := real(R[i], r.operand), x.In(bound.Float)
		t := math.Trunc(a)
		e = max(math.Abs(math.Trunc(a+e)-t), math.Abs(math.Trunc(a-e)-t))
		if e != e {
			e = math.Inf(1)
		}
		v := bound.Of(e, bound.Integer, *x)
		if e > 0 && v.Why == 0 {
			v.Why = int32(pc) + 1
		}
		return v
	case exponent:
		a, e := real(R[i], r.operand), x.In(bound.Float)
		_, n := math.Frexp(a)
		_, lo := math.Frexp(a - e)
		_, hi := math.Frexp(a + e)
		if n == lo && n == hi && e < math.Abs(a) {
			return bound.Value{}
		}
	}
	return bound.Unbounded(int32(pc))
}

// overlap reports whether two numbers may be equal, or the other way round.
func overlap(x, y *bound.Value, a, b float64, d bound.Domain) bool {
	e := x.In(d) + y.In(d)
	if a-a != 0 || b-b != 0 { // NaN and infinities compare alike if they stay
		return math.IsInf(e, 1)
	}
	return math.Abs(a-b) <= e
}

// choose is cond ? y : z.
func (b *boundKeeper) choose(r *rule, pc int, cond, y, z *bound.Value, c, bits1, bits2 uint64) bound.Value {
	if cond.Exact() {
		if c != 0 {
			return *y
		}
		return *z
	}
	d, p, q := bound.Float, 0.0, 0.0
	if r.integer {
		d, p, q = bound.Integer, whole(bits1), whole(bits2)
	} else {
		p, q = real(bits1, r.width), real(bits2, r.width)
	}
	e := max(y.In(d), z.In(d))
	if bits1 != bits2 {
		e += math.Abs(p - q)
	}
	if e != e {
		return bound.Unbounded(int32(pc))
	}
	v := bound.Of(e, d, *cond, *y, *z)
	return v
}

// variable does an access to a register variable by an index.
func (b *boundKeeper) variable(w *warp.Warp, regs *registers, pc int, op *program.Op) {
	part, _ := op.Part()
	info := &w.P.Vars[part.Var]
	stride, n, row := w.P.Stride, part.Rows, int(part.Value)
	for l := range lanes(w) {
		at := part.First + part.Term.Of(w.R[int(part.Term.Row)+l])
		mem := (int(info.Row)+int(at))*stride + l
		outside := at < 0 || at+int64(n) > int64(info.Rows)
		lost := !regs.v[int(part.Term.Row)+l].Exact()
		switch {
		case !part.Store:
			for i := range n {
				v := bound.Value{}
				if lost {
					v = bound.Unbounded(int32(pc))
				} else if !outside {
					v = regs.v[mem+i*stride]
				}
				regs.set(row+i*stride+l, v)
			}
		case lost:
			for i := range int(info.Rows) {
				regs.set((int(info.Row)+i)*stride+l, bound.Unbounded(int32(pc)))
			}
		case !outside:
			for i := range n {
				regs.set(mem+i*stride, regs.v[row+i*stride+l])
			}
		}
	}
}

// callN does a function of several scalars.
func (b *boundKeeper) callN(w *warp.Warp, regs *registers, pc int, c *program.CallInfo) {
	r := &b.rules[pc]
	for l := range lanes(w) {
		vs := regs.vs[:0]
		exact := true
		for _, row := range c.In {
			v := regs.v[int(row)+l]
			exact = exact && v.Exact()
			vs = append(vs, v)
		}
		regs.vs = vs
		set := func(v bound.Value) {
			for _, row := range c.Out {
				regs.set(int(row)+l, v)
			}
		}
		switch r.inst.Op {
		case spirv.OpVectorExtractDynamic:
			n := len(vs) - 1
			set(bound.Value{})
			if i := w.R[int(c.In[n])+l]; !vs[n].Exact() {
				set(bound.Unbounded(int32(pc)))
			} else if i < uint64(n) {
				set(vs[i])
			}
		case spirv.OpVectorInsertDynamic:
			n := len(vs) - 2
			for i, row := range c.Out {
				regs.set(int(row)+l, vs[i])
			}
			if i := w.R[int(c.In[n+1])+l]; !vs[n+1].Exact() {
				set(bound.Unbounded(int32(pc)))
			} else if i < uint64(n) {
				regs.set(int(c.Out[i])+l, vs[n])
			}
		case spirv.OpExtInst:
			b.vector(w, regs, pc, r, c, l, exact)
		case spirv.OpBitcast:
			set(repacked(vs))
		default:
			set(bound.Value{})
			if !exact {
				set(bound.Unbounded(int32(pc)))
			}
		}
	}
}

// repacked is what bits of values are, divided otherwise.
func repacked(vs []bound.Value) bound.Value {
	var out bound.Value
	for _, v := range vs {
		if v.Err > out.Err {
			out = v.Leaf()
		}
	}
	return out
}

// vector does an instruction of GLSL.std.450 on vectors and matrices.
func (b *boundKeeper) vector(w *warp.Warp, regs *registers, pc int, r *rule, c *program.CallInfo, l int, exact bool) {
	inst := r.inst.Args[1]
	first := spirv.ID(r.inst.Args[2])
	set := func(k int, v bound.Value) {
		regs.set(int(c.Out[k])+l, v.At(int32(pc)))
	}
	fn, _, ok := bound.LookupGLSL(inst)
	t := b.m.Unit.TypeOf(first)
	if !ok || t == nil || t.Component() == nil || t.Component().Kind != spirv.Float {
		for k := range c.Out {
			set(k, b.packed(inst, regs.vs, exact, w.R[int(c.Out[k])+l], pc))
		}
		return
	}
	width := t.Component().Width
	f := b.format(width)
	in := regs.in[:0]
	for k := range c.In {
		in = append(in, f.Number(&regs.vs[k], real(w.R[int(c.In[k])+l], width)))
	}
	regs.in = in
	for k, n := range fn(f, in, t.Scalars()) {
		if k < len(c.Out) {
			v := f.Result(real(w.R[int(c.Out[k])+l], width), n, false, regs.vs...)
			if r.relaxed {
				v = v.Relaxed(real(w.R[int(c.Out[k])+l], width))
			}
			set(k, v)
		}
	}
}

// packed is the value of an instruction that packs floats into an integer or
// unpacks them: the bits of the integer have the bounds of the floats, and a
// rounding more.
func (b *boundKeeper) packed(inst uint32, vs []bound.Value, exact bool, bits uint64, pc int) bound.Value {
	if exact {
		return bound.Value{}
	}
	v := repacked(vs)
	switch inst {
	case spirv.GLSLPackDouble2x32, spirv.GLSLUnpackDouble2x32, spirv.GLSLUnpackHalf2x16, spirv.GLSLUnpackSnorm2x16, spirv.GLSLUnpackSnorm4x8,
		spirv.GLSLUnpackUnorm2x16, spirv.GLSLUnpackUnorm4x8:
		return v
	case spirv.GLSLPackHalf2x16:
		big := max(math.Abs(real(bits&0xffff, 16)), math.Abs(real(bits>>16&0xffff, 16)))
		return bound.Of(v.In(bound.Float)+b.format(16).ULP(big), bound.Float, vs...)
	case spirv.GLSLPackSnorm2x16, spirv.GLSLPackUnorm2x16:
		return bound.Of(v.In(bound.Float)+0x1p-14, bound.Float, vs...)
	case spirv.GLSLPackSnorm4x8, spirv.GLSLPackUnorm4x8:
		return bound.Of(v.In(bound.Float)+0x1p-6, bound.Float, vs...)
	}
	return bound.Unbounded(int32(pc))
}

// group does a subgroup instruction.
func (b *boundKeeper) group(w *warp.Warp, regs *registers, pc int, g *program.GroupInfo) {
	act := w.Active()
	set := func(v bound.Value) {
		for _, d := range g.Dst {
			for l := range lanes(w) {
				regs.set(int(d)+l, v)
			}
		}
	}
	if regs.strays {
		for l := range lanes(w) {
			if why := regs.astray[l]; why != 0 { // it may not be here
				set(bound.Unbounded(why - 1))
				return
			}
		}
	}
	exact := true
	for _, row := range g.A {
		for l := range lanes(w) {
			exact = exact && regs.v[int(row)+l].Exact()
		}
	}
	switch name := g.Op.String(); {
	case g.Moves():
		var out [warp.MaxLanes]bound.Value
		for l := range lanes(w) {
			out[l] = regs.v[int(g.A[0])+w.From(g, l)].Leaf()
			if g.Op != spirv.OpGroupNonUniformBroadcastFirst && !regs.v[int(g.B)+l].Exact() {
				out[l] = bound.Unbounded(int32(pc))
			}
		}
		for l := range lanes(w) {
			regs.set(int(g.Dst[0])+l, out[l])
		}
	case g.Op == spirv.OpGroupNonUniformFAdd || g.Op == spirv.OpGroupNonUniformFMul:
		b.reduce(w, regs, pc, g, act)
	case exact:
		set(bound.Value{})
	case strings.HasSuffix(name, "FMin") || strings.HasSuffix(name, "FMax"):
		set(b.largest(w, regs, g, bound.Float, false))
	case strings.HasSuffix(name, "Min") || strings.HasSuffix(name, "Max"):
		set(b.largest(w, regs, g, bound.Integer, false))
	case g.Op == spirv.OpGroupNonUniformIAdd:
		set(b.largest(w, regs, g, bound.Integer, true))
	default:
		set(bound.Unbounded(int32(pc)))
	}
}

// largest is the largest bound of the operands of all lanes, or their sum.
func (b *boundKeeper) largest(w *warp.Warp, regs *registers, g *program.GroupInfo, d bound.Domain, sum bool) bound.Value {
	e := 0.0
	regs.vs = regs.vs[:0]
	for l := range lanes(w) {
		v := regs.v[int(g.A[0])+l]
		if regs.vs = append(regs.vs, v); sum {
			e += v.In(d)
		} else {
			e = max(e, v.In(d))
		}
	}
	return bound.Of(e, d, regs.vs...)
}

// reduce does a sum or product over lanes, in any order: of all of a cluster,
// or of those before a lane.
func (b *boundKeeper) reduce(w *warp.Warp, regs *registers, pc int, g *program.GroupInfo, act warp.Mask) {
	width := b.flow.width(b.rules[pc].inst.Result)
	f := b.format(width)
	n := w.P.Width
	if g.Kind == spirv.GroupOperationClusteredReduce {
		n = int(g.Cluster)
	}
	var out [warp.MaxLanes]bound.Value
	for l := range lanes(w) {
		first, last := l-l%n, l-l%n+n
		switch g.Kind {
		case spirv.GroupOperationInclusiveScan:
			last = l + 1
		case spirv.GroupOperationExclusiveScan:
			last = l
		}
		vs, xs := regs.vs[:0], regs.xs[:0]
		for k := first; k < last; k++ {
			if act.Has(k) {
				vs, xs = append(vs, regs.v[int(g.A[0])+k].Leaf()), append(xs, real(w.R[int(g.A[0])+k], width))
			}
		}
		regs.vs, regs.xs = vs, xs
		x := real(w.R[int(g.Dst[0])+l], width)
		switch {
		case len(vs) == 0:
		case len(vs) == 1:
			out[l] = vs[0]
		case g.Op == spirv.OpGroupNonUniformFAdd:
			out[l] = f.Union(vs, xs, x)
		default:
			out[l] = f.Products(vs, xs, x)
		}
		out[l] = out[l].At(int32(pc))
	}
	for l := range lanes(w) {
		regs.set(int(g.Dst[0])+l, out[l])
	}
}
