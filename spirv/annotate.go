package spirv

import "ampdbg/diag"

// decoration is one decoration of an id or, with member >= 0, of a member of
// a struct type.
type decoration struct {
	kind   Decoration
	member int
	args   []uint32
}

// maxExpanded bounds the decorations that groups expand to and the execution
// modes of entry points that share a function: both may be quadratic in the
// module's size.
const maxExpanded = 1 << 20

// readAnnotations reads names, made fit to be shown, and decorations, with
// groups expanded.
func (r *resolver) readAnnotations() {
	r.groups = map[ID][]decoration{}
	r.memberNames = map[ID]map[uint32]string{}
	for i := range r.Insts {
		in := &r.Insts[i]
		switch in.Op {
		case OpName:
			d := r.target(i, ID(r.arg(i, 0)))
			r.names[d] = diag.Printable(r.text(i, 1))
		case OpMemberName:
			id := ID(r.arg(i, 0))
			r.target(i, id)
			if r.memberNames[id] == nil {
				r.memberNames[id] = map[uint32]string{}
			}
			r.memberNames[id][r.arg(i, 1)] = diag.Printable(r.text(i, 2))
		case OpDecorate, OpDecorateId, OpDecorateString:
			r.decorate(i, ID(r.arg(i, 0)), decoration{Decoration(r.arg(i, 1)), -1, in.Args[2:]})
		case OpMemberDecorate, OpMemberDecorateString:
			r.arg(i, 2)
			r.decorate(i, ID(in.Args[0]), decoration{Decoration(in.Args[2]), r.member(i, in.Args[1]), in.Args[3:]})
		}
	}
	expanded := 0
	expand := func(i int, group, to ID, member int) {
		g := r.Def(group)
		if g < 0 || r.Insts[g].Op != OpDecorationGroup {
			r.fail(i, "operand %s is not a decoration group", r.IDName(group))
		}
		for _, x := range r.decorations[g] {
			if expanded++; expanded > maxExpanded {
				r.fail(i, "decoration groups expand to more than %d decorations", maxExpanded)
			}
			r.decorate(i, to, decoration{x.kind, member, x.args})
		}
	}
	for i := range r.Insts {
		switch in := &r.Insts[i]; in.Op {
		case OpGroupDecorate:
			group := ID(r.arg(i, 0))
			for _, to := range in.Args[1:] {
				if d := r.Def(ID(to)); d >= 0 && r.Insts[d].Op == OpDecorationGroup {
					r.fail(i, "target %s is itself a decoration group", r.IDName(ID(to)))
				}
				expand(i, group, ID(to), -1)
			}
		case OpGroupMemberDecorate:
			group := ID(r.arg(i, 0))
			for k := 1; k < len(in.Args); k += 2 {
				expand(i, group, ID(in.Args[k]), r.member(i, r.arg(i, k+1)))
			}
		}
	}
}

// member gives a member number as an int.
func (r *resolver) member(i int, n uint32) int {
	if n >= 1<<16 {
		r.fail(i, "member number %d, expected below %d", n, 1<<16)
	}
	return int(n)
}

func (r *resolver) decorate(i int, id ID, x decoration) {
	d := r.target(i, id)
	if x.member >= 0 {
		if in := &r.Insts[d]; in.Op != OpTypeStruct {
			r.fail(i, "target %s is not a struct type", r.IDName(id))
		} else if x.member >= len(in.Args) {
			r.fail(i, "struct %s has %d members, no member %d", r.IDName(id), len(in.Args), x.member)
		}
	}
	r.decorations[d] = append(r.decorations[d], x)
}

// readEntryPoints reads the entry points and their execution modes.
func (r *resolver) readEntryPoints() {
	byFunction := map[ID][]int{}
	for i := range r.Insts {
		in := &r.Insts[i]
		if in.Op != OpEntryPoint {
			continue
		}
		e := EntryPoint{Model: ExecutionModel(r.arg(i, 0)), Function: ID(r.arg(i, 1)), Name: r.text(i, 2)}
		_, n, _ := String(in.Args[2:])
		for _, id := range in.Args[2+n:] {
			if r.Var(ID(id)) == nil {
				r.fail(i, "interface operand %s is not a variable", r.IDName(ID(id)))
			}
			e.Interface = append(e.Interface, ID(id))
		}
		if r.Function(e.Function) == nil {
			r.fail(i, "entry point %q: %s is not a function", e.Name, r.IDName(e.Function))
		}
		byFunction[e.Function] = append(byFunction[e.Function], len(r.EntryPoints))
		r.EntryPoints = append(r.EntryPoints, e)
	}
	modes := 0
	for i := range r.Insts {
		in := &r.Insts[i]
		if in.Op != OpExecutionMode && in.Op != OpExecutionModeId {
			continue
		}
		f := ID(r.arg(i, 0))
		m := Mode{Mode: ExecutionMode(r.arg(i, 1)), Args: in.Args[2:], IDs: in.Op == OpExecutionModeId}
		size := r.localSize(i, m)
		if len(byFunction[f]) == 0 {
			r.fail(i, "%s is not the function of an entry point", r.IDName(ID(f)))
		}
		if modes += len(byFunction[f]); modes > maxExpanded {
			r.fail(i, "entry points have more than %d execution modes", maxExpanded)
		}
		for _, k := range byFunction[f] {
			e := &r.EntryPoints[k]
			e.Modes = append(e.Modes, m)
			if size != [3]uint32{} {
				e.LocalSize = size
			}
		}
	}
	r.workgroupSize()
}

// localSize reads a LocalSize or LocalSizeId mode; zeros for any other.
func (r *resolver) localSize(i int, m Mode) (size [3]uint32) {
	switch {
	case m.Mode == ExecutionModeLocalSize && !m.IDs:
		for k := range size {
			size[k] = r.arg(i, 2+k)
		}
	case m.Mode == ExecutionModeLocalSizeId && m.IDs:
		for k := range size {
			c := r.Const(ID(r.arg(i, 2+k)))
			if c == nil || c.Type.Kind != Int || c.Type.Width != 32 {
				r.fail(i, "operand %s is not a 32-bit integer constant", r.IDName(ID(r.arg(i, 2+k))))
			}
			size[k] = uint32(c.Bits[0])
		}
	default:
		return size
	}
	for _, n := range size {
		if n == 0 {
			r.fail(i, "local size %v has a zero", size)
		}
	}
	return size
}

// workgroupSize applies a constant decorated BuiltIn WorkgroupSize, which
// wins over every LocalSize mode (Vulkan, "Built-In Variables").
func (r *resolver) workgroupSize() {
	for i := range r.Insts {
		c, ok := r.results[i].(*Const)
		if !ok {
			continue
		}
		b, ok := r.Decoration(c.ID, DecorationBuiltIn)
		if !ok || len(b) == 0 || BuiltIn(b[0]) != BuiltInWorkgroupSize {
			continue
		}
		if t := c.Type; t.Kind != Vector || t.Len != 3 || t.Elem.Kind != Int || t.Elem.Width != 32 {
			r.fail(i, "constant WorkgroupSize is of type %s, expected a vector of three 32-bit integers", c.Type)
		}
		var size [3]uint32
		for k := range size {
			if size[k] = uint32(c.Bits[k]); size[k] == 0 {
				r.fail(i, "constant WorkgroupSize has a zero")
			}
		}
		for k := range r.EntryPoints {
			switch r.EntryPoints[k].Model {
			case ExecutionModelGLCompute, ExecutionModelKernel:
				r.EntryPoints[k].LocalSize = size
			}
		}
	}
}
