package spirv

import (
	"fmt"

	"ampdbg/diag"
)

// maxBound is SPIR-V's universal limit on the id bound (section 2.17).
const maxBound = 4_194_304

// Resolve reads the meaning off a module's words: types, constants under the
// given specialization, decorations, functions with their control flow, and
// debug information. A module that breaks a rule the resolution relies on is
// a *diag.Error of class BadInput that names the instruction ("module word
// offset N, id %M").
func Resolve(m *Module, spec SpecValues) (u *Unit, err error) {
	r := &resolver{
		Unit: &Unit{Module: m, Debug: &DebugInfo{}},
		spec: spec,
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case bailout:
			u, err = nil, e.err
		default:
			panic(e)
		}
	}()
	r.index()
	r.readAnnotations()
	r.readModes()
	r.readBody()
	r.checkUses()
	r.readEntryPoints()
	r.readDebug()
	return r.Unit, nil
}

// resolver is a Unit under construction. Its methods report a bad module by
// fail, which unwinds to Resolve.
type resolver struct {
	*Unit
	spec         SpecValues
	forward      map[ID]*Type // pointer types declared by OpTypeForwardPointer and not yet defined
	constScalars int          // scalars of all constants so far
	groups       map[ID][]decoration
	memberNames  map[ID]map[uint32]string
}

type bailout struct{ err *diag.Error }

// fail ends the resolution with an error at instruction i.
func (r *resolver) fail(i int, format string, args ...any) {
	panic(bailout{r.errorAt(i, format, args...)})
}

// unsupported ends the resolution at instruction i for something that is
// legal but not implemented.
func (r *resolver) unsupported(i int, format string, args ...any) {
	e := r.errorAt(i, format, args...)
	e.Class, e.Msg = diag.Unsupported, "unsupported: "+e.Msg
	panic(bailout{e})
}

func (u *Unit) errorAt(i int, format string, args ...any) *diag.Error {
	pos, what := u.Locate(i)
	return &diag.Error{Class: diag.BadInput, Pos: pos, Msg: what + ": " + fmt.Sprintf(format, args...)}
}

// locate tells, for messages, where instruction i is and what it is: by its
// place in the module's text ("%x: OpFAdd"), or among its words ("module word
// offset 57, id %12: OpFAdd").
func (m *Module) locate(i int) (pos diag.Pos, what string) {
	in := &m.Insts[i]
	pos, what = m.TextPos(i), in.Op.String()
	switch {
	case pos.IsValid() && in.Result != 0:
		return pos, m.IDName(in.Result) + ": " + what
	case pos.IsValid():
		return pos, what
	}
	return diag.Pos{File: m.Name}, wordsOf(m, in)
}

// Locate is Module.Locate, with the source line of an instruction that has one
// and did not come as text.
func (u *Unit) Locate(i int) (pos diag.Pos, what string) {
	pos, what = u.Module.locate(i)
	if p := u.PosOf(i); p.IsValid() && !u.TextPos(i).IsValid() {
		pos = p
	}
	return pos, what
}

// wordsOf tells where an instruction is among the words of m.
func wordsOf(m *Module, in *Inst) string {
	where := fmt.Sprintf("module word offset %d", in.Offset)
	if in.Result != 0 {
		where += ", id " + m.IDName(in.Result)
	}
	return where + ": " + in.Op.String()
}

// index finds each id's defining instruction.
func (r *resolver) index() {
	if r.Bound > maxBound {
		panic(bailout{&diag.Error{
			Class: diag.BadInput,
			Pos:   diag.Pos{File: r.Module.Name},
			Msg:   fmt.Sprintf("module word offset 3: id bound %d, expected at most %d", r.Bound, maxBound),
		}})
	}
	top := ID(0)
	for i := range r.Insts {
		id := r.Insts[i].Result
		if id == 0 {
			continue
		}
		if uint32(id) >= r.Bound {
			r.fail(i, "result id is not below the module's bound %d", r.Bound)
		}
		top = max(top, id)
	}
	r.def = make([]int32, top+1)
	for i := range r.Insts {
		id := r.Insts[i].Result
		if id == 0 {
			continue
		}
		if r.def[id] != 0 {
			r.fail(i, "id is already the result of the instruction at module word offset %d", r.Insts[r.def[id]-1].Offset)
		}
		r.def[id] = int32(i + 1)
	}
	r.results = make([]any, len(r.Insts))
	r.blocks = make([]*Block, len(r.Insts))
	r.names = make([]string, len(r.Insts))
	r.decorations = make([][]decoration, len(r.Insts))
}

// arg gives operand word k of instruction i.
func (r *resolver) arg(i, k int) uint32 {
	args := r.Insts[i].Args
	if k >= len(args) {
		r.fail(i, "has %d operand words after its result, expected at least %d", len(args), k+1)
	}
	return args[k]
}

// target gives the index of the instruction that defines operand id of
// instruction i.
func (r *resolver) target(i int, id ID) int {
	d := r.Def(id)
	if d < 0 {
		r.fail(i, "operand %s is not defined in the module", r.IDName(id))
	}
	return d
}

// text gives the literal string that starts at operand word k.
func (r *resolver) text(i, k int) string {
	r.arg(i, k)
	s, _, ok := String(r.Insts[i].Args[k:])
	if !ok {
		r.fail(i, "literal string has no terminating zero byte")
	}
	return s
}

// readModes reads the module's capabilities, extensions and memory model.
func (r *resolver) readModes() {
	kernel, shader := false, false
	for i := range r.Insts {
		switch r.Insts[i].Op {
		case OpCapability:
			c := Capability(r.arg(i, 0))
			kernel = kernel || c == CapabilityKernel
			shader = shader || c == CapabilityShader
			r.Capabilities = append(r.Capabilities, c)
		case OpExtension:
			r.Extensions = append(r.Extensions, r.text(i, 0))
		case OpMemoryModel:
			r.Addressing = AddressingModel(r.arg(i, 0))
			r.Memory = MemoryModel(r.arg(i, 1))
		case OpExtInstImport:
			r.results[i] = extSet(r.text(i, 0))
		}
	}
	r.structured = shader || !kernel
}

// readBody resolves types, constants and module-scope variables in module
// order, then the functions.
func (r *resolver) readBody() {
	r.forward = map[ID]*Type{}
	for i := 0; i < len(r.Insts); i++ {
		in := &r.Insts[i]
		switch {
		case in.Op == OpFunction:
			i = r.readFunction(i)
		case isTypeDeclaration(in.Op):
			r.readType(i)
		case in.Op == OpVariable:
			v := r.readVariable(i)
			if v.Storage == StorageClassFunction {
				r.fail(i, "variable of storage class Function outside a function")
			}
			r.Globals = append(r.Globals, v)
		case isConstant(in.Op):
			r.readConst(i)
		case !outsideFunctions(in.Op):
			r.fail(i, "expected inside a function, found outside")
		}
	}
	r.layOutWorkgroup()
	for _, f := range r.Functions {
		r.readFlow(f)
	}
}

// outsideFunctions reports whether an instruction other than a type, constant
// or variable may stand outside functions.
func outsideFunctions(op Opcode) bool {
	switch op {
	case OpNop, OpExtInst, OpSamplerImageAddressingModeNV:
		return true
	}
	switch op.Class() {
	case "Annotation", "Debug", "Extension", "Mode-Setting":
		return true
	}
	return false
}

func (r *resolver) readVariable(i int) *Variable {
	in := &r.Insts[i]
	t := r.Type(in.Type)
	if t == nil || t.Kind != Pointer {
		r.fail(i, "result type %s is not a pointer type", r.IDName(in.Type))
	}
	v := &Variable{ID: in.Result, Type: t, Storage: StorageClass(r.arg(i, 0)), Index: i}
	if v.Storage != t.Storage {
		r.fail(i, "storage class %s differs from that of its pointer type, %s", v.Storage, t.Storage)
	}
	if len(in.Args) > 1 {
		v.Init = ID(in.Args[1])
		d := r.target(i, v.Init)
		_, isVar := r.results[d].(*Variable)
		c, _ := r.results[d].(*Const)
		switch {
		case isVar && r.Insts[d].Op == OpVariable && d < i:
		case c == nil:
			r.fail(i, "initializer %s is neither a constant nor a module-scope variable", r.IDName(v.Init))
		case c.Type != t.Elem:
			r.fail(i, "initializer %s is of type %s, expected %s", r.IDName(v.Init), c.Type, t.Elem)
		}
	}
	r.checkLayout(i, v)
	r.results[i] = v
	return v
}

// checkLayout requires of a block in externally visible memory that all of it
// is laid out by decorations.
func (r *resolver) checkLayout(i int, v *Variable) {
	switch v.Storage {
	case StorageClassStorageBuffer, StorageClassUniform, StorageClassPushConstant:
	default:
		return
	}
	t := v.Type.Elem
	for t.Kind == Array || t.Kind == RuntimeArray {
		t = t.Elem
	}
	if t.Kind == Struct && (t.Block || t.BufferBlock) && !t.laidOut {
		r.fail(i, "block %s lacks an Offset, ArrayStride or MatrixStride decoration", r.DisplayName(t.ID))
	}
}
