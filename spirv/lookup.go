package spirv

// extSet is the name of an imported set of extended instructions.
type extSet string

// Def gives the index into Insts of the instruction whose result is id, or -1.
func (u *Unit) Def(id ID) int {
	if int64(id) >= int64(len(u.def)) {
		return -1
	}
	return int(u.def[id]) - 1
}

func lookup[T any](u *Unit, id ID) (t T) {
	if d := u.Def(id); d >= 0 {
		t, _ = u.results[d].(T)
	}
	return t
}

// Type gives the type with the given id, nil if id is not a type.
func (u *Unit) Type(id ID) *Type { return lookup[*Type](u, id) }

// TypeOf gives the type of the value with the given id (a constant, variable,
// function, parameter or result), nil if id is no value.
func (u *Unit) TypeOf(id ID) *Type {
	d := u.Def(id)
	if d < 0 {
		return nil
	}
	return u.Type(u.Insts[d].Type)
}

// Const gives the constant with the given id, nil if id is not a constant.
// OpUndef counts as a constant, inside functions too. OpConstantSampler does
// not.
func (u *Unit) Const(id ID) *Const { return lookup[*Const](u, id) }

// Var gives the module-scope or function variable with the given id, nil if
// id is not a variable.
func (u *Unit) Var(id ID) *Variable { return lookup[*Variable](u, id) }

// Function gives the function with the given id, nil if id is not a function.
func (u *Unit) Function(id ID) *Function { return lookup[*Function](u, id) }

// Block gives the block with the given label, nil if id is not a label.
func (u *Unit) Block(label ID) *Block { return lookup[*Block](u, label) }

// BlockOf gives the block that instruction inst lies in (not its OpLabel), nil
// outside blocks.
func (u *Unit) BlockOf(inst int) *Block {
	if inst < 0 || inst >= len(u.blocks) {
		return nil
	}
	return u.blocks[inst]
}

// ExtSet gives the name of the instruction set that OpExtInstImport id
// imports, "" if id is no import.
func (u *Unit) ExtSet(id ID) string { return string(lookup[extSet](u, id)) }

// Name gives the OpName of id, "" if it has none: on one line, with escapes for
// what does not print.
func (u *Unit) Name(id ID) string {
	if d := u.Def(id); d >= 0 {
		return u.names[d]
	}
	return ""
}

// VariableName is a module-scope variable's name for people: its own, or its
// block's, or DisplayName.
func (u *Unit) VariableName(v *Variable) string {
	if n := u.Name(v.ID); n != "" {
		return n
	}
	t := v.Type.Elem
	for t.Kind == Array || t.Kind == RuntimeArray {
		t = t.Elem
	}
	if n := u.Name(t.ID); n != "" && t.Kind == Struct {
		return n
	}
	return u.DisplayName(v.ID)
}

// DisplayName gives "%name" by the OpName of id, or what the module's text or
// words call it if it has none.
func (u *Unit) DisplayName(id ID) string {
	if n := u.Name(id); n != "" {
		return "%" + n
	}
	return u.IDName(id)
}

// HasDecoration reports whether id itself (not a member) is decorated with d.
func (u *Unit) HasDecoration(id ID, d Decoration) bool {
	_, ok := u.Decoration(id, d)
	return ok
}

// Decoration gives the operands of decoration d of id itself (not of a
// member): literal words, or ids for OpDecorateId. Decoration groups are
// expanded. Where id carries the decoration several times, the first counts.
func (u *Unit) Decoration(id ID, d Decoration) (args []uint32, ok bool) {
	i := u.Def(id)
	if i < 0 {
		return nil, false
	}
	for _, x := range u.decorations[i] {
		if x.kind == d && x.member < 0 {
			return x.args, true
		}
	}
	return nil, false
}

// EntryPoint gives the entry point with the given name and, if several
// execution models share it, the compute one; nil if there is none.
func (u *Unit) EntryPoint(name string) *EntryPoint {
	var found *EntryPoint
	for i := range u.EntryPoints {
		e := &u.EntryPoints[i]
		if e.Name == name && (found == nil || e.Model == ExecutionModelGLCompute) {
			found = e
		}
	}
	return found
}
