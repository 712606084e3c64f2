package spirv

// readVariables reads DebugLocalVariable and DebugGlobalVariable, and where
// the values are found from DebugDeclare and DebugValue.
func (d *debugReader) readVariables() {
	for _, f := range d.Functions {
		for _, b := range f.Blocks {
			at := scopeKey{}
			for i := b.First; i <= b.Last; i++ {
				if key, ok := d.scopeAt(i); ok {
					at = key
				}
				switch n, ok := d.debugOp(i); {
				case !ok:
				case n == ShaderDebugDeclare:
					d.declare(i, d.instance(i, b, at))
				case n == ShaderDebugValue:
					d.value(i, d.instance(i, b, at))
				}
			}
		}
	}
	for i := range d.Insts {
		id := d.Insts[i].Result
		switch n, ok := d.debugOp(i); {
		case !ok:
		case n == ShaderDebugGlobalVariable:
			d.global(i)
		case n == ShaderDebugLocalVariable && d.order[id] == nil:
			d.local(scopeKey{id: id}) // optimised away
			fallthrough
		case n == ShaderDebugLocalVariable:
			d.out.Locals = append(d.out.Locals, d.order[id]...)
		}
	}
}

// lookAhead is how many instructions on a DebugScope is looked for that tells
// which inlined call a variable belongs to.
const lookAhead = 64

// instance gives the local variable that the DebugDeclare or DebugValue i is
// about, in block b under the scope at; nil if there is none.
func (d *debugReader) instance(i int, b *Block, at scopeKey) *Local {
	key := scopeKey{id: d.ref(i, 0)}
	if k := d.debugInst(key.id, ShaderDebugInlinedVariable); k >= 0 {
		return d.local(scopeKey{d.ref(k, 0), d.ref(k, 1)})
	}
	v := d.debugInst(key.id, ShaderDebugLocalVariable)
	if v < 0 {
		return nil
	}
	// spirv-opt may put the DebugValue of an inlined call's argument before
	// the call's first DebugScope.
	own := d.functionOf(d.ref(v, 5))
	if at.id != 0 && d.functionOf(at.id) == own {
		key.inlinedAt = at.inlinedAt
		return d.local(key)
	}
	for k := i + 1; k < b.Last && k < i+lookAhead; k++ {
		if s, ok := d.scopeAt(k); ok && s.id != 0 && d.functionOf(s.id) == own {
			key.inlinedAt = s.inlinedAt
			break
		}
	}
	return d.local(key)
}

// functionOf gives the DebugFunction around a scope, 0 if there is none.
func (d *debugReader) functionOf(scope ID) ID {
	s := d.scope(scopeKey{id: scope})
	if s == nil {
		return 0
	}
	return d.functionIDs[s]
}

// local gives the instance of a DebugLocalVariable.
func (d *debugReader) local(key scopeKey) *Local {
	if l := d.locals[key]; l != nil {
		return l
	}
	i := d.debugInst(key.id, ShaderDebugLocalVariable)
	if i < 0 {
		return nil
	}
	l := &Local{
		Name:  d.name(d.ref(i, 0)),
		Pos:   d.place(i, 2),
		Scope: d.scope(scopeKey{d.ref(i, 5), key.inlinedAt}),
	}
	d.locals[key] = l
	d.order[key.id] = append(d.order[key.id], l)
	return l
}

// declare reads the DebugDeclare i of l.
func (d *debugReader) declare(i int, l *Local) {
	id := d.ref(i, 1)
	t := d.TypeOf(id)
	if l == nil || t == nil || t.Kind != Pointer {
		return
	}
	deref, ok := d.expression(d.ref(i, 2))
	if !ok || deref {
		return
	}
	if indexes := d.indexes(i); indexes != nil {
		l.Values = append(l.Values, LocalValue{At: i, Value: id, Indexes: indexes, Deref: true})
		return
	}
	l.Declare, l.At, l.Type = id, i, t.Elem
}

// indexes reads the operands that name a part of a variable in the
// DebugDeclare or DebugValue i.
func (d *debugReader) indexes(i int) (indexes []uint32) {
	for k := 3; k+2 < len(d.Insts[i].Args); k++ {
		indexes = append(indexes, uint32(d.num(i, k)))
	}
	return indexes
}

// value reads the DebugValue i of l.
func (d *debugReader) value(i int, l *Local) {
	if l == nil {
		return
	}
	v := LocalValue{At: i, Value: d.ref(i, 1), Indexes: d.indexes(i)}
	t := d.TypeOf(v.Value)
	deref, ok := d.expression(d.ref(i, 2))
	switch {
	case t == nil || !ok || deref && t.Kind != Pointer:
		v.Value = 0
	case deref:
		v.Deref = true
		t = t.Elem
	}
	if v.Value != 0 && len(v.Indexes) == 0 && l.Type == nil {
		l.Type = t
	}
	l.Values = append(l.Values, v)
}

// expression reads a DebugExpression: whether it dereferences once. Longer
// expressions are not ok.
func (d *debugReader) expression(id ID) (deref, ok bool) {
	i := d.debugInst(id, ShaderDebugExpression)
	if i < 0 {
		return false, false
	}
	switch n := len(d.Insts[i].Args) - 2; n {
	case 0:
		return false, true
	case 1:
		k := d.debugInst(d.ref(i, 0), ShaderDebugOperation)
		if k < 0 {
			return false, false
		}
		// The opcode is an enumerant: a constant's id in the shader set.
		deref = d.num(k, 0) == int(ShaderDebugDebugOperationDeref)
		return deref, deref
	}
	return false, false
}

// global reads the DebugGlobalVariable i.
func (d *debugReader) global(i int) {
	l := &Local{Name: d.name(d.ref(i, 0)), Pos: d.place(i, 2), Scope: d.scope(scopeKey{id: d.ref(i, 5)})}
	id := d.ref(i, 7)
	if v := d.Var(id); v != nil {
		l.Global, l.Type = id, v.Type.Elem
	} else if c := d.Const(id); c != nil {
		l.Global, l.Type = id, c.Type
	}
	d.out.Locals = append(d.out.Locals, l)
}

// namedVariables takes, where a module has no DebugInfo, the variables and
// parameters with an OpName for the source's.
func (d *debugReader) namedVariables() {
	add := func(id ID, l *Local) {
		if l.Name = d.Name(id); l.Name == "" {
			return
		}
		l.Pos = d.PosOf(d.Def(id))
		d.out.Locals = append(d.out.Locals, l)
	}
	for _, v := range d.Globals {
		add(v.ID, &Local{Type: v.Type.Elem, Global: v.ID})
	}
	for _, f := range d.Functions {
		scope := d.functionScope(f)
		for _, p := range f.Params {
			t := d.TypeOf(p)
			switch {
			case len(f.Blocks) == 0:
			case t.Kind == Pointer && t.Storage == StorageClassFunction:
				add(p, &Local{Scope: scope, Type: t.Elem, Declare: p})
			default:
				add(p, &Local{Scope: scope, Type: t, Values: []LocalValue{{At: f.Blocks[0].First, Value: p}}})
			}
		}
		for _, v := range f.Vars {
			add(v.ID, &Local{Scope: scope, Type: v.Type.Elem, Declare: v.ID})
		}
	}
}
