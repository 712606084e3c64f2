package emu

import (
	"fmt"
	"slices"

	"ampdbg/diag"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp"
)

// checkBarrier decides whether the barrier that the threads of t wait at is
// one that all of them reach: the same dynamic instance (SPIR-V 2.2.5), for
// every thread of the tile, those that have returned included. Otherwise it
// adds a finding. No thread of t can run.
//
// The threads of a tile that met at no barrier are out of step afterwards, and
// miss each other again at the next one. Only the first is a finding, until
// all threads meet once more.
func (r *run) checkBarrier(t *tile) {
	first, ok := t.Warps[0].Meets()
	for _, w := range t.Warps {
		a, whole := w.Meets()
		if !ok || !whole || a.PC != first.PC || a.Key != first.Key {
			ok = false
			break
		}
	}
	if !ok && !t.outOfStep {
		r.findings = addFound(r.findings, r.divergentBarrier(t))
	}
	t.outOfStep = !ok
}

// found is a finding of a dispatch. Those of one bug are merged, whatever
// threads of whatever tiles it struck.
type found struct {
	diag.Finding
	bug bug
}

// bug tells divergent barriers apart: by the branch that split the threads if
// it is known, else by the barrier. It is zero for other findings.
type bug struct {
	branch  int32 // the instruction that opens the construct, 0 if not known
	barrier int32 // the barrier, 0 if the branch is known
}

// addFound adds f to fs, or merges it with the finding of the same bug: the
// one with the lowest threads stands for both. The result does not depend on
// the order of calls.
func addFound(fs []found, f found) []found {
	for i := range fs {
		g := &fs[i]
		if f.bug == (bug{}) || g.bug != f.bug {
			continue
		}
		n := f.Times() + g.Times()
		if f.Parties[0].First.Compare(g.Parties[0].First) < 0 {
			*g = f
		}
		g.Count = n
		return fs
	}
	return append(fs, f)
}

// fold makes the findings of a dispatch those of its result.
func fold(fs []found) []diag.Finding {
	out := make([]diag.Finding, len(fs))
	for i := range fs {
		out[i] = fs[i].Finding
	}
	return diag.Fold(out)
}

// arrival is a group at a barrier with its dynamic instance.
type arrival struct {
	pc   int
	key  uint64
	path []warp.PathStep
	n    int // threads
}

func (m *Machine) divergentBarrier(t *tile) found {
	var groups []arrival
	for _, w := range t.Warps {
		for i, a := range w.Arrivals() {
			k := slices.IndexFunc(groups, func(g arrival) bool { return g.pc == a.PC && g.key == a.Key })
			if k < 0 {
				k = len(groups)
				groups = append(groups, arrival{pc: a.PC, key: a.Key, path: w.Instance(i)})
			}
			groups[k].n += a.Mask.Count()
		}
	}
	f := found{Finding: diag.Finding{
		Code: diag.DivergentBarrier, Kernel: m.Entry.Name, Pos: m.pos(groups[0].pc), Stack: m.Stack(groups[0].pc),
	}}
	parties := m.parties(t)
	split := int32(-1) // construct whose branch split the threads
	switch {
	case len(groups) > 1 && !slices.ContainsFunc(parties, party.missing):
		f.Class, f.Message, split = m.compareArrivals(groups[0], groups[1])
	default:
		f.Class, f.Message, split = m.absent(t, groups[0], parties)
	}
	for _, p := range parties {
		f.Parties = append(f.Parties, p.Party)
	}
	if len(groups) > 1 && (f.Class == diag.BarrierOtherIteration || f.Class == diag.BarrierFallthrough) {
		m.partiesByInstance(t, groups, &f.Finding)
	}
	f.bug = bug{barrier: m.Program.Inst[groups[0].pc]}
	if split >= 0 {
		if pos, what, ok := m.branchOf(split); ok {
			if values := m.branchValues(t, split, f.Parties); values != "" {
				what += ": " + values
			}
			f.Notes = append(f.Notes, diag.Note{Pos: pos, Msg: what})
			f.bug = bug{branch: m.Program.Constructs[split].Inst}
		}
	}
	f.Severity = diag.DefaultSeverity(f.Code, f.Class)
	return f
}

// compareArrivals says how two groups that wait at barriers differ.
func (m *Machine) compareArrivals(a, b arrival) (class, msg string, split int32) {
	p := m.Program
	n := 0
	for n < len(a.path) && n < len(b.path) && a.path[n] == b.path[n] {
		n++
	}
	split = -1
	if n > 0 {
		split = a.path[n-1].Construct
	}
	switch {
	case p.Inst[a.pc] != p.Inst[b.pc]:
		if at := m.apart(a.path[n:], b.path[n:]); at >= 0 {
			split = at
		}
		return diag.BarrierOther, "threads of one tile wait at different barriers", split
	case a.pc != b.pc:
		return diag.BarrierOtherCallSite, "threads of one tile reach this barrier through different calls", split
	case n < len(a.path) && n < len(b.path):
		x, y := a.path[n], b.path[n]
		split = x.Construct
		if x.Construct == y.Construct && x.Iter == y.Iter {
			return diag.BarrierFallthrough, "threads of one tile reach this barrier through different cases of a switch", split
		}
		return diag.BarrierOtherIteration,
			fmt.Sprintf("threads of one tile meet at this barrier in iterations %d and %d of a loop", x.Iter+1, y.Iter+1), split
	}
	return diag.BarrierOther, "threads of one tile wait at different barriers", split
}

// apart is the first construct, in the order of the program, that only one of
// two groups is in, -1 if there is none.
func (m *Machine) apart(a, b []warp.PathStep) int32 {
	first := int32(-1)
	for _, path := range [][]warp.PathStep{a, b} {
		if len(path) > 0 && (first < 0 || m.Program.Constructs[path[0].Construct].Inst < m.Program.Constructs[first].Inst) {
			first = path[0].Construct
		}
	}
	return first
}

// missing reports whether the threads wait at no barrier and have not returned.
func (p party) missing() bool { return p.state != warp.LaneAtBarrier && p.state != warp.LaneExited }

// absent says why threads are missing at the barrier of g.
func (m *Machine) absent(t *tile, g arrival, parties []party) (class, msg string, split int32) {
	waiting, here, total := 0, g.n, 0
	exited := -1
	split = -1
	class = ""
	for _, p := range parties {
		total += p.Count
		switch p.state {
		case warp.LaneAtBarrier:
		case warp.LaneExited:
			if exited < 0 {
				exited = p.pc
			}
		default:
			waiting += p.Count
			if p.constr >= 0 {
				if m.Program.Constructs[p.constr].Kind == program.CallConstruct {
					class = diag.BarrierAfterDivergentReturn
				} else if split < 0 {
					split = int32(p.constr)
				}
			}
		}
	}
	if class == diag.BarrierAfterDivergentReturn {
		return class, fmt.Sprintf("%d of %d threads reach this barrier; others have left the function it is in", here, total), m.exitSplit(g)
	}
	if waiting > 0 {
		return diag.BarrierMissing, fmt.Sprintf("%d of %d threads reach this barrier; others go past it", here, total), split
	}
	if exited >= 0 {
		split = m.enclosing(exited)
		// Those that came to the end of the kernel had left the function that
		// the barrier is in, if nothing but an early return of it leads past.
		if frame := m.Program.Frame[g.pc]; split < 0 && m.Program.Frame[exited] != frame && m.innermostSelection(g.path) < 0 {
			if s := m.exitSplit(g); s >= 0 {
				return diag.BarrierAfterDivergentReturn, fmt.Sprintf("%d of %d threads reach this barrier; others have left the function it is in", here, total), s
			}
		}
	}
	// Threads of warps that went past the barrier may have returned since.
	if split < 0 || m.inPath(split, g.path) {
		if s := m.innermostSelection(g.path); s >= 0 {
			return diag.BarrierMissing, fmt.Sprintf("%d of %d threads reach this barrier; others went past it and have returned", here, total), s
		}
	}
	return diag.BarrierExited, fmt.Sprintf("%d of %d threads reach this barrier; the others have returned", here, total), split
}

// innermostSelection is the innermost construct of a path that a branch opens.
func (m *Machine) innermostSelection(path []warp.PathStep) int32 {
	for i := len(path) - 1; i >= 0; i-- {
		if m.Program.Constructs[path[i].Construct].Kind != program.CallConstruct {
			return path[i].Construct
		}
	}
	return -1
}

func (m *Machine) inPath(c int32, path []warp.PathStep) bool {
	for _, s := range path {
		if s.Construct == c {
			return true
		}
	}
	return false
}

// exitSplit finds the branch in the callee whose one side returned: the last
// construct of the callee before the barrier is not known, so it is the
// innermost one around a return in the function of the barrier.
func (m *Machine) exitSplit(g arrival) int32 {
	frame := m.Program.Frame[g.pc]
	for pc, op := range m.Program.Code {
		if op.Code == program.ExitMerge && m.Program.Frame[pc] == frame {
			switch m.Unit.Insts[m.Program.Inst[pc]].Op {
			case spirv.OpReturn, spirv.OpReturnValue:
				if c := m.enclosing(pc); c >= 0 {
					return c
				}
			}
		}
	}
	return -1
}

// enclosing is the construct that the operation at pc lies in, -1 if none.
func (m *Machine) enclosing(pc int) int32 {
	inst := int(m.Program.Inst[pc])
	frame := m.Program.Frame[pc]
	fn := m.Program.Frames[frame].Function
	for _, b := range fn.Blocks {
		if inst < b.First || inst > b.Last || b.Construct == nil {
			continue
		}
		for i := range m.Program.Constructs {
			c := &m.Program.Constructs[i]
			if c.Frame == frame && c.Kind != program.CallConstruct && int(c.Inst) == b.Construct.Header.MergeInst {
				return int32(i)
			}
		}
	}
	return -1
}

// branchOf is the branch that opens a construct.
func (m *Machine) branchOf(c int32) (pos diag.Pos, what string, ok bool) {
	info := &m.Program.Constructs[c]
	if info.Kind == program.CallConstruct {
		return pos, "", false
	}
	fn := m.Program.Frames[info.Frame].Function
	for _, b := range fn.Blocks {
		if b.MergeInst == int(info.Inst) {
			// A loop's header may leave the test to the block after it.
			what = "this branch splits the threads"
			if info.Kind == program.LoopConstruct {
				what = "this loop splits the threads"
			}
			return m.instPos(b.Last), what, true
		}
	}
	return pos, "", false
}

// partiesByInstance lists the threads by the dynamic instance they wait in,
// where that is all they differ in.
func (m *Machine) partiesByInstance(t *tile, groups []arrival, f *diag.Finding) {
	f.Parties = nil
	for _, g := range groups {
		sets := map[int]warp.Mask{}
		p := diag.Party{Pos: m.pos(g.pc), What: "wait at this barrier"}
		found := false
		for _, w := range t.Warps {
			for _, a := range w.Arrivals() {
				if a.PC == g.pc && a.Key == g.key {
					sets[w.Index] = sets[w.Index].Or(a.Mask)
					if !found {
						p.First, found = Thread(w, a.Mask.First()), true
					}
				}
			}
		}
		p.Who, p.Count = laneSets(t, sets, m.total > 1)
		for _, s := range g.path {
			switch m.Program.Constructs[s.Construct].Kind {
			case program.LoopConstruct:
				p.What = fmt.Sprintf("wait at this barrier in iteration %d", s.Iter+1)
			case program.SwitchConstruct:
				p.What = fmt.Sprintf("wait at this barrier, come in by case %d", s.Entry)
			}
		}
		f.Parties = append(f.Parties, p)
	}
}
