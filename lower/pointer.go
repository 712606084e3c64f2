package lower

import (
	"fmt"

	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
)

// pointerBase says what a pointer is relative to.
type pointerBase uint8

const (
	varBase    pointerBase = iota // a register variable: offsets count rows
	viewBase                      // a view known when lowering: offsets count bytes
	rowBase                       // a 64-bit pointer in a row
	arrayBase                     // an array of descriptors, not indexed yet
	handleBase                    // an image or sampler descriptor
	texelBase                     // a texel (OpImageTexelPointer)
)

// pointer is an address that is computed where it is used, so that indexing
// becomes part of the memory operation.
type pointer struct {
	base    pointerBase
	typ     *spirv.Type // pointee
	layout  spirv.Layout
	storage spirv.StorageClass
	whole   *spirv.Type // viewBase: what the view holds, if the variable is all of it
	index   int32       // variable, view or descriptor array
	row     uint32      // rowBase, handleBase (the handle), texelBase (the handle)
	off     int64
	terms   []term
	coord   []uint32 // texelBase
	sample  uint32
	image   *spirv.Type // texelBase
}

// term is an index times a stride.
type term struct {
	row    uint32
	sh     uint8 // sign extension
	stride int64
}

// extension is how an index of the type is widened to 64 bits: signed ones
// are sign-extended by shifting left and back.
func extension(t *spirv.Type, signed bool) uint8 {
	if signed && t.Width < 64 {
		return uint8(64 - t.Width)
	}
	return 0
}

// initGlobals makes the variables that the entry point's interface gives
// before it starts: built-in inputs, and Private variables with initialisers.
func (l *lowerer) initGlobals() {
	l.frame = &frame{vals: map[spirv.ID]value{}}
	for _, v := range l.u.Globals {
		if v.Storage == spirv.StorageClassPrivate && l.uses[v.ID] > 0 {
			l.inst = v.Index
			l.global(v)
		}
	}
}

// global is the pointer to a module-scope variable.
func (l *lowerer) global(v *spirv.Variable) *pointer {
	if p, ok := l.globals[v.ID]; ok {
		return p
	}
	saved := l.inst
	l.inst = v.Index
	p := &pointer{typ: v.Type.Elem, storage: v.Storage, layout: spirv.LayoutOf(v.Type)}
	switch v.Storage {
	case spirv.StorageClassPrivate:
		l.registerVariable(p, v, 0)
		if v.Init != 0 {
			l.move(l.variableRows(p), l.val(v.Init).rows)
		}
	case spirv.StorageClassInput:
		l.registerVariable(p, v, 0)
		l.builtin(v, l.variableRows(p))
	case spirv.StorageClassUniformConstant:
		p.base = handleBase
		first, n, err := l.bind.Images(l.u, v)
		if err != nil {
			panic(stop{err})
		}
		p.row = l.constant(uint64(first) | uint64(first)<<32)
		p.off, p.index = int64(first), int32(n) // the first slot and the number of descriptors
	default:
		first, n, err := l.bind.Views(l.u, v)
		if err != nil {
			panic(stop{err})
		}
		l.p.Views = max(l.p.Views, first+n)
		p.base, p.index, p.whole = viewBase, int32(first), p.typ
		if v.DescriptorArray() {
			p.base, p.index = arrayBase, int32(len(l.p.Arrays))
			l.p.Arrays = append(l.p.Arrays, program.ArrayInfo{ID: v.ID, First: int32(first), Len: int32(n)})
		}
	}
	l.inst = saved
	l.globals[v.ID] = p
	return p
}

// registerVariable gives a Function, Private or Input variable its rows.
func (l *lowerer) registerVariable(p *pointer, v *spirv.Variable, frame int32) {
	n := p.typ.Scalars()
	if n > maxRows {
		l.unsupported(fmt.Sprintf("variable %s of %d scalars", l.u.DisplayName(v.ID), n))
	}
	p.base, p.index = varBase, int32(len(l.p.Vars))
	row := l.alloc(n)
	l.p.Vars = append(l.p.Vars, program.VarInfo{
		ID: v.ID, Frame: frame, Type: p.typ, Row: int32(row / l.stride), Rows: int32(n), Storage: v.Storage,
	})
}

// variableRows lists the rows of a whole register variable.
func (l *lowerer) variableRows(p *pointer) []uint32 {
	info := &l.p.Vars[p.index]
	return l.rowRange(uint32(info.Row)*l.stride, int(info.Rows))
}

func (l *lowerer) rowRange(first uint32, n int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = first + uint32(i)*l.stride
	}
	return rows
}

// variables makes the Function variables of fn, at its start.
func (l *lowerer) variables(fn *spirv.Function) {
	for _, v := range fn.Vars {
		l.inst = v.Index
		p := &pointer{typ: v.Type.Elem, storage: v.Storage}
		l.registerVariable(p, v, l.frame.index)
		l.frame.vals[v.ID] = value{ptr: p}
	}
}

// builtin connects an input variable to the built-in value it is decorated
// with.
func (l *lowerer) builtin(v *spirv.Variable, rows []uint32) {
	args, ok := l.u.Decoration(v.ID, spirv.DecorationBuiltIn)
	if !ok {
		l.unsupported(fmt.Sprintf("input variable %s without a BuiltIn decoration", l.u.DisplayName(v.ID)))
	}
	b := spirv.BuiltIn(args[0])
	switch b {
	case spirv.BuiltInNumWorkgroups, spirv.BuiltInWorkgroupSize, spirv.BuiltInWorkgroupId,
		spirv.BuiltInLocalInvocationId, spirv.BuiltInGlobalInvocationId, spirv.BuiltInLocalInvocationIndex,
		spirv.BuiltInSubgroupSize, spirv.BuiltInSubgroupMaxSize, spirv.BuiltInNumSubgroups, spirv.BuiltInSubgroupId,
		spirv.BuiltInSubgroupLocalInvocationId, spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask,
		spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask, spirv.BuiltInSubgroupLtMask,
		spirv.BuiltInDeviceIndex:
	default:
		l.unsupported("built-in " + b.String())
	}
	if n := len(rows); n > 4 || n == 0 {
		l.bad("built-in %v with %d components", b, n)
	}
	l.p.Builtins = append(l.p.Builtins, program.BuiltinInfo{BuiltIn: b, Rows: rows})
}

// pointerOf is the pointer that an id is.
func (l *lowerer) pointerOf(id spirv.ID) *pointer {
	v := l.val(id)
	if v.ptr != nil {
		return v.ptr
	}
	t := l.u.TypeOf(id)
	if t == nil || t.Kind != spirv.Pointer || len(v.rows) != 1 {
		l.bad("%s is not a pointer", l.u.DisplayName(id))
	}
	return &pointer{base: rowBase, typ: t.Elem, storage: t.Storage, layout: spirv.LayoutOf(t), row: v.rows[0]}
}

// child is the pointer to a part of what p points to. index is the id of the
// index.
func (l *lowerer) child(p *pointer, id spirv.ID) *pointer {
	q := *p
	q.terms = q.terms[:len(q.terms):len(q.terms)]
	t := p.typ
	it := l.u.TypeOf(id)
	if it == nil || it.Kind != spirv.Int {
		l.bad("index %s is not an integer", l.u.DisplayName(id))
	}
	c := l.u.Const(id)
	switch p.base {
	case arrayBase:
		arr := &l.p.Arrays[p.index]
		q.typ = t.Elem
		if c != nil && c.Bits[0] < uint64(arr.Len) {
			q.base, q.index = viewBase, arr.First+int32(c.Bits[0])
			return &q
		}
		row := l.alloc(1)
		l.checkDescriptor(id)
		l.emit(program.Op{Code: program.PtrToElem, X: p.index, B: l.row(id), C: l.constant(0), Dst: row, N: l.stride})
		q.base, q.row = rowBase, row
		return &q
	case handleBase:
		if t.Kind != spirv.Array && t.Kind != spirv.RuntimeArray {
			l.bad("index into %s, which is not an array", t)
		}
		q.typ = t.Elem
		l.handleElement(p, &q, id)
		q.index = 1
		return &q
	}
	if !t.IsComposite() {
		l.bad("index into %s, which has no parts", t)
	}
	if t.Kind == spirv.Struct {
		if c == nil {
			l.bad("struct member index %s is not a constant", l.u.DisplayName(id))
		}
		i := int(uint32(c.Bits[0]))
		if t.Child(i) == nil {
			l.bad("member %d of %s, which has %d", i, t, len(t.Members))
		}
		part, off, in := t.Place(p.layout, i)
		q.typ, q.layout = part, in
		if p.base == varBase {
			off = t.ChildScalar(i)
		}
		q.off += int64(off)
		return &q
	}
	part, _, in := t.Place(p.layout, 0)
	stride := int64(t.Stride(p.layout))
	if p.base == varBase {
		stride = int64(t.Elem.Scalars())
	}
	q.typ, q.layout = part, in
	if c != nil {
		i := int64(c.Bits[0])
		if it.Signed {
			i = c.Int()
		}
		if l.inRange(t, i) {
			q.off += i * stride
			return &q
		}
	}
	next := l.term(id, it, it.Signed, stride)
	l.checkIndex(p, t, id, next, l.path)
	q.terms = append(q.terms, next)
	return &q
}

// term is the index id, of the integer type it, times stride. A 64-bit index
// is cut to what leads outside of every view, so that the product cannot wrap
// around and come back in.
func (l *lowerer) term(id spirv.ID, it *spirv.Type, signed bool, stride int64) term {
	t := term{row: l.row(id), sh: extension(it, signed), stride: stride}
	if it.Width == 64 {
		most := int64(tilemem.MaxSize/max(stride, 1) + 1)
		cut := program.Symbol{Set: program.Machine, Op: uint32(program.ClampUnsigned), N: most}
		if signed {
			cut.Op = uint32(program.ClampSigned)
		}
		t.row = l.alloc(1)
		l.compute(program.Op{Code: program.Call1, Dst: t.row, A: l.row(id), X: l.function(cut)})
	}
	return t
}

// inRange reports whether a constant index can be folded: one out of range
// stays in the operation, so that it faults where it is executed.
func (l *lowerer) inRange(t *spirv.Type, i int64) bool {
	return i >= 0 && i < 1<<31 && (t.Kind == spirv.RuntimeArray || i < int64(t.Len))
}

// accessChain lowers OpAccessChain and its relatives.
func (l *lowerer) accessChain(in *spirv.Inst) {
	p := l.pointerOf(spirv.ID(in.Args[0]))
	indexes := in.Args[1:]
	switch in.Op {
	case spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain:
		p = l.element(p, spirv.ID(in.Args[0]), spirv.ID(in.Args[1]))
		indexes = in.Args[2:]
	}
	for k, id := range indexes {
		if l.checks {
			l.path = l.partPath(spirv.ID(in.Args[0]), indexes[:k])
		}
		p = l.child(p, spirv.ID(id))
	}
	l.set(value{ptr: p})
}

// element steps a pointer over whole elements (OpPtrAccessChain).
func (l *lowerer) element(p *pointer, base, id spirv.ID) *pointer {
	q := *p
	it := l.u.TypeOf(id)
	if it == nil || it.Kind != spirv.Int {
		l.bad("element %s is not an integer", l.u.DisplayName(id))
	}
	if p.base != viewBase && p.base != rowBase {
		l.unsupported("OpPtrAccessChain in " + p.storage.String() + " storage")
	}
	stride := int64(l.u.TypeOf(base).Stride(p.layout))
	if c := l.u.Const(id); c != nil {
		q.off += c.Int() * stride
		return &q
	}
	q.terms = append(q.terms[:len(q.terms):len(q.terms)], l.term(id, it, true, stride))
	return &q
}

// index reduces the terms of a pointer to one: a row, its extension and its
// stride.
func (l *lowerer) index(p *pointer) term {
	switch len(p.terms) {
	case 0:
		return term{row: l.constant(0)}
	case 1:
		if t := p.terms[0]; t.stride == int64(int32(t.stride)) {
			return t
		}
	}
	sum := l.constant(0)
	for _, t := range p.terms {
		next := l.alloc(1)
		if t.stride != int64(int32(t.stride)) {
			l.unsupported(fmt.Sprintf("an array stride of %d bytes", t.stride))
		}
		l.compute(program.Op{Code: program.PtrAdd, Dst: next, A: sum, C: t.row, Sh: t.sh, Y: int32(t.stride), Flag: 1})
		sum = next
	}
	return term{row: sum, stride: 1}
}

// twoTerms takes the second of two index terms out of a pointer into a view:
// loads and stores there have room for it.
func (l *lowerer) twoTerms(p *pointer) (*pointer, *term) {
	if p.base != viewBase || len(p.terms) != 2 || p.terms[0].sh != p.terms[1].sh {
		return p, nil
	}
	for _, t := range p.terms {
		if t.stride != int64(int32(t.stride)) {
			return p, nil
		}
	}
	q := *p
	q.terms = p.terms[:1:1]
	return &q, &p.terms[1]
}

// address computes a pointer into a row.
func (l *lowerer) address(p *pointer) uint32 {
	i := l.index(p)
	if p.base == rowBase && p.off == 0 && len(p.terms) == 0 || p.base == handleBase {
		return p.row
	}
	row := l.alloc(1)
	op := program.Op{Code: program.PtrTo, Dst: row, C: i.row, Sh: i.sh, Y: int32(i.stride), Imm: p.off}
	switch p.base {
	case viewBase:
		op.X = p.index
	case rowBase:
		op.Code, op.A = program.PtrAdd, p.row
	default:
		l.unsupported("a pointer into " + p.storage.String() + " storage as a value")
	}
	l.compute(op)
	return row
}

// piece is a run of scalars that lie contiguous in memory.
type piece struct {
	off   int64 // bytes from the pointer
	width int   // bytes per scalar
	first int   // index of the first scalar
	n     int
	bool  bool
}

// pieces cuts a value into contiguous runs of scalars of one size, each within
// one vector or column.
func (l *lowerer) pieces(t *spirv.Type, layout spirv.Layout) []piece {
	l.checkScalars(t.Scalars())
	var out []piece
	n := 0
	t.Walk(layout, func(path []int, s *spirv.Type, off int) bool {
		width, isBool := scalarBytes(s)
		if k := len(out) - 1; k >= 0 && len(path) > 0 && path[len(path)-1] > 0 &&
			out[k].width == width && out[k].bool == isBool && out[k].off+int64(out[k].n*width) == int64(off) {
			out[k].n++
		} else {
			out = append(out, piece{off: int64(off), width: width, first: n, n: 1, bool: isBool})
		}
		n++
		return true
	})
	return out
}

// scalarBytes is the size of a scalar in memory.
func scalarBytes(s *spirv.Type) (width int, isBool bool) {
	switch s.Kind {
	case spirv.Bool:
		return 4, true
	case spirv.Int, spirv.Float:
		return s.Width / 8, false
	}
	return 8, false // pointers and handles
}

var (
	loadCodes  = map[int]program.Code{1: program.Load8, 2: program.Load16, 4: program.Load32, 8: program.Load64}
	storeCodes = map[int]program.Code{1: program.Store8, 2: program.Store16, 4: program.Store32, 8: program.Store64}
)

// alignment is the Aligned memory operand among the words after a mask of
// memory operands, 0 if there is none.
func alignment(operands []uint32) int64 {
	if len(operands) > 1 && spirv.MemoryAccess(operands[0])&spirv.MemoryAccessAligned != 0 {
		return int64(operands[1])
	}
	return 0
}

// aligned is the alignment that a piece of an access of the given alignment
// keeps.
func (c *piece) aligned(align int64) uint32 {
	for align > 1 && c.off%align != 0 {
		align /= 2
	}
	return uint32(align)
}

// load reads what p points to, an address that is a multiple of align bytes (0
// if nothing is known).
func (l *lowerer) load(p *pointer, align int64) value {
	switch p.base {
	case varBase:
		return value{rows: l.loadVariable(p)}
	case handleBase:
		return value{rows: []uint32{p.row}}
	case arrayBase, texelBase:
		l.unsupported("OpLoad of " + p.typ.String())
	}
	rows := l.allocRows(p.typ.Scalars())
	p, second := l.twoTerms(p)
	index := l.index(p)
	for _, c := range l.pieces(p.typ, p.layout) {
		op := program.Op{N: uint32(c.n), Dst: rows[c.first], C: index.row, Sh: index.sh, Y: int32(index.stride), Imm: p.off + c.off}
		if p.base == viewBase {
			op.Code, op.X = loadCodes[c.width], p.index
			if second != nil {
				op.Flag, op.A, op.B = 1, second.row, uint32(second.stride)
			}
		} else {
			op.Code, op.A, op.B, op.Flag = program.LoadPtr, p.row, c.aligned(align), uint8(c.width)
		}
		l.emit(op)
		if c.bool {
			for _, r := range rows[c.first : c.first+c.n] {
				l.compute(program.Op{Code: program.INe, Dst: r, A: r, B: l.constant(0)})
			}
		}
	}
	return value{rows: rows}
}

// store writes src to what p points to, likewise.
func (l *lowerer) store(p *pointer, src []uint32, align int64) {
	switch p.base {
	case varBase:
		l.storeVariable(p, src)
		return
	case arrayBase, texelBase, handleBase:
		l.unsupported("OpStore to " + p.typ.String())
	}
	p, second := l.twoTerms(p)
	index := l.index(p)
	for _, c := range l.pieces(p.typ, p.layout) {
		part := src[c.first : c.first+c.n]
		if !l.contiguous(part) {
			packed := l.allocRows(len(part))
			l.move(packed, part)
			part = packed
		}
		op := program.Op{N: uint32(c.n), A: part[0], C: index.row, Sh: index.sh, Y: int32(index.stride), Imm: p.off + c.off}
		if p.base == viewBase {
			op.Code, op.X = storeCodes[c.width], p.index
			if second != nil {
				op.Flag, op.Dst, op.B = 1, second.row, uint32(second.stride)
			}
		} else {
			op.Code, op.A, op.B, op.Dst, op.Flag = program.StorePtr, p.row, part[0], c.aligned(align), uint8(c.width)
		}
		l.emit(op)
	}
}

// loadVariable copies (part of) a register variable. The copy is needed since
// the variable may change before the value is used.
func (l *lowerer) loadVariable(p *pointer) []uint32 {
	n := p.typ.Scalars()
	l.checkScalars(n)
	info := &l.p.Vars[p.index]
	if len(p.terms) == 0 {
		in := l.rowRange((uint32(info.Row)+uint32(p.off))*l.stride, n)
		if l.readOnly(p) {
			return in
		}
		rows := l.allocRows(n)
		l.move(rows, in)
		return rows
	}
	i := l.index(p)
	rows := l.allocRows(n)
	l.emit(program.Op{Code: program.LoadVar, X: p.index, Dst: rows[0], N: uint32(n), C: i.row, Sh: i.sh, Y: int32(i.stride), Imm: p.off})
	return rows
}

// readOnly reports whether a register variable never changes, so that its
// rows serve as the loaded value.
func (l *lowerer) readOnly(p *pointer) bool { return p.storage == spirv.StorageClassInput }

func (l *lowerer) storeVariable(p *pointer, src []uint32) {
	info := &l.p.Vars[p.index]
	n := len(src)
	if len(p.terms) == 0 {
		l.move(l.rowRange((uint32(info.Row)+uint32(p.off))*l.stride, n), src)
		return
	}
	if !l.contiguous(src) {
		packed := l.allocRows(n)
		l.move(packed, src)
		src = packed
	}
	i := l.index(p)
	l.emit(program.Op{Code: program.StoreVar, X: p.index, A: src[0], N: uint32(n), C: i.row, Sh: i.sh, Y: int32(i.stride), Imm: p.off})
}

// initVariables stores the initialisers of Function variables, where their
// OpVariable is executed.
func (l *lowerer) initVariable(v *spirv.Variable) {
	if v.Init == 0 {
		return
	}
	l.storeVariable(l.frame.vals[v.ID].ptr, l.val(v.Init).rows)
}

// handleElement points to an element of an array of image or sampler
// descriptors.
func (l *lowerer) handleElement(p, q *pointer, id spirv.ID) {
	if c := l.u.Const(id); c != nil && c.Bits[0] < uint64(p.index) {
		q.off += int64(c.Bits[0])
		q.row = l.constant(uint64(q.off) | uint64(q.off)<<32)
		return
	}
	q.row = l.alloc(1)
	l.checkDescriptor(id)
	l.emit(program.Op{Code: program.HandleElem, Dst: q.row, A: p.row, B: l.row(id), X: p.index, N: l.stride})
}
