package racecheck

import (
	"fmt"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// tracer follows values that come from nowhere, from the read of memory that
// no one wrote (or from an OpUndef) through registers and tile_static memory
// to a use that matters: a branch, an address, a store to a buffer. It does the
// same with results of operations that are undefined for some operands (see
// undefined.go).
//
// It runs a dispatch operation by operation, and so only those that a quick
// run has shown to be suspect: see Checker.trace.
type tracer struct {
	m       *emu.Machine
	opt     *Options
	origins []origin // [0] is none
	index   map[originKey]uint32
	tiles   emu.PerTile[*tracedTile]
	global  []*cells                 // by Memory.ID
	varRow  []int32                  // by row: 1 + index into Program.Vars
	found   map[string]*diag.Finding // by what makes them one
	order   []string
	// halting makes a find of these codes halt its warp, and be the latest; see
	// ValueCatch.
	halting Origins
	latest  *diag.Finding
}

// origin is where a value without a source was read.
type origin struct {
	originKey
	variable diag.Element
	space    string
	thread   diag.Thread
	declared diag.Pos
	values   [maxOperands]uint64 // of an operation without a defined result: its operands
	from     int                 // the lane that a subgroup operation read
}

type originKey struct {
	pc  int      // of the read; -1 for a variable that has not been read yet
	v   int      // index into Program.Vars; -1 if it is none
	mem int      // Memory.ID; -1 likewise
	id  spirv.ID // of an OpUndef
	// Of an operation without a defined result: why, its part and the thread's
	// place in its tile.
	why    program.Reason
	part   int
	thread uint32
}

// tracedTile is what is known of the values of a tile.
type tracedTile struct {
	memories []*cells   // by Memory.ID
	rows     [][]uint32 // by warp, by element of its rows: where its value comes from
}

// cells says of the bytes of a memory whether they have been written, and of
// its words where their value comes from.
type cells struct {
	known  []bool
	origin map[int64]uint32 // by word
}

func newTracer(m *emu.Machine, opt *Options) *tracer {
	p := m.Program
	t := &tracer{
		m: m, opt: opt, origins: make([]origin, 1), index: map[originKey]uint32{},
		global: make([]*cells, len(m.Memories)), varRow: make([]int32, p.Rows),
		found: map[string]*diag.Finding{},
	}
	for i := range p.Vars {
		for r := range p.Vars[i].Rows {
			t.varRow[p.Vars[i].Row+r] = int32(i) + 1
		}
	}
	for id, mem := range m.Memories {
		if opt.uninitialized(mem.Name) {
			t.global[id] = &cells{known: make([]bool, mem.Size), origin: map[int64]uint32{}}
		}
	}
	return t
}

// uninitialized reports whether a buffer's contents count as not written.
func (o *Options) uninitialized(name string) bool {
	for _, n := range o.Uninitialized {
		if n == name {
			return true
		}
	}
	return false
}

// Wants implements emu.Wants: all but push constants.
func (t *tracer) Wants(mem *tilemem.Memory) bool { return mem.Space != tilemem.PushConstant }

// TileBegin implements emu.TileObserver.
func (t *tracer) TileBegin(tile *warp.Tile) {
	p := t.m.Program
	x := &tracedTile{memories: make([]*cells, len(t.m.Memories)), rows: make([][]uint32, len(tile.Warps))}
	for id, mem := range t.m.Memories {
		if mem.Space == tilemem.TileStatic && !initialised(t.m, mem) {
			x.memories[id] = &cells{known: make([]bool, mem.Size), origin: map[int64]uint32{}}
		}
	}
	for i := range tile.Warps {
		taint := make([]uint32, p.Rows*p.Stride)
		for i := range p.Vars {
			v := &p.Vars[i]
			if v.Storage == spirv.StorageClassInput {
				continue
			}
			o := t.origin(origin{originKey: originKey{pc: -1, v: i, mem: -1}})
			for e := int(v.Row) * p.Stride; e < int(v.Row+v.Rows)*p.Stride; e++ {
				taint[e] = o
			}
		}
		for _, u := range p.Undefs {
			o := t.origin(origin{
				originKey: originKey{pc: -1, v: -1, mem: -1, id: u.ID}, variable: diag.Element{Name: t.m.Unit.DisplayName(u.ID)}, declared: t.m.InstPos(t.m.Unit.Def(u.ID)),
			})
			for l := range p.Stride {
				taint[int(u.Row)+l] = o
			}
		}
		x.rows[i] = taint
	}
	t.tiles.Begin(tile, x)
}

// TileEnd implements emu.TileObserver.
func (t *tracer) TileEnd(tile *warp.Tile) {
	t.tiles.End(tile)
}

// origin is the number of an origin; the first of a key stays.
func (t *tracer) origin(o origin) uint32 {
	if i, ok := t.index[o.originKey]; ok {
		return i
	}
	i := uint32(len(t.origins))
	t.origins = append(t.origins, o)
	t.index[o.originKey] = i
	return i
}

// read gives a value the origin it has after it was read at pc: the elements
// of a variable without a value get one when they are read.
func (t *tracer) read(w *warp.Warp, o uint32, element, pc int) uint32 {
	if o == 0 || t.origins[o].v < 0 || t.origins[o].pc >= 0 {
		return o
	}
	p := t.m.Program
	v := t.origins[o].v
	row := int64(element/p.Stride) - int64(p.Vars[v].Row)
	k := originKey{pc: pc, v: v, mem: -1}
	if i, ok := t.index[k]; ok {
		return i
	}
	x := t.m.Unit.Var(p.Vars[v].ID)
	return t.origin(origin{
		originKey: k, variable: t.m.VariableElement(v, row), space: "private",
		thread: emu.Thread(w, element%p.Stride), declared: t.m.InstPos(x.Index),
	})
}

// Before implements emu.OperationObserver.
func (t *tracer) Before(w *warp.Warp) { t.before(w, w.PC, &t.m.Program.Code[w.PC]) }

// After implements emu.OperationObserver: all is done before.
func (t *tracer) After(*warp.Warp, int) {}

// before does what the operation at pc is about to do with origins.
func (t *tracer) before(w *warp.Warp, pc int, op *program.Op) {
	taint := t.tiles.Of(w.T).rows[w.Index]
	act := w.Active()
	p := t.m.Program
	use := func(row uint32, what string) {
		for l := act.First(); l >= 0; l = act.Next(l) {
			if o := t.read(w, taint[int(row)+l], int(row)+l, pc); o != 0 {
				t.matters(w, l, o, pc, what)
			}
		}
	}
	set := func(row, n uint32) {
		for i := row; i < row+n; i++ {
			if act.Has(int(i) % p.Stride) {
				taint[i] = 0
			}
		}
	}
	each := func(a, b, c bool) {
		var sources []uint32
		for i, yes := range []bool{a, b, c} {
			if yes {
				sources = append(sources, [3]uint32{op.A, op.B, op.C}[i])
			}
		}
		for i := range op.N {
			if !act.Has(int(i) % p.Stride) {
				continue
			}
			o := uint32(0)
			for _, s := range sources {
				if x := taint[s+i]; x != 0 && o == 0 {
					o = t.read(w, x, int(s+i), pc)
				}
			}
			taint[op.Dst+i] = o
		}
	}
	switch op.Code {
	case program.Select:
		for i := range op.N {
			if !act.Has(int(i) % p.Stride) {
				continue
			}
			from := op.C + i
			if w.R[op.A+i] != 0 {
				from = op.B + i
			}
			o := t.read(w, taint[op.A+i], int(op.A+i), pc)
			if o == 0 {
				o = t.read(w, taint[from], int(from), pc)
			}
			taint[op.Dst+i] = o
		}
		return
	case program.And, program.Or:
		t.absorb(w, act, taint, op, pc)
		return
	case program.CallN:
		c := &p.Calls[op.X]
		t.perLane(w, act, taint, c.In, c.Out, pc)
		return
	case program.Group:
		t.group(w, act, taint, &p.Groups[op.X], pc)
		return
	case program.CheckDefined:
		t.undefined(w, taint, int(op.X), pc)
	case program.ImageOp:
		for _, r := range p.ImageOps[op.X].Value {
			use(r, "store")
		}
	}
	info := op.Code.Info()
	switch part, ok := op.Part(); {
	case ok:
		use(part.Term.Row, "address")
		t.variable(w, act, taint, &part, pc)
	case op.Code.Plain():
		each(op.Operands())
	case info.Effects&program.EffectCheck == 0:
		p.Touches(op, func(r program.RowRun) {
			switch r.Role {
			case program.RoleCondition:
				use(r.At, "branch")
			case program.RoleAddress, program.RoleIndex:
				use(r.At, "address")
			case program.RoleResult:
				set(r.At, r.N)
			}
		})
	}
}

// group gives the results of a subgroup instruction the origin of the lane that
// they are read from, or of any lane's.
func (t *tracer) group(w *warp.Warp, act warp.Mask, taint []uint32, g *program.GroupInfo, pc int) {
	var next [warp.MaxLanes]uint32
	any := uint32(0)
	for _, r := range g.A {
		for l := act.First(); l >= 0; l = act.Next(l) {
			if x := t.read(w, taint[int(r)+l], int(r)+l, pc); x != 0 && any == 0 {
				any = x
			}
		}
	}
	for l := act.First(); l >= 0; l = act.Next(l) {
		next[l] = any
		if from, ok := w.Source(g, l); ok {
			next[l] = t.read(w, taint[int(g.B)+l], int(g.B)+l, pc)
			if g.Op == spirv.OpGroupNonUniformBroadcastFirst {
				next[l] = 0 // it has no operand B
			}
			if next[l] == 0 && from >= 0 && act.Has(from) {
				next[l] = t.read(w, taint[int(g.A[0])+from], int(g.A[0])+from, pc)
			}
		}
	}
	for _, r := range g.Dst {
		for l := act.First(); l >= 0; l = act.Next(l) {
			taint[int(r)+l] = next[l]
		}
	}
}

// absorb does bitwise and logical And and Or: one operand may settle the result
// whatever the other is.
func (t *tracer) absorb(w *warp.Warp, act warp.Mask, taint []uint32, op *program.Op, pc int) {
	logical := t.m.Unit.Insts[t.m.Program.Inst[pc]].Op == spirv.OpLogicalOr
	settles := func(e uint32) bool {
		if taint[e] != 0 {
			return false
		}
		return op.Code == program.And && w.R[e] == 0 || logical && w.R[e] != 0
	}
	for i := range op.N {
		if !act.Has(int(i) % t.m.Program.Stride) {
			continue
		}
		o := uint32(0)
		if !settles(op.A+i) && !settles(op.B+i) {
			for _, e := range []uint32{op.A + i, op.B + i} {
				if o == 0 {
					o = t.read(w, taint[e], int(e), pc)
				}
			}
		}
		taint[op.Dst+i] = o
	}
}

// perLane gives every result row the origin of any operand row.
func (t *tracer) perLane(w *warp.Warp, act warp.Mask, taint []uint32, in, out []uint32, pc int) {
	for l := act.First(); l >= 0; l = act.Next(l) {
		o := uint32(0)
		for _, r := range in {
			if x := taint[int(r)+l]; x != 0 && o == 0 {
				o = t.read(w, x, int(r)+l, pc)
			}
		}
		for _, r := range out {
			taint[int(r)+l] = o
		}
	}
}

// variable moves origins as an access to a variable by an index does.
func (t *tracer) variable(w *warp.Warp, act warp.Mask, taint []uint32, part *program.Part, pc int) {
	p := t.m.Program
	info := &p.Vars[part.Var]
	for l := act.First(); l >= 0; l = act.Next(l) {
		at := part.First + part.Term.Of(w.R[int(part.Term.Row)+l])
		if at < 0 || at+int64(part.Rows) > int64(info.Rows) {
			continue
		}
		for i := range part.Rows {
			cell, row := (int(info.Row)+int(at)+i)*p.Stride+l, int(part.Value)+i*p.Stride+l
			if part.Store {
				taint[cell] = taint[row]
			} else {
				taint[row] = t.read(w, taint[cell], cell, pc)
			}
		}
	}
}

// Access implements warp.MemoryObserver: origins through memory.
func (t *tracer) Access(w *warp.Warp, a *warp.Access) {
	p := t.m.Program
	op := &p.Code[a.PC]
	if op.Code == program.ImageOp {
		return
	}
	taint := t.tiles.Of(w.T).rows[w.Index]
	for l := a.Mask.First(); l >= 0; l = a.Mask.Next(l) {
		view := int(a.View[l])
		v := &w.T.Views[view]
		c := t.global[v.Mem.ID]
		if v.Mem.Space == tilemem.TileStatic {
			c = t.tiles.Of(w.T).memories[v.Mem.ID]
		}
		off := v.Base + a.Off[l]
		for i := int64(0); i*int64(a.Width) < a.Size; i++ {
			at := off + i*int64(a.Width)
			switch a.Kind {
			case warp.Read:
				if c != nil {
					taint[int(a.Value)+int(i)*p.Stride+l] = t.load(w, l, c, view, at, a.Width, a.PC)
				}
			case warp.Write:
				t.store(w, l, c, at, a.Width, t.read(w, taint[int(a.Value)+int(i)*p.Stride+l], int(a.Value)+int(i)*p.Stride+l, a.PC), v.Mem, a.PC)
			default:
				info := &p.Atomics[op.X]
				old, val := uint32(0), uint32(0)
				if a.Op.Reads() && c != nil {
					old = t.load(w, l, c, view, at, a.Width, a.PC)
					taint[int(op.Dst)+l] = old
				}
				if a.Op != program.AtomicLoad {
					val = t.read(w, taint[int(info.Val)+l], int(info.Val)+l, a.PC)
				}
				if a.Op == program.AtomicExchange || a.Op == program.AtomicStore || old == 0 {
					old = val
				}
				if a.Op.Writes() {
					t.store(w, l, c, at, a.Width, old, v.Mem, a.PC)
				}
			}
		}
	}
}

// load gives the origin of what memory holds at a byte.
func (t *tracer) load(w *warp.Warp, l int, c *cells, view int, at int64, width, pc int) uint32 {
	for k := range int64(width) {
		if !c.known[at+k] {
			v := &w.T.Views[view]
			return t.origin(origin{
				originKey: originKey{pc: pc, v: -1, mem: v.Mem.ID},
				variable:  t.m.Element(view, at-v.Base), space: t.m.Views[view].SpaceName(), thread: emu.Thread(w, l),
			})
		}
	}
	return c.origin[at>>2]
}

// store puts a value of an origin into memory; in a buffer, that matters.
func (t *tracer) store(w *warp.Warp, l int, c *cells, at int64, width int, o uint32, mem *tilemem.Memory, pc int) {
	if o != 0 && mem.Space != tilemem.TileStatic {
		t.matters(w, l, o, pc, "store")
		o = 0
	}
	if c == nil {
		return
	}
	for k := range int64(width) {
		c.known[at+k] = true
	}
	for i := at >> 2; i <= (at+int64(width)-1)>>2; i++ {
		if o != 0 {
			c.origin[i] = o
		} else {
			delete(c.origin, i)
		}
	}
}

// usesOf says what a value does where it matters.
var usesOf = map[string]struct{ message, kind string }{
	"branch":  {"steers a branch", "use in a branch"},
	"address": {"is part of an address", "use in an address"},
	"store":   {"is stored to a buffer", "store to a buffer"},
}

// matters notes that a value without a source came to a use that matters.
func (t *tracer) matters(w *warp.Warp, l int, o uint32, pc int, what string) {
	from := &t.origins[o]
	if from.why != program.Defined {
		t.usesUndefined(w, l, from, pc, what)
		return
	}
	key := "uninitialized " + from.variable.Name + " " + from.space
	if from.id != 0 {
		key = "undef " + from.variable.Name
	}
	if f := t.found[key]; f != nil {
		f.Count++
		return
	}
	use := usesOf[what]
	f := diag.Finding{Code: diag.Uninitialized, Kernel: t.m.Entry.Name, Variable: from.variable, Space: from.space, Count: 1}
	f.Message = fmt.Sprintf("%s is read before anything is written to it, and the value %s", from.variable, use.message)
	second := diag.Access{Kind: use.kind, Thread: emu.Thread(w, l), Pos: t.m.Pos(pc), ID: t.m.ID(pc), Name: t.m.IDName(pc), Stack: t.m.Stack(pc)}
	if from.id != 0 {
		f.Code, f.Class = diag.UndefinedValue, diag.UndefOperand
		f.Message = fmt.Sprintf("an undefined value (OpUndef %s) %s", from.variable, use.message)
		f.Accesses = []diag.Access{second}
	} else {
		first := diag.Access{Kind: "read", Thread: from.thread, Pos: t.m.Pos(from.pc), ID: t.m.ID(from.pc), Name: t.m.IDName(from.pc), Stack: t.m.Stack(from.pc)}
		f.Accesses = []diag.Access{first, second}
	}
	if from.declared.Line > 0 {
		f.Notes = append(f.Notes, diag.Note{Pos: from.declared, Msg: "it comes from here"})
	}
	f.Severity = t.opt.SeverityOf(f.Code, f.Class)
	t.keep(w, key, f, t.halting.Uninitialized)
}

// keep keeps the first finding of a key, and halts the warp at it if that is
// wanted.
func (t *tracer) keep(w *warp.Warp, key string, f diag.Finding, halt bool) {
	t.found[key] = &f
	t.order = append(t.order, key)
	if halt && t.latest == nil {
		t.latest, w.T.Halt = &f, true
	}
}

// findings are those of the dispatch.
func (t *tracer) findings() []diag.Finding {
	var out []diag.Finding
	for _, k := range t.order {
		out = append(out, *t.found[k])
	}
	return out
}

func kindOf(t *spirv.Type) program.Kind {
	if t == nil || t.Component() == nil {
		return program.Kind{}
	}
	c := t.Component()
	return program.Kind{Float: c.Kind == spirv.Float, Width: uint8(c.Width), Signed: c.Signed}
}

func formatKind(k program.Kind, bits uint64) string {
	return scalarKind{size: int(k.Width) / 8, float: k.Float, signed: k.Signed}.format(bits)
}
