package lower

import (
	"fmt"

	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/spirv"
)

// What lowering adds for checkers (Options.Checks), and of it for debuggers
// (Options.Exact): checks of indexes that an access's bounds do not imply, and rows of their own for OpUndef. Operations
// without a defined result are in defined.go.

// checkIndex emits the check of index id, which is ix, into t, the part that p
// points to; path names it.
func (l *lowerer) checkIndex(p *pointer, t *spirv.Type, id spirv.ID, ix term, path diag.Element) {
	if !l.checks || t.Kind == spirv.RuntimeArray || t.Len <= 0 || p.base == texelBase {
		return
	}
	if most, ok := l.most(id, 0); ok && most < uint64(t.Len) {
		return
	}
	if p.off == 0 && len(p.terms) == 0 && l.spans(p) {
		return // the bounds of the variable are those of the array
	}
	l.p.Indexes = append(l.p.Indexes, program.IndexInfo{Len: int64(t.Len), Name: path.Name, Path: path.Path, Members: path.Members})
	l.emit(program.Op{Code: program.CheckIndex, X: int32(len(l.p.Indexes) - 1), C: ix.row, Sh: ix.sh})
}

// spans reports whether p points to the whole of a variable that has the size
// of its type.
func (l *lowerer) spans(p *pointer) bool {
	switch p.base {
	case varBase:
		return int(l.p.Vars[p.index].Rows) == p.typ.Scalars()
	case viewBase:
		return p.storage == spirv.StorageClassWorkgroup && p.whole == p.typ
	}
	return false
}

// partPath names the part of a variable that an access chain leads to by
// its first n indexes.
func (l *lowerer) partPath(base spirv.ID, indexes []uint32) diag.Element {
	e := diag.Element{Name: l.u.Name(base)}
	t := l.u.TypeOf(base)
	if v := l.u.Var(base); v != nil {
		e.Name = l.u.VariableName(v)
	} else if e.Name == "" {
		e.Name = l.u.DisplayName(base)
	}
	if t == nil {
		return e
	}
	t = t.Elem
	for _, id := range indexes {
		if t == nil {
			break
		}
		c := l.u.Const(spirv.ID(id))
		switch {
		case t.Kind == spirv.Struct && c != nil && t.Child(int(c.Bits[0])) != nil:
			m := int(c.Bits[0])
			part := t.Members[m].Name
			if part == "" {
				part = fmt.Sprintf("member%d", m)
			}
			e.Member(part)
			t = t.Child(m)
		case c != nil:
			e.Index(c.Int())
			t = t.Elem
		default:
			e.Index()
			t = t.Elem
		}
	}
	return e
}

// undef is the value of an id that is (in part) OpUndef: rows of its own.
func (l *lowerer) undef(c *spirv.Const) value {
	rows := make([]uint32, len(c.Bits))
	for i, b := range c.Bits {
		if !c.IsUndef(i) {
			rows[i] = l.constant(b)
			continue
		}
		rows[i] = l.undefRow(c.ID, b)
	}
	return value{rows: rows}
}

// undefRow is the row of a scalar of id that is undefined.
func (l *lowerer) undefRow(id spirv.ID, bits uint64) uint32 {
	if !l.checks {
		return l.constant(bits)
	}
	row := l.alloc(1)
	l.p.Consts = append(l.p.Consts, program.ConstRow{Row: row, Bits: bits})
	l.p.Undefs = append(l.p.Undefs, program.UndefRow{Row: row, ID: id})
	return row
}

func hasUndef(c *spirv.Const) bool {
	for i := range c.Bits {
		if c.IsUndef(i) {
			return true
		}
	}
	return false
}

// most is an upper bound of an unsigned or non-negative integer, where its
// definition shows one: a constant, a component of the thread's place in its
// tile, a remainder, a bit mask or a loop's counter. depth ends the search.
func (l *lowerer) most(id spirv.ID, depth int) (uint64, bool) {
	if c := l.u.Const(id); c != nil && len(c.Bits) == 1 {
		return c.Bits[0], true
	}
	def := l.u.Def(id)
	if def < 0 || depth > 8 {
		return 0, false
	}
	in := &l.u.Insts[def]
	arg := func(k int) spirv.ID { return spirv.ID(in.Args[k]) }
	switch in.Op {
	case spirv.OpBitcast, spirv.OpCopyObject:
		if t := l.u.Type(in.Type); t.Kind == spirv.Int && t.Width == 32 {
			return l.most(arg(0), depth+1)
		}
	case spirv.OpPhi:
		return l.mostCounter(in)
	case spirv.OpUMod:
		if c := l.u.Const(arg(1)); c != nil && len(c.Bits) == 1 && c.Bits[0] > 0 {
			return c.Bits[0] - 1, true
		}
	case spirv.OpBitwiseAnd:
		for k := range 2 {
			if c := l.u.Const(arg(k)); c != nil && len(c.Bits) == 1 {
				return c.Bits[0], true
			}
		}
	case spirv.OpCompositeExtract:
		if load := l.u.Def(arg(0)); load >= 0 && l.u.Insts[load].Op == spirv.OpLoad && len(in.Args) == 2 {
			return l.mostLocal(spirv.ID(l.u.Insts[load].Args[0]), in.Args[1])
		}
	case spirv.OpLoad:
		chain := l.u.Def(arg(0))
		if chain < 0 || l.u.Insts[chain].Op != spirv.OpAccessChain || len(l.u.Insts[chain].Args) != 2 {
			return 0, false
		}
		x := &l.u.Insts[chain]
		if c := l.u.Const(spirv.ID(x.Args[1])); c != nil {
			return l.mostLocal(spirv.ID(x.Args[0]), uint32(c.Bits[0]))
		}
	}
	return 0, false
}

// mostLocal bounds a component of a variable that holds LocalInvocationId.
func (l *lowerer) mostLocal(v spirv.ID, component uint32) (uint64, bool) {
	args, ok := l.u.Decoration(v, spirv.DecorationBuiltIn)
	if !ok || spirv.BuiltIn(args[0]) != spirv.BuiltInLocalInvocationId || component > 2 {
		return 0, false
	}
	return uint64(l.ep.LocalSize[component]) - 1, true
}
