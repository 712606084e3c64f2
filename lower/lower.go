package lower

import (
	"fmt"

	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/spirv"
)

// Limits on a lowered program. Calls are inlined, so a call graph of n levels
// can grow as 2^n.
const (
	maxOps     = 4 << 20
	maxRows    = 1 << 22
	maxScalars = 1 << 20 // of one value
	maxDepth   = 256     // nested calls
)

// Options say what a program is for.
type Options struct {
	Width int // lanes per warp
	// Exact keeps every intermediate value in rows of its own, as a debugger needs
	// it, and notes where the values of ids are. It implies Checks.
	Exact bool
	// Checks makes programs check indexes into the parts of variables, keep
	// OpUndef apart from constants, and notice operations without a defined
	// result.
	Checks bool
}

// Binder tells where a launch has put what the variables of a module name. Its
// errors are the lowering's.
type Binder interface {
	// Views gives the views of a buffer, push-constant or Workgroup variable: n
	// consecutive ones from first on, more than one for an array of descriptors.
	Views(u *spirv.Unit, v *spirv.Variable) (first, n int, err error)
	// Images gives the descriptors of an image or sampler variable likewise.
	Images(u *spirv.Unit, v *spirv.Variable) (first, n int, err error)
}

// lowerer turns an entry point into a Program.
type lowerer struct {
	u      *spirv.Unit
	ep     *spirv.EntryPoint
	bind   Binder
	p      *program.Program
	width  int
	stride uint32
	checks bool         // see Options.Checks
	path   diag.Element // with checks: names what the access chain being lowered has come to
	fuse   bool         // combine instructions; off where every intermediate value must stay visible

	rows       uint32 // rows allocated
	consts     map[uint64]uint32
	constants  map[uint32]uint64 // consts by row
	globals    map[spirv.ID]*pointer
	nonUniform map[spirv.ID]bool // ids that something decorated NonUniform is made of; nil until asked for
	uses       []int32           // by id: how often it is an operand in function bodies
	maxN       uint32            // most elements that one operation writes through scratch rows
	fixes      []func()          // fill in pcs once all code has been emitted, in order
	frame      *frame
	inst       int   // instruction that is being lowered
	blockStart int   // pc of the current block's first operation
	pending    int64 // instructions since the last operation that counted them

	functions map[program.Symbol]int32 // index into Program.Functions
	modes     map[uint8]program.Mode   // floating-point execution modes by width
}

// frame is an inlined activation of a function during lowering.
type frame struct {
	index  int32
	fn     *spirv.Function
	parent *frame
	vals   map[spirv.ID]value
	blocks map[*spirv.Block]*blockCode
	infos  map[*spirv.Construct]int32 // index into Program.Constructs
	call   int32                      // construct of the call, 0 for the entry point
	result value
}

// blockCode is where a block's code is.
type blockCode struct {
	entry  int // pc, -1 until emitted
	header int // pc after the Enter of a loop header
}

// value is an SSA value: the rows of its scalars (element offsets), or a
// pointer whose address is not computed yet.
type value struct {
	rows []uint32
	ptr  *pointer
}

// stop is the panic that carries an error out of the lowering.
type stop struct{ err error }

func (l *lowerer) fail(class diag.ErrorClass, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	pos := diag.Pos{File: l.u.Module.Name}
	if l.inst >= 0 && l.inst < len(l.u.Insts) {
		at, what := l.u.Locate(l.inst)
		pos = at
		msg += " (" + what + ")"
	}
	panic(stop{&diag.Error{Class: class, Pos: pos, Msg: msg}})
}

func (l *lowerer) unsupported(what string) {
	l.fail(diag.Unsupported, "unsupported: %s", what)
}

func (l *lowerer) bad(format string, args ...any) { l.fail(diag.BadInput, format, args...) }

// Lower makes the program of an entry point of a valid module. The error is a
// *diag.Error at the instruction that cannot be lowered, or the Binder's.
func Lower(u *spirv.Unit, ep *spirv.EntryPoint, b Binder, opt Options) (p *program.Program, err error) {
	l := &lowerer{
		u: u, ep: ep, bind: b, width: opt.Width, stride: uint32(opt.Width+3) &^ 3, fuse: !opt.Exact, checks: opt.Checks || opt.Exact,
		consts: map[uint64]uint32{}, constants: map[uint32]uint64{}, globals: map[spirv.ID]*pointer{},
		functions: map[program.Symbol]int32{}, inst: -1,
	}
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			p, err = nil, s.err
		}
	}()
	l.p = &program.Program{
		Width: opt.Width, Stride: int(l.stride), Unit: u, TileSize: ep.LocalSize,
		Constructs: []program.ConstructInfo{{Kind: program.CallConstruct, Merge: -1}},
	}
	l.checkModes()
	l.countUses()
	fn := u.Function(ep.Function)
	if fn == nil || len(fn.Blocks) == 0 {
		l.bad("entry point %q has no body", ep.Name)
	}
	l.p.Entry = 0
	l.initGlobals()
	l.body(fn, nil, nil)
	for _, fix := range l.fixes {
		fix()
	}
	l.p.Scratch = l.alloc(int(l.maxN/l.stride) + 1)
	l.p.Rows = int(l.rows)
	if err := l.p.Check(); err != nil {
		panic(err)
	}
	return l.p, nil
}

// alloc reserves n consecutive rows and returns the element offset of the
// first.
func (l *lowerer) alloc(n int) uint32 {
	if n > maxRows || int(l.rows)+n > maxRows {
		l.unsupported(fmt.Sprintf("a thread with more than %d registers", maxRows))
	}
	off := l.rows * l.stride
	l.rows += uint32(n)
	return off
}

// allocRows reserves n consecutive rows and lists them.
func (l *lowerer) allocRows(n int) []uint32 {
	base := l.alloc(n)
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = base + uint32(i)*l.stride
	}
	return rows
}

// constant is the row that holds bits in every lane.
func (l *lowerer) constant(bits uint64) uint32 {
	if r, ok := l.consts[bits]; ok {
		return r
	}
	r := l.alloc(1)
	l.consts[bits], l.constants[r] = r, bits
	l.p.Consts = append(l.p.Consts, program.ConstRow{Row: r, Bits: bits})
	return r
}

// emit appends an operation.
func (l *lowerer) emit(op program.Op) int {
	pc := len(l.p.Code)
	if pc >= maxOps {
		l.unsupported(fmt.Sprintf("a kernel of more than %d operations after inlining", maxOps))
	}
	l.p.Code = append(l.p.Code, op)
	l.p.Inst = append(l.p.Inst, int32(l.inst))
	l.p.Frame = append(l.p.Frame, l.frame.index)
	return pc
}

// compute appends a value operation, which may write through scratch rows.
func (l *lowerer) compute(op program.Op) {
	if op.N == 0 {
		op.N = l.stride
	}
	l.maxN = max(l.maxN, op.N)
	l.emit(op)
}

// contiguous reports whether rows follow each other in the arena.
func (l *lowerer) contiguous(rows []uint32) bool {
	for i := 1; i < len(rows); i++ {
		if rows[i] != rows[i-1]+l.stride {
			return false
		}
	}
	return true
}

// spread emits a value operation once for all components if the operands lie
// in consecutive rows, once per component otherwise.
func (l *lowerer) spread(op program.Op, dst []uint32, a, b, c []uint32) {
	if len(dst) > 1 && l.contiguous(dst) && l.contiguous(a) && l.contiguous(b) && l.contiguous(c) {
		op.Dst, op.N = dst[0], uint32(len(dst))*l.stride
		op.A = a[0]
		if b != nil {
			op.B = b[0]
		}
		if c != nil {
			op.C = c[0]
		}
		l.compute(op)
		return
	}
	for i, d := range dst {
		op.Dst, op.N = d, l.stride
		op.A = a[i]
		if b != nil {
			op.B = b[i]
		}
		if c != nil {
			op.C = c[i]
		}
		l.compute(op)
	}
}

// move copies rows, runs of consecutive ones at once.
func (l *lowerer) move(dst, src []uint32) {
	for i := 0; i < len(dst); {
		n := 1
		for i+n < len(dst) && dst[i+n] == dst[i]+uint32(n)*l.stride && src[i+n] == src[i]+uint32(n)*l.stride {
			n++
		}
		if dst[i] != src[i] {
			l.emit(program.Op{Code: program.Mov, Dst: dst[i], A: src[i], N: uint32(n) * l.stride})
		}
		i += n
	}
}

// countUses counts the operands that are ids in all function bodies.
func (l *lowerer) countUses() {
	l.uses = make([]int32, l.u.Bound)
	for _, f := range l.u.Functions {
		for i := f.Index; i < len(l.u.Insts) && l.u.Insts[i].Op != spirv.OpFunctionEnd; i++ {
			in := &l.u.Insts[i]
			switch in.Op {
			case spirv.OpLabel, spirv.OpLine, spirv.OpNoLine, spirv.OpVariable, spirv.OpFunction, spirv.OpFunctionParameter:
				continue
			}
			// Words that are literals may be counted as ids: that only keeps an
			// instruction from being combined with its user.
			for _, w := range in.Args {
				if w < l.u.Bound {
					l.uses[w]++
				}
			}
		}
	}
}

// checkModes reads the execution modes that change arithmetic.
func (l *lowerer) checkModes() {
	l.modes = map[uint8]program.Mode{}
	for _, m := range l.ep.Modes {
		switch m.Mode {
		case spirv.ExecutionModeDenormFlushToZero, spirv.ExecutionModeRoundingModeRTZ:
			width := uint8(m.Args[0])
			mode := l.modes[width]
			if m.Mode == spirv.ExecutionModeRoundingModeRTZ {
				mode.RTZ = true
			} else {
				mode.FlushDenorms = true
			}
			l.modes[width] = mode
		}
	}
}

// kind is the scalar kind of a type's components; pointers and handles are
// 64-bit integers.
func (l *lowerer) kind(t *spirv.Type) program.Kind {
	c := t.Component()
	if c == nil {
		return program.Kind{Width: 64}
	}
	switch c.Kind {
	case spirv.Bool:
		return program.Kind{Width: 1}
	case spirv.Float:
		return program.Kind{Float: true, Width: uint8(c.Width)}
	}
	return program.Kind{Width: uint8(c.Width), Signed: c.Signed}
}

// body lowers the body of fn with its parameters bound, and returns the
// rows of its result. frame.call is the construct that a return leaves for.
func (l *lowerer) body(fn *spirv.Function, args []value, parent *frame) value {
	f := &frame{
		fn: fn, parent: parent, index: int32(len(l.p.Frames)),
		vals: map[spirv.ID]value{}, blocks: map[*spirv.Block]*blockCode{}, infos: map[*spirv.Construct]int32{},
	}
	depth := 0
	for p := parent; p != nil; p = p.parent {
		depth++
		if p.fn == fn {
			l.bad("recursive call of %s", l.u.DisplayName(fn.ID))
		}
	}
	if depth > maxDepth {
		l.unsupported(fmt.Sprintf("calls nested more than %d deep", maxDepth))
	}
	info := program.Frame{Parent: -1, Function: fn, CallInst: -1}
	if parent != nil {
		info.Parent, info.CallInst = parent.index, int32(l.inst)
		f.call = int32(len(l.p.Constructs))
		l.p.Constructs = append(l.p.Constructs, program.ConstructInfo{
			Kind: program.CallConstruct, Merge: -1, Inst: int32(l.inst), Frame: parent.index,
		})
	}
	l.p.Frames = append(l.p.Frames, info)
	for i, id := range fn.Params {
		f.vals[id] = args[i]
	}
	callInst := l.inst
	l.frame = f
	if parent != nil {
		l.emit(program.Op{Code: program.Enter, X: f.call})
		if n := fn.Type.Return.Scalars(); n > 0 {
			l.checkScalars(n)
			f.result = value{rows: l.allocRows(n)}
		}
	}
	l.blocks(fn)
	if !l.fuse {
		l.recordPlaces(f)
	}
	l.inst = callInst
	l.frame = parent
	if parent != nil {
		l.p.Constructs[f.call].Merge = int32(len(l.p.Code))
	}
	return f.result
}

func (l *lowerer) checkScalars(n int) {
	if n > maxScalars {
		l.unsupported(fmt.Sprintf("a value of %d scalars", n))
	}
}

// val is the value of an id: an instruction's result, a constant, or a
// module-scope variable.
func (l *lowerer) val(id spirv.ID) value {
	if v, ok := l.frame.vals[id]; ok {
		return v
	}
	if c := l.u.Const(id); c != nil {
		l.checkScalars(len(c.Bits))
		if l.checks && hasUndef(c) {
			v := l.undef(c)
			l.frame.vals[id] = v
			return v
		}
		rows := make([]uint32, len(c.Bits))
		for i, b := range c.Bits {
			rows[i] = l.constant(b)
		}
		v := value{rows: rows}
		l.frame.vals[id] = v
		return v
	}
	if v := l.u.Var(id); v != nil && v.Storage != spirv.StorageClassFunction {
		return value{ptr: l.global(v)}
	}
	l.bad("%s is used before it has a value", l.u.DisplayName(id))
	return value{}
}

// rowsOf is the rows of an id's value; a pointer's address is computed.
func (l *lowerer) rowsOf(id spirv.ID) []uint32 {
	v := l.val(id)
	if v.ptr != nil {
		return []uint32{l.address(v.ptr)}
	}
	return v.rows
}

// row is the row of a scalar.
func (l *lowerer) row(id spirv.ID) uint32 {
	r := l.rowsOf(id)
	if len(r) != 1 {
		l.bad("%s is not a scalar", l.u.DisplayName(id))
	}
	return r[0]
}

// set gives the current instruction's result its value.
func (l *lowerer) set(v value) {
	l.frame.vals[l.u.Insts[l.inst].Result] = v
}

func (l *lowerer) setRows(rows []uint32) { l.set(value{rows: rows}) }

// result allocates the rows of the current instruction's result.
func (l *lowerer) result() []uint32 {
	in := &l.u.Insts[l.inst]
	n := l.u.Type(in.Type).Scalars()
	l.checkScalars(n)
	rows := l.allocRows(n)
	l.setRows(rows)
	return rows
}

// resultType is the type of the current instruction's result.
func (l *lowerer) resultType() *spirv.Type { return l.u.Type(l.u.Insts[l.inst].Type) }

// uintConst is the value of an integer constant operand.
func (l *lowerer) uintConst(id spirv.ID, what string) uint32 {
	c := l.u.Const(id)
	if c == nil || len(c.Bits) != 1 {
		l.unsupported(what + " that is not a constant")
	}
	return uint32(c.Bits[0])
}
