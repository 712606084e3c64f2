package emu

import (
	"fmt"
	"strings"

	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// pos is the source position of a pc.
func (m *Machine) pos(pc int) diag.Pos {
	if pc < 0 || pc >= len(m.Program.Inst) {
		return diag.Pos{}
	}
	return m.instPos(int(m.Program.Inst[pc]))
}

// instPos is the source position of an instruction; without line information,
// its place in the module's text, or the module.
func (m *Machine) instPos(inst int) diag.Pos {
	if inst < 0 || inst >= len(m.Unit.Insts) {
		return diag.Pos{}
	}
	if p := m.Unit.PosOf(inst); p.IsValid() {
		return p
	}
	if p := m.Unit.TextPos(inst); p.IsValid() {
		return p
	}
	return diag.Pos{File: m.Unit.Module.Name}
}

// lineBefore is the source position of a pc, or where compilers give none (as
// to the return at the end of a function) that of the nearest instruction
// before it in its function.
func (m *Machine) lineBefore(pc int) diag.Pos {
	first := m.Program.Frames[m.Program.Frame[pc]].Function.Index
	for i := int(m.Program.Inst[pc]); i > first; i-- {
		if p := m.Unit.PosOf(i); p.IsValid() {
			return p
		}
	}
	return m.pos(pc)
}

// place names an instruction where there is no source line.
func (m *Machine) place(pc int) string {
	inst := int(m.Program.Inst[pc])
	if m.Unit.PosOf(inst).Line > 0 {
		return ""
	}
	in := &m.Unit.Insts[inst]
	return fmt.Sprintf(" (%v at module word %d)", in.Op, in.Offset)
}

// Stack is the kernel stack at a pc, innermost call first.
func (m *Machine) Stack(pc int) []diag.Frame {
	if pc < 0 || pc >= len(m.Program.Frame) {
		return nil
	}
	var out []diag.Frame
	pos := m.pos(pc)
	for f := m.Program.Frame[pc]; f >= 0; {
		fr := &m.Program.Frames[f]
		out = append(out, diag.Frame{Func: m.functionName(fr.Function), Pos: pos})
		pos = m.instPos(int(fr.CallInst))
		f = fr.Parent
	}
	return out
}

// functionName is a function's source name: glslang's "sum(i1;" is sum.
func (m *Machine) functionName(f *spirv.Function) string {
	n, _, _ := strings.Cut(m.Unit.Name(f.ID), "(")
	if n == "" {
		return m.Unit.DisplayName(f.ID)
	}
	return n
}

// id is the result id at a pc, or the pointer operand of a store.
func (m *Machine) id(pc int) uint32 {
	in := &m.Unit.Insts[m.Program.Inst[pc]]
	if in.Result != 0 {
		return uint32(in.Result)
	}
	if in.Op == spirv.OpStore || in.Op == spirv.OpAtomicStore || in.Op == spirv.OpImageWrite {
		return in.Args[0]
	}
	return 0
}

// spaceName is the name of a view's memory for people.
func (v *View) spaceName() string {
	switch v.Space {
	case tilemem.TileStatic:
		return "tile_static"
	case tilemem.ImageSpace:
		return "image"
	case tilemem.PushConstant:
		return "push constants"
	}
	if v.Type != nil && v.Type.BufferBlock || v.Buffer != nil && v.Bound {
		return "buffer"
	}
	return "device memory"
}

// Element names the part of a view at a byte offset: "buf.data[17].x". An
// offset past the end names the element that would be there.
func (m *Machine) Element(view int, off int64) diag.Element {
	if view <= 0 || view >= len(m.Views) {
		return diag.Element{Name: "memory"}
	}
	v := &m.Views[view]
	e := v.element()
	if v.Type == nil || v.Image != nil {
		v.texel(&e, off)
	} else {
		element(&e, v.Type, v.Layout, off)
	}
	return e
}

// element is the view itself.
func (v *View) element() diag.Element {
	e := diag.Element{Name: v.Root}
	if v.Elem >= 0 {
		e.Index(int64(v.Elem))
	}
	return e
}

// element leads e to byte off of a value of type t.
func element(e *diag.Element, t *spirv.Type, l spirv.Layout, off int64) {
	switch t.Kind {
	case spirv.Struct:
		best := t.MemberAt(l, off)
		if k := t.Child(0); off < 0 && k != nil && (k.Kind == spirv.Array || k.Kind == spirv.RuntimeArray) {
			best = 0 // a negative index
		}
		if best < 0 {
			e.Byte(off)
			return
		}
		part, o, in := t.Place(l, best)
		name := t.Members[best].Name
		if name == "" {
			name = fmt.Sprintf("member%d", best)
		}
		e.Member(name)
		element(e, part, in, off-int64(o))
	case spirv.Array, spirv.RuntimeArray, spirv.Matrix:
		part, _, in := t.Place(l, 0)
		stride := int64(t.Stride(l))
		if stride <= 0 {
			return
		}
		i := off / stride
		if off < 0 {
			i = (off - stride + 1) / stride
		}
		e.Index(i)
		element(e, part, in, off-i*stride)
	case spirv.Vector:
		stride := int64(t.Stride(l))
		if stride > 0 && off >= 0 && off/stride < 4 && off/stride < int64(t.Len) {
			e.Member(string("xyzw"[off/stride]))
		}
	}
}

// Fault makes the finding of a fault.
func (m *Machine) Fault(w *warp.Warp, f *warp.Fault) diag.Finding {
	lane := max(f.Lanes.First(), 0)
	out := diag.Finding{
		Severity: diag.SeverityError, Kernel: m.Entry.Name, Pos: m.pos(f.PC), Stack: m.Stack(f.PC), Count: uint64(max(f.Lanes.Count(), 1)),
	}
	verb := "read"
	if f.Write {
		verb = "write"
	}
	a := diag.Access{Kind: verb, Thread: Thread(w, lane), Pos: out.Pos, ID: m.id(f.PC), Name: m.IDName(f.PC)}
	view := View{Name: "memory"}
	if f.View > 0 && f.View < len(m.Views) && f.Kind != warp.ArrayIndex {
		view = m.Views[f.View]
		out.Space = view.spaceName()
	}
	where := m.place(f.PC)
	switch f.Kind {
	case warp.OutOfBounds:
		out.Code = diag.OutOfBounds
		out.Variable = m.Element(f.View, f.Off)
		size := int64(len(w.T.Views[f.View].Data))
		out.Message = fmt.Sprintf("%s of %d bytes at byte %d of %s, which has %d%s", verb, f.Size, f.Off, view.Name, size, where)
	case warp.ImageBounds:
		out.Code = diag.OutOfBounds
		out.Message = fmt.Sprintf("%s of texel %s, level %d, outside image %s%s", verb, diag.Triple([3]int64(f.Coord[:3])), f.Coord[3], view.Name, where)
		out.Variable = view.element()
		out.Variable.Index(f.Coord[:3]...)
	case warp.NullPointer:
		out.Code = diag.NullPointer
		out.Message = verb + " through a null pointer" + where
	case warp.DanglingPointer:
		out.Code = diag.NullPointer
		out.Message = fmt.Sprintf("%s through a pointer that leads to no buffer%s", verb, where)
	case warp.Misaligned:
		out.Code = diag.Misaligned
		out.Variable = m.Element(f.View, f.Off)
		out.Message = fmt.Sprintf("%s of %d bytes at byte %d of %s, which is not a multiple of its alignment%s", verb, f.Size, f.Off, view.Name, where)
	case warp.ReadOnly:
		out.Code = diag.ReadOnly
		out.Variable = m.Element(f.View, f.Off)
		out.Message = "write to " + view.Name + ", which is read-only" + where
	case warp.VarIndex:
		out.Code = diag.OutOfBounds
		v := &m.Program.Vars[f.View]
		out.Space = "private"
		out.Variable = m.variable(v)
		out.Message = fmt.Sprintf("%s outside variable %s: scalar %d of %d%s", verb, out.Variable, f.Off, v.Rows, where)
		scalarElement(&out.Variable, v.Type, f.Off)
	case warp.ArrayIndex:
		out.Code = diag.OutOfBounds
		info := &m.Program.Indexes[f.View]
		a.Kind, out.Space = "index", ""
		out.Variable = diag.Element{Name: info.Name, Path: info.Path, Members: info.Members}
		out.Message = fmt.Sprintf("index %d of %s, which has %d elements%s", f.Off, out.Variable, f.Size, where)
		out.Variable.Index(f.Off)
	case warp.DescriptorIndex:
		out.Code = diag.OutOfBounds
		out.Message = fmt.Sprintf("descriptor index %d of an array of %d%s", f.Off, f.Size, where)
	case warp.BadDescriptor:
		out.Code = diag.NullPointer
		out.Message = "image operation on a descriptor that nothing is bound to" + where
	case warp.UnreachableExecuted:
		out.Code = diag.UnreachableExecuted
		out.Message = "OpUnreachable was executed" + where
		a.Kind = "reach"
	}
	a.Object = out.Variable.String()
	out.Accesses = []diag.Access{a}
	return out
}

// scalarElement leads e to scalar n of a variable of type t.
func scalarElement(e *diag.Element, t *spirv.Type, n int64) {
	switch t.Kind {
	case spirv.Array, spirv.Matrix:
		per := int64(t.Elem.Scalars())
		i := n / per
		if n < 0 {
			i = (n - per + 1) / per
		}
		e.Index(i)
		scalarElement(e, t.Elem, n-i*per)
	case spirv.Vector:
		if n >= 0 && n < 4 {
			e.Member(string("xyzw"[n]))
		} else {
			e.Index(n)
		}
	case spirv.Struct:
		for i := len(t.Members) - 1; i >= 0; i-- {
			if at := int64(t.ChildScalar(i)); at <= n {
				e.Member(t.Members[i].Name)
				scalarElement(e, t.Members[i].Type, n-at)
				return
			}
		}
	}
}

// party is a group of threads of a tile that do the same.
type party struct {
	diag.Party
	waits   bool // at a barrier or for reconvergence
	barrier bool // waits at a barrier, or there may be one where it goes on
	state   warp.LaneState
	pc      int
	constr  int
}

// SpinsHere is what a party of threads does that could go on, in vain.
const SpinsHere = "spin here"

// parties groups the threads of a tile by what they do and where.
func (m *Machine) parties(t *tile) []party {
	type key struct {
		state warp.LaneState
		pc    int
		c     int
	}
	var order []key
	lanes := map[key]map[int]warp.Mask{}
	for _, w := range t.Warps {
		for l, p := range w.Places() {
			if p.State == warp.LaneAbsent {
				continue
			}
			k := key{p.State, p.PC, p.Construct}
			if p.State == warp.LaneExited {
				k.pc = w.ExitPC(l)
			}
			if p.State == warp.LanePending {
				k.state = warp.LaneActive
			}
			if p.State == warp.LaneAtBarrier {
				k.pc-- // the barrier itself
			}
			if lanes[k] == nil {
				lanes[k] = map[int]warp.Mask{}
				order = append(order, k)
			}
			mask := lanes[k][w.Index]
			mask.Set(l)
			lanes[k][w.Index] = mask
		}
	}
	var out []party
	for _, k := range order {
		p := party{state: k.state, pc: k.pc, constr: k.c}
		var first *warp.Warp
		p.Who, p.Count = laneSets(t, lanes[k], m.total > 1)
		p.Pos = m.pos(k.pc)
		if k.state == warp.LaneExited && k.pc >= 0 {
			p.Pos = m.lineBefore(k.pc)
		}
		for _, w := range t.Warps {
			if mask, ok := lanes[k][w.Index]; ok {
				first, p.First = w, Thread(w, mask.First())
				break
			}
		}
		switch k.state {
		case warp.LaneAtBarrier:
			p.What, p.waits, p.barrier = "wait at this barrier", true, true
		case warp.LaneExited:
			p.What = "have returned here"
		case warp.LaneAtMerge, warp.LaneAtContinue, warp.LaneAtHeader:
			p.What, p.waits, p.barrier = "wait to reconverge here", true, m.barrierAhead(first, k.pc)
			if c := &m.Program.Constructs[k.c]; c.Kind == program.CallConstruct {
				p.What = "have returned from the call here and wait for the others"
				p.Pos = m.instPos(int(c.Inst))
			}
		default:
			p.What = SpinsHere
		}
		if k.pc >= 0 && k.pc < len(m.Program.Inst) {
			p.ID, p.Name = m.id(k.pc), m.IDName(k.pc)
		}
		out = append(out, p)
	}
	return out
}

// barrierAhead reports whether threads that w holds back at pc may come to a
// tile barrier: one that stands behind it, or in a loop that they are in.
// Blocks come in the order of their dominance, so that the rest of a program
// stands behind a place in it.
func (m *Machine) barrierAhead(w *warp.Warp, pc int) bool {
	for _, step := range w.Path() {
		if c := &m.Program.Constructs[step.Construct]; c.Kind == program.LoopConstruct {
			pc = min(pc, int(c.Header))
		}
	}
	return m.Program.WaitsFrom(pc)
}

// laneSets writes threads as ranges: "lanes 1-3 of warp 0, all lanes of warps
// 1-7".
func laneSets(t *tile, sets map[int]warp.Mask, tiles bool) (string, int) {
	var parts []string
	count := 0
	for i := 0; i < len(t.Warps); i++ {
		mask, ok := sets[i]
		if !ok {
			continue
		}
		w := t.Warps[i]
		count += mask.Count()
		if mask == warp.FirstLanes(w.Lanes) {
			end := i
			for end+1 < len(t.Warps) && sets[end+1] == warp.FirstLanes(t.Warps[end+1].Lanes) {
				end++
				count += t.Warps[end].Lanes
			}
			if end > i {
				parts = append(parts, fmt.Sprintf("warps %d-%d", i, end))
			} else {
				parts = append(parts, fmt.Sprintf("warp %d", i))
			}
			i = end
			continue
		}
		noun := "lanes"
		if mask.Count() == 1 {
			noun = "lane"
		}
		parts = append(parts, fmt.Sprintf("%s %v of warp %d", noun, mask, i))
		if len(parts) == 8 {
			for k := i + 1; k < len(t.Warps); k++ {
				count += sets[k].Count()
			}
			parts = append(parts, "...")
			break
		}
	}
	s := strings.Join(parts, ", ")
	if tiles {
		s += " of tile " + diag.Triple(t.ID)
	}
	return s, count
}
