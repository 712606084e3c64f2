package debugger

import (
	"fmt"
	"slices"
	"strings"

	"ampdbg/debugger/expr"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// target is a dispatch that is being debugged.
type target struct {
	number   int    // of the dispatch in the launch, from 1
	written  []bool // of the launch's memories, those that the dispatch may change
	all      *launch.Launch
	memories [][]byte // of the launch
	d        *launch.Dispatch
	c        *emu.Control
	lines    *lines
	p        *program.Program
	u        *spirv.Unit
	names    func(spirv.ID) string  // %name of an id
	named    map[string]*spirv.Type // see structs
	how      *expr.Arithmetic       // see arithmetic
	flags    map[flag]bool          // of the session
}

// memory is the memory of the dispatch that holds some bytes of the launch, nil
// if it has no use for them.
func (t *target) memory(data []byte) *tilemem.Memory {
	for _, m := range t.c.Memories {
		if m.Space != tilemem.TileStatic && len(m.Data) > 0 && len(data) == len(m.Data) && &m.Data[0] == &data[0] {
			return m
		}
	}
	return nil
}

// changed notes that a place is changed from outside, in memory that the
// dispatch may never write.
func (t *target) changed(p *place) {
	for i, data := range t.memories {
		if p.mem != nil && p.mem == t.memory(data) || len(p.data) > 0 && len(data) > 0 && &data[0] == &p.data[0] {
			t.written[i] = true
		}
	}
}

// getter reads what a name stands for in a thread.
type getter func(th *thread) (operand, error)

// resolved is a getter with the place in the program that it holds for.
type resolved struct {
	t     *target
	pc    int
	scope *spirv.LexicalScope
	outer int32
	get   getter
}

// lookup finds what a name stands for at a thread's place: a local variable
// or parameter in scope, a variable or buffer of the module, a member of a
// block without a name, a built-in, or one of the debugger's own names.
func (t *target) lookup(name string, th *thread) (getter, error) {
	if id, ok := strings.CutPrefix(name, "%"); ok {
		return t.lookupID(id, th)
	}
	if own, ok := strings.CutPrefix(name, "$"); ok {
		if g := t.own(own); g != nil {
			return g, nil
		}
		return nil, fmt.Errorf("no %s; there are %s", name, strings.Join(ownNames(), ", "))
	}
	at := th
	if th.away != nil {
		at = th.away.at
	}
	if at != nil && at.pc >= 0 {
		l, later := t.local(name, at)
		switch {
		case th.away != nil && (l != nil || later != nil && t.global(name) == nil):
			return nil, th.away.why
		case l != nil:
			return t.localValue(l, th)
		case later != nil && t.global(name) == nil:
			return nil, absence(name + " has no value here yet: its declaration, or what uses it first, comes later")
		}
	}
	if g := t.global(name); g != nil {
		return g, nil
	}
	if g := t.builtin(name); g != nil {
		return g, nil
	}
	if g := t.own(name); g != nil {
		return g, nil
	}
	if g := t.launchBuffer(name); g != nil {
		return g, nil
	}
	if g := t.launchImage(name); g != nil {
		return g, nil
	}
	for _, b := range t.all.Buffers {
		if b.Name == name {
			return nil, fmt.Errorf("%s is a buffer of the launch with structs in it; name it as the kernel does", name)
		}
	}
	where := ""
	if th.pc >= 0 {
		if s := t.lines.stack(th.pc); len(s) > 0 {
			where = " in " + s[0].Func
		}
	}
	return nil, fmt.Errorf("no variable %s%s", name, where)
}

// local is the variable in scope with a name, the innermost one; or one that is
// in scope only later.
func (t *target) local(name string, th *thread) (l, later *spirv.Local) {
	inst := int(t.p.Inst[th.pc])
	scope := th.scope
	if scope == nil {
		scope = t.u.ScopeOf(inst)
	}
	for s := scope; s != nil; s = s.Parent {
		var found []*spirv.Local
		for _, l := range t.u.Debug.Locals {
			if l.Name != name || l.Scope != s || l.Global != 0 {
				continue
			}
			if t.declared(l, inst) {
				found = append(found, l)
			} else if later == nil {
				later = l
			}
		}
		if len(found) > 0 {
			return t.nearest(found, inst), nil
		}
	}
	return nil, later
}

// declared reports whether a variable's declaration comes before an instruction,
// loops taken for one iteration, as far as that is known. glslang puts it where a
// variable without an initialiser is used first, be that in a branch.
func (t *target) declared(l *spirv.Local, inst int) bool {
	if l.At == 0 {
		return true
	}
	here, there := t.u.BlockOf(inst), t.u.BlockOf(l.At)
	return here == nil || there == nil || here == there && l.At <= inst || here != there && there.Order < here.Order
}

// nearest chooses among variables of one name and scope, as GLSL compilers
// make of variables in blocks: the one that was used last before an
// instruction.
func (t *target) nearest(list []*spirv.Local, inst int) *spirv.Local {
	if len(list) == 1 {
		return list[0]
	}
	uses := func(i int) *spirv.Local {
		for _, l := range list {
			if l.Declare != 0 && slices.Contains(t.u.Insts[i].Args, uint32(l.Declare)) {
				return l
			}
		}
		return nil
	}
	for i := inst; i >= 0 && t.u.Insts[i].Op != spirv.OpFunction; i-- {
		if l := uses(i); l != nil {
			return l
		}
	}
	for i := inst; i < len(t.u.Insts) && t.u.Insts[i].Op != spirv.OpFunctionEnd; i++ {
		if l := uses(i); l != nil {
			return l
		}
	}
	return list[0]
}

// localNames lists the variables in scope at a thread's place, the innermost
// scope first.
func (t *target) localNames(th *thread) []string {
	if th.pc < 0 {
		return nil
	}
	inst := int(t.p.Inst[th.pc])
	scope := th.scope
	if scope == nil {
		scope = t.u.ScopeOf(inst)
	}
	var out []string
	for s := scope; s != nil; s = s.Parent {
		for _, l := range t.u.Debug.Locals {
			if l.Scope == s && l.Global == 0 && t.declared(l, inst) && !slices.Contains(out, l.Name) && expr.IsName(l.Name) {
				out = append(out, l.Name)
			}
		}
	}
	return out
}

// globalNames lists the buffers, tile_static and private variables, and the
// members of blocks without a name.
func (t *target) globalNames() []string {
	var out []string
	add := func(n string) {
		if expr.IsName(n) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	for i := range t.c.Views {
		v := &t.c.Views[i]
		if v.Type == nil && t.c.Texels(i) == nil {
			continue
		}
		if v.Var != 0 && t.u.Name(v.Var) == "" && v.Type != nil && v.Type.Kind == spirv.Struct {
			for _, m := range v.Type.Members {
				add(m.Name)
			}
			continue
		}
		add(v.Root)
	}
	for i := range t.p.Vars {
		if v := &t.p.Vars[i]; v.Storage != spirv.StorageClassFunction {
			add(t.u.Name(v.ID))
		}
	}
	return out
}

// localValue reads a source variable at a place.
func (t *target) localValue(l *spirv.Local, th *thread) (getter, error) {
	frame := t.frame(th)
	if l.Declare != 0 {
		return t.pointee(l.Declare, frame)
	}
	v, err := t.valueAt(l, int(t.p.Inst[th.pc]))
	if err != nil {
		return nil, err
	}
	if v.Deref {
		return t.pointee(v.Value, frame)
	}
	return t.valueOf(v.Value, frame)
}

// frame is the call in whose frame a thread is looked at.
func (t *target) frame(th *thread) int32 {
	if th.outer > 0 {
		return th.outer - 1
	}
	return t.p.Frame[th.pc]
}

// valueAt finds the DebugValue of a variable that holds at an instruction.
func (t *target) valueAt(l *spirv.Local, inst int) (*spirv.LocalValue, error) {
	here := t.u.BlockOf(inst)
	var best *spirv.LocalValue
	for i := range l.Values {
		v := &l.Values[i]
		b := t.u.BlockOf(v.At)
		if len(v.Indexes) > 0 || b == nil || here == nil {
			continue
		}
		holds := b == here && v.At <= inst || b != here && b.Dominates(here)
		if holds && (best == nil || later(v.At, best.At, t.u)) {
			best = v
		}
	}
	if best == nil || best.Value == 0 {
		return nil, fmt.Errorf("%s has no value here: it was optimised away", l.Name)
	}
	for i := range l.Values {
		v := &l.Values[i]
		b := t.u.BlockOf(v.At)
		if v == best || b == nil || len(v.Indexes) > 0 {
			continue
		}
		// Another value was given on a way from there to here.
		if v.At > best.At && v.At <= inst && !(b == here && v.At > inst) {
			return nil, fmt.Errorf("the value of %s here depends on the path taken; the last one known for all paths is of line %d", l.Name, t.u.PosOf(best.At).Line)
		}
	}
	return best, nil
}

func later(a, b int, u *spirv.Unit) bool {
	x, y := u.BlockOf(a), u.BlockOf(b)
	if x == y {
		return a > b
	}
	return y.Dominates(x)
}

// valueOf reads the value of an id in a frame.
func (t *target) valueOf(id spirv.ID, frame int32) (getter, error) {
	typ := t.u.TypeOf(id)
	if c := t.u.Const(id); c != nil {
		return func(*thread) (operand, error) { return operand{t: c.Type, bits: c.Bits}, nil }, nil
	}
	for f := frame; f >= 0 && int(f) < len(t.p.Places); f = t.p.Frames[f].Parent {
		place, ok := t.p.Places[f][id]
		if !ok {
			continue
		}
		if place.Ptr != nil {
			return t.pointee(id, frame)
		}
		return func(th *thread) (operand, error) {
			return rowsOperand(typ, place.Rows, th)
		}, nil
	}
	if t.u.Var(id) != nil {
		return t.pointee(id, frame)
	}
	return nil, fmt.Errorf("%s has no value in this program", t.u.DisplayName(id))
}

func rowsOperand(typ *spirv.Type, rows []uint32, th *thread) (operand, error) {
	if th.away != nil && th.away.unstarted {
		return operand{}, th.away.why
	}
	if th.w == nil {
		return operand{}, errNotAtHand
	}
	return operand{t: typ, at: &place{rows: rows}}, nil
}

var errNotAtHand = fmt.Errorf("the thread's registers are not at hand: its tile has not started, or ended long ago")

// pointee reads what the pointer with an id points to.
func (t *target) pointee(id spirv.ID, frame int32) (getter, error) {
	if v := t.u.Var(id); v != nil && v.Storage != spirv.StorageClassFunction {
		if g := t.variable(v); g != nil {
			return g, nil
		}
		return nil, fmt.Errorf("variable %s is not used by this kernel", t.u.DisplayName(id))
	}
	place, ok := t.p.Places[frame][id]
	if !ok {
		return nil, fmt.Errorf("%s has no value here", t.u.DisplayName(id))
	}
	typ := t.u.TypeOf(id)
	if typ == nil || typ.Kind != spirv.Pointer {
		return nil, fmt.Errorf("%s is not a pointer", t.u.DisplayName(id))
	}
	a := place.Ptr
	if a == nil {
		a = &program.Address{Base: program.RowAddress, Row: place.Rows[0], Type: typ.Elem, Layout: spirv.LayoutOf(typ)}
	}
	return func(th *thread) (operand, error) { return t.at(a, th) }, nil
}

// at reads what an address leads to in a thread.
func (t *target) at(a *program.Address, th *thread) (operand, error) {
	if th.w == nil {
		return operand{}, errNotAtHand
	}
	off := th.w.AddressOffset(a, th.lane)
	switch a.Base {
	case program.VarAddress:
		v := &t.p.Vars[a.Index]
		n := a.Type.Scalars()
		if off < 0 || off+int64(n) > int64(v.Rows) {
			return operand{}, expr.ValueErrorf("the index is outside of the variable")
		}
		return operand{t: a.Type, at: &place{rows: t.rows(int(v.Row)+int(off), n)}}, nil
	case program.ViewAddress:
		return t.inView(int(a.Index), off, a.Type, a.Layout, th), nil
	}
	return t.deref(th.w.R[int(a.Row)+th.lane], off, a.Type, a.Layout, th)
}

// deref reads what a pointer, plus an offset, leads to.
func (t *target) deref(p uint64, off int64, typ *spirv.Type, layout spirv.Layout, th *thread) (operand, error) {
	if p == 0 {
		return operand{}, expr.ValueErrorf("a null pointer")
	}
	view, at := tilemem.Split(p)
	if view <= 0 || view >= len(t.c.Views) {
		return operand{}, expr.ValueErrorf("a pointer that leads to no buffer")
	}
	return t.inView(view, at+off, typ, layout, th), nil
}

func (t *target) rows(first, n int) []uint32 {
	rows := make([]uint32, n)
	for i := range rows {
		rows[i] = uint32((first + i) * t.p.Stride)
	}
	return rows
}

// inView is the operand at a byte offset of a view.
func (t *target) inView(view int, off int64, typ *spirv.Type, layout spirv.Layout, th *thread) operand {
	var tile *warp.Tile
	if th.w != nil {
		tile = th.w.T
	}
	v := t.c.View(tile, view)
	o := operand{t: typ, at: &place{view: view, off: off, layout: layout, data: v.Data, mem: v.Mem}}
	if typ.Kind == spirv.RuntimeArray {
		if stride := int64(typ.Stride(layout)); stride > 0 {
			o.n = int(max(int64(len(v.Data))-off, 0) / stride)
		}
	}
	return o
}

// variable reads a module-scope variable; nil if the kernel does not use it.
func (t *target) variable(v *spirv.Variable) getter {
	for i := range t.p.Vars {
		if info := &t.p.Vars[i]; info.ID == v.ID && info.Storage != spirv.StorageClassFunction {
			rows := t.rows(int(info.Row), int(info.Rows))
			return func(th *thread) (operand, error) { return rowsOperand(info.Type, rows, th) }
		}
	}
	var views []int
	for i := range t.c.Views {
		info := &t.c.Views[i]
		if info.Var != v.ID || info.Type == nil || info.Image != nil {
			continue
		}
		if info.Elem < 0 {
			return func(th *thread) (operand, error) { return t.inView(i, 0, info.Type, info.Layout, th), nil }
		}
		views = append(views, i)
	}
	if views == nil {
		return t.images(v)
	}
	return func(th *thread) (operand, error) {
		return operand{t: t.c.Views[views[0]].Type, at: &place{views: views, pick: func(i int) operand {
			return t.inView(i, 0, t.c.Views[i].Type, t.c.Views[i].Layout, th)
		}}}, nil
	}
}

// global finds a module-scope variable by its name, a block by its, a member
// of a block without a name, a named constant, or a buffer by its name in the
// launch.
func (t *target) global(name string) getter {
	for _, l := range t.u.Debug.Locals {
		if l.Name != name || l.Global == 0 {
			continue
		}
		if c := t.u.Const(l.Global); c != nil {
			return func(*thread) (operand, error) { return operand{t: c.Type, bits: c.Bits}, nil }
		}
		if v := t.u.Var(l.Global); v != nil {
			if g := t.variable(v); g != nil {
				return g
			}
		}
	}
	for _, v := range t.u.Globals {
		if t.u.Name(v.ID) == name {
			if g := t.variable(v); g != nil {
				return g
			}
		}
	}
	for i := range t.c.Views {
		v := &t.c.Views[i]
		if v.Type == nil || v.Image != nil || v.Type.Kind != spirv.Struct {
			continue
		}
		if v.Elem < 0 && t.u.Name(v.Type.ID) == name {
			return func(th *thread) (operand, error) { return t.inView(i, 0, v.Type, v.Layout, th), nil }
		}
		if v.Var == 0 || t.u.Name(v.Var) != "" {
			continue
		}
		for k := range v.Type.Members {
			if v.Type.Members[k].Name == name {
				return func(th *thread) (operand, error) {
					o := t.inView(i, 0, v.Type, v.Layout, th)
					return o.child(k)
				}
			}
		}
	}
	for i := range t.u.Insts {
		if c := t.u.Insts[i].Result; c != 0 && t.u.Name(c) == name && t.u.Const(c) != nil {
			k := t.u.Const(c)
			return func(*thread) (operand, error) { return operand{t: k.Type, bits: k.Bits}, nil }
		}
	}
	return nil
}

// lookupID finds an id by number or by its name in the disassembly.
func (t *target) lookupID(name string, th *thread) (getter, error) {
	id := spirv.ID(0)
	for i := range t.u.Insts {
		if r := t.u.Insts[i].Result; r != 0 && t.called(r, name) {
			id = r
			break
		}
	}
	if t.u.Def(id) < 0 || id == 0 {
		return nil, fmt.Errorf("no id %%%s in the module", name)
	}
	if t.u.TypeOf(id) == nil {
		return nil, fmt.Errorf("%%%s is no value", name)
	}
	if d := t.u.BlockOf(t.u.Def(id)); d != nil {
		// The result of an instruction.
		if th.away != nil {
			return nil, th.away.why
		}
		if th.pc >= 0 {
			inst := int(t.p.Inst[th.pc])
			if here := t.u.BlockOf(inst); here == d && t.u.Def(id) > inst {
				return nil, absence(fmt.Sprintf("%%%s has no value here: its instruction comes later", name))
			}
		}
	}
	frame := int32(0)
	if th.pc >= 0 {
		frame = t.frame(th)
	}
	return t.valueOf(id, frame)
}

// called reports whether name is what an id is called: in the disassembly, or
// by its number where the module did not come as text.
func (t *target) called(id spirv.ID, name string) bool {
	return t.names(id) == "%"+name || t.u.IDName(id) == "%"+name
}

// own are the debugger's own names: the thread's tile, its place in it, and
// so on. With a $ before they are never hidden by the program's.
func (t *target) own(name string) getter {
	get, ok := ownValues[name]
	if !ok {
		return nil
	}
	return func(th *thread) (operand, error) {
		if name == "line" && th.away != nil && th.away.unstarted {
			return operand{}, th.away.why
		}
		return get(t, th), nil
	}
}

var ownValues = map[string]func(t *target, th *thread) operand{
	"tile": func(t *target, th *thread) operand { return triple(t.tileID(th.tile)) },
	"local": func(t *target, th *thread) operand {
		return triple(t.localID(th.local))
	},
	"global": func(t *target, th *thread) operand { return triple(t.globalID(th.tile, th.local)) },
	"lane":   func(t *target, th *thread) operand { return literal(expr.Uint, uint64(th.lane)) },
	"warp": func(t *target, th *thread) operand {
		return literal(expr.Uint, uint64(th.local/t.p.Width))
	},
	"index": func(t *target, th *thread) operand { return literal(expr.Uint, uint64(th.local)) },
	"line": func(t *target, th *thread) operand {
		n := 0
		if th.pc >= 0 {
			n = t.lines.pos[th.pc].Line
		}
		return literal(expr.Int, uint64(n))
	},
	"active": func(t *target, th *thread) operand {
		if th.w != nil && th.w.Active().Has(th.lane) && (th.away == nil || !th.away.unstarted) {
			return literal(expr.Bool, 1)
		}
		return literal(expr.Bool, 0)
	},
}

func ownNames() []string {
	var out []string
	for n := range ownValues {
		out = append(out, "$"+n)
	}
	slices.Sort(out)
	return out
}

var uvec3 = expr.VectorOf(expr.Uint, 3)

func triple(v [3]uint32) operand {
	return literal(uvec3, uint64(v[0]), uint64(v[1]), uint64(v[2]))
}

// builtins are GLSL's names of built-in inputs, to be had whether the kernel
// reads them or not.
var builtins = map[string]func(t *target, th *thread) operand{
	"gl_WorkGroupID":          ownValues["tile"],
	"gl_LocalInvocationID":    ownValues["local"],
	"gl_GlobalInvocationID":   ownValues["global"],
	"gl_LocalInvocationIndex": ownValues["index"],
	"gl_NumWorkGroups":        func(t *target, th *thread) operand { return triple(t.d.Groups) },
	"gl_WorkGroupSize":        func(t *target, th *thread) operand { return triple(t.p.TileSize) },
	"gl_SubgroupInvocationID": ownValues["lane"],
	"gl_SubgroupID":           ownValues["warp"],
	"gl_SubgroupSize":         func(t *target, th *thread) operand { return literal(expr.Uint, uint64(t.p.Width)) },
	"gl_NumSubgroups": func(t *target, th *thread) operand {
		return literal(expr.Uint, uint64((t.tileSize()+t.p.Width-1)/t.p.Width))
	},
}

func (t *target) builtin(name string) getter {
	get, ok := builtins[name]
	if !ok {
		return nil
	}
	return func(th *thread) (operand, error) { return get(t, th), nil }
}

// element names a byte of a view.
func (t *target) element(view int, off int64) string { return t.c.Element(view, off).String() }

func (t *target) tileSize() int {
	return int(spirv.Extent(t.p.TileSize).Count())
}

func (t *target) tileID(index uint64) [3]uint32 {
	return spirv.Extent(t.d.Groups).At(index)
}

func (t *target) localID(local int) [3]uint32 {
	return spirv.Extent(t.p.TileSize).At(uint64(local))
}

func (t *target) globalID(tile uint64, local int) [3]uint32 {
	a, b := t.tileID(tile), t.localID(local)
	for i := range a {
		a[i] = a[i]*t.p.TileSize[i] + b[i]
	}
	return a
}
