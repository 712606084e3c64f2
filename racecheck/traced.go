package racecheck

import (
	"strings"

	"ampdbg/emu"
	"ampdbg/spirv"
)

// traced is what makes the verdict on a dispatch that of the executed trace
// (see docs/races.md): another schedule may order other accesses, or execute
// others. Barriers and relaxed atomics alone do neither; clocks says that there
// is more (see needsClocks).
func traced(m *emu.Machine, clocks bool) []string {
	var out []string
	if clocks {
		out = append(out, "fences, acquires and releases")
	}
	if steers(m) {
		out = append(out, "results of atomics that steer branches or addresses")
	}
	return out
}

// steers reports whether the result of an atomic can come to a condition of a
// branch or to an address. It follows values from instruction to instruction
// and through whole variables, without regard to their order.
func steers(m *emu.Machine) bool {
	u := m.Unit
	var functions []*spirv.Function
	seen := map[*spirv.Function]bool{}
	for i := range m.Program.Frames {
		if f := m.Program.Frames[i].Function; !seen[f] {
			seen[f] = true
			functions = append(functions, f)
		}
	}
	t := &taint{u: u, held: map[spirv.ID]bool{}}
	for t.changed = true; t.changed && !t.steers; {
		t.changed = false
		for _, f := range functions {
			for _, b := range f.Blocks {
				for i := b.First; i <= b.Last; i++ {
					t.inst(f, &u.Insts[i])
				}
			}
		}
	}
	return t.steers
}

// taint is the set of values and variables that hold what atomics gave.
type taint struct {
	u       *spirv.Unit
	held    map[spirv.ID]bool
	changed bool
	steers  bool
}

func (t *taint) add(id spirv.ID) {
	if id != 0 && !t.held[id] {
		t.held[id], t.changed = true, true
	}
}

// root is the variable, parameter or value that a pointer leads into.
func (t *taint) root(id spirv.ID) spirv.ID {
	for {
		def := t.u.Def(id)
		if def < 0 {
			return id
		}
		switch in := &t.u.Insts[def]; in.Op {
		case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain, spirv.OpCopyObject, spirv.OpImageTexelPointer:
			id = spirv.ID(in.Args[0])
		default:
			return id
		}
	}
}

func (t *taint) inst(f *spirv.Function, in *spirv.Inst) {
	arg := func(k int) spirv.ID { return spirv.ID(in.Args[k]) }
	any := func(from int) bool {
		ops, err := t.u.Module.Operands(in)
		if err != nil {
			return false
		}
		for _, o := range ops {
			if (o.Kind == spirv.KindIdRef || o.Kind == spirv.KindIdScope || o.Kind == spirv.KindIdMemorySemantics) && o.At >= from && t.held[spirv.ID(o.Words[0])] {
				return true
			}
		}
		return false
	}
	switch in.Op {
	case spirv.OpBranchConditional, spirv.OpSwitch:
		t.steers = t.steers || t.held[arg(0)]
		return
	case spirv.OpAccessChain, spirv.OpInBoundsAccessChain, spirv.OpPtrAccessChain, spirv.OpInBoundsPtrAccessChain, spirv.OpImageTexelPointer:
		t.steers = t.steers || any(1)
		return
	case spirv.OpImageRead, spirv.OpImageFetch, spirv.OpImageWrite:
		t.steers = t.steers || t.held[arg(1)]
	case spirv.OpConvertUToPtr:
		t.steers = t.steers || t.held[arg(0)]
		return
	}
	switch {
	case in.Op == spirv.OpStore, in.Op == spirv.OpCopyMemory:
		if value := arg(1); t.held[value] || in.Op == spirv.OpCopyMemory && t.held[t.root(value)] {
			t.add(t.root(arg(0)))
		}
	case in.Op == spirv.OpImageWrite:
		if t.held[arg(2)] {
			t.add(t.root(arg(0)))
		}
	case in.Op == spirv.OpLoad:
		if t.held[t.root(arg(0))] {
			t.add(in.Result)
		}
	case in.Op == spirv.OpReturnValue:
		if t.held[arg(0)] {
			t.add(f.ID)
		}
	case in.Op == spirv.OpFunctionCall:
		callee := t.u.Function(arg(0))
		if callee == nil {
			return
		}
		for k, p := range callee.Params {
			if t.held[t.root(arg(k+1))] || t.held[arg(k+1)] {
				t.add(p)
			}
			if t.held[p] { // stored to through a pointer
				t.add(t.root(arg(k + 1)))
			}
		}
		if t.held[callee.ID] {
			t.add(in.Result)
		}
	case strings.HasPrefix(in.Op.String(), "OpAtomic"):
		t.add(in.Result)
		if any(1) {
			t.add(t.root(arg(0)))
		}
	case in.Result != 0:
		if any(0) {
			t.add(in.Result)
		}
	}
}
