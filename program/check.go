package program

import (
	"fmt"
	"math"

	"ampdbg/spirv"
)

// maxWidth is the most lanes that a warp may have.
const maxWidth = 128

// maxSteps is the most instructions that one operation may count.
const maxSteps = 1 << 32

// Check reports what is wrong with a program: a row outside the arena, an entry
// that a table does not have, a jump out of the code, constructs that are left
// without having been entered, a loop that the step limit does not end. An engine
// relies on it and looks at none of that again, so a program must pass before it
// runs; a failure is a mistake of the lowering.
func (p *Program) Check() error {
	if what := p.checkShape(); what != "" {
		return fmt.Errorf("the lowered program is malformed: %s", what)
	}
	for pc := range p.Code {
		if what := p.checkOp(&p.Code[pc]); what != "" {
			return p.malformed(pc, what)
		}
	}
	if f := p.Code[len(p.Code)-1].Code.Info().Flow; f == FlowNext || f == FlowEnter {
		return p.malformed(len(p.Code)-1, "the code ends after it")
	}
	if pc, what := p.checkConstructs(); what != "" {
		return p.malformed(pc, what)
	}
	return p.checkLoops()
}

func (p *Program) malformed(pc int, what string) error {
	op := &p.Code[pc]
	return fmt.Errorf("operation %d, %v, of the lowered program is malformed: %s: %+v", pc, op.Code, what, *op)
}

// inCode reports whether a pc is that of an operation.
func (p *Program) inCode(pc int32) bool { return pc >= 0 && int(pc) < len(p.Code) }

// inArena reports whether n elements from at on are rows.
func (p *Program) inArena(at, n uint32) bool {
	return uint64(at)%uint64(p.Stride) == 0 && uint64(at)+uint64(n) <= uint64(p.Rows)*uint64(p.Stride)
}

func (p *Program) areRows(elements ...uint32) bool {
	for _, e := range elements {
		if !p.inArena(e, uint32(p.Stride)) {
			return false
		}
	}
	return true
}

// checkShape says what is wrong with a program besides its operations.
func (p *Program) checkShape() string {
	switch {
	case p.Width < 1 || p.Width > maxWidth || p.Stride != (p.Width+3)&^3:
		return fmt.Sprintf("rows of %d elements for %d lanes", p.Stride, p.Width)
	case p.Rows < 0 || p.Rows*p.Stride > math.MaxInt32:
		return fmt.Sprintf("%d rows", p.Rows)
	case !p.inArena(p.Scratch, 0):
		return fmt.Sprintf("scratch rows from element %d on", p.Scratch)
	case len(p.Code) == 0 || !p.inCode(int32(p.Entry)):
		return fmt.Sprintf("%d operations from %d on", len(p.Code), p.Entry)
	case p.Inst != nil && len(p.Inst) != len(p.Code) || p.Frame != nil && len(p.Frame) != len(p.Code):
		return fmt.Sprintf("%d operations of %d instructions in %d frames", len(p.Code), len(p.Inst), len(p.Frame))
	case len(p.Constructs) == 0:
		return "no construct is open at its start"
	case p.Views < 0:
		return fmt.Sprintf("%d views", p.Views)
	}
	for _, c := range p.Consts {
		if !p.areRows(c.Row) {
			return fmt.Sprintf("constant %#x lies outside the arena", c.Bits)
		}
	}
	for _, b := range p.Builtins {
		most := 3
		switch b.BuiltIn {
		case spirv.BuiltInSubgroupEqMask, spirv.BuiltInSubgroupGeMask, spirv.BuiltInSubgroupGtMask, spirv.BuiltInSubgroupLeMask, spirv.BuiltInSubgroupLtMask:
			most = 4
		}
		if len(b.Rows) > most || !p.areRows(b.Rows...) {
			return fmt.Sprintf("built-in %v is in %d", b.BuiltIn, b.Rows)
		}
	}
	for i := range p.Vars {
		if v := &p.Vars[i]; v.Row < 0 || v.Rows < 0 || int(v.Row)+int(v.Rows) > p.Rows {
			return fmt.Sprintf("variable %d is in %d rows from %d on", i, v.Rows, v.Row)
		}
	}
	for i := range p.Switches {
		s := &p.Switches[i]
		if len(s.Targets) != len(s.Values)+1 || len(s.Entry) != len(s.Targets) {
			return fmt.Sprintf("switch %d has %d values, %d targets and %d entries", i, len(s.Values), len(s.Targets), len(s.Entry))
		}
		for _, to := range s.Targets {
			if !p.inCode(to) {
				return fmt.Sprintf("switch %d goes to %d", i, to)
			}
		}
	}
	for i := range p.Groups {
		if !p.Groups[i].complete() {
			return fmt.Sprintf("subgroup instruction %d is %+v", i, p.Groups[i])
		}
	}
	for i := range p.ImageOps {
		if !p.ImageOps[i].complete() {
			return fmt.Sprintf("image instruction %d is %+v", i, p.ImageOps[i])
		}
	}
	for i := range p.Defined {
		if !p.Defined[i].complete(len(p.Groups)) {
			return fmt.Sprintf("test %d is %+v", i, p.Defined[i])
		}
	}
	return ""
}

// complete reports whether a test has what it takes; there are so many subgroup
// instructions.
func (d *DefinedInfo) complete(groups int) bool {
	for _, rows := range d.In {
		if len(rows) == 0 {
			return false
		}
	}
	return (d.Out == nil || len(d.Out) == len(d.In)) && int(d.Group) < groups
}

// complete reports whether a subgroup instruction has what it takes.
func (g *GroupInfo) complete() bool {
	words := 1
	switch g.Op {
	case spirv.OpGroupNonUniformElect:
		words = 0
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny, spirv.OpGroupNonUniformBallot:
	case spirv.OpGroupNonUniformInverseBallot, spirv.OpGroupNonUniformBallotBitExtract, spirv.OpGroupNonUniformBallotBitCount,
		spirv.OpGroupNonUniformBallotFindLSB, spirv.OpGroupNonUniformBallotFindMSB:
		words = 4
		if len(g.A) > words {
			return false
		}
	default:
		if !g.Moves() && g.Fn == (Symbol{}) || g.Kind == spirv.GroupOperationClusteredReduce && g.Cluster == 0 {
			return false
		}
	}
	return len(g.A) >= words && len(g.Dst) >= 1 && len(g.Dst) <= 4 && g.Cluster <= maxWidth
}

// complete reports whether an image instruction has what it takes.
func (i *ImageInfo) complete() bool {
	texel := i.Op == spirv.OpImageTexelPointer
	return len(i.Dst) <= 4 && len(i.Value) <= 4 && len(i.GradX) == len(i.GradY) && (!i.Proj || len(i.Coord) > 1) && texel == (i.Atomic != nil) &&
		(!texel || len(i.Dst) > 0 || !i.Atomic.Op.Reads())
}

// checkOp says what is wrong with an operation by itself.
func (p *Program) checkOp(op *Op) string {
	if op.Code >= NumCodes {
		return "no code of a program"
	}
	info := &table[op.Code]
	if info.entries != nil && (op.X < 0 || int(op.X) >= info.entries(p)) {
		return "its table has no such entry"
	}
	row := uint32(p.Stride)
	switch {
	case op.Code.Plain() && (op.N == 0 || op.N%row != 0 || op.Code != Mov && !p.inArena(p.Scratch, op.N)),
		(op.Code == PtrTo || op.Code == PtrAdd) && op.N != row,
		info.countsRows && (op.N == 0 || op.N > uint32(p.Rows)),
		op.Code == CheckUsed && (op.N == 0 || op.N%row != 0):
		return "so many elements"
	case op.Sh > 63:
		return "an index cut to nothing"
	case info.c == index && !p.areRows(op.C): // whatever the stride
		return "an index outside the arena"
	case info.Effects&EffectCount != 0 && (op.Imm < 0 || op.Imm > maxSteps):
		return "so many steps"
	case info.memory.pointer && op.Flag != 1 && op.Flag != 2 && op.Flag != 4 && op.Flag != 8:
		return "scalars of such a size"
	case op.Code == MarkUndefined && p.Defined[op.X].Out == nil:
		return "a result to mark that there is not"
	case op.Code == ArrayLen && op.Y <= 0:
		return "elements of no size"
	}
	if view, named := p.view(op); named && (view < 0 || int(view) >= p.Views) {
		return "no such view"
	}
	inside := true
	p.Touches(op, func(r RowRun) { inside = inside && p.inArena(r.At, r.N) })
	if !inside {
		return "a row outside the arena"
	}
	ok := true
	switch info.Flow {
	case FlowJump:
		ok = p.inCode(op.X)
	case FlowBranch:
		ok = p.inCode(op.X) && p.inCode(op.Y) && p.skips(op, TrueIsMerge, op.X) && p.skips(op, FalseIsMerge, op.Y) && op.Flag <= FalseIsMerge
	case FlowMerge, FlowContinue, FlowBack:
		ok = op.X > 0 || op.X == 0 && p.inCode(op.Y)
	}
	if !ok {
		return "it goes elsewhere"
	}
	return ""
}

// view is the view that an operation names, if it names one.
func (p *Program) view(op *Op) (view int32, named bool) {
	switch {
	case op.Code == PtrTo, op.Code == ArrayLen && op.Flag == 0:
		return op.X, true
	}
	a, ok := p.Access(op)
	return a.View, ok && a.Pointer == NoRow
}

// skips reports whether what a branch goes to does nothing but leave for the
// merge point, if its flag says so.
func (p *Program) skips(op *Op, flag uint8, to int32) bool {
	if op.Flag != flag {
		return true
	}
	leave := &p.Code[to]
	return leave.Code == ExitMerge && leave.X == 0 && leave.Imm == 0
}

// checkConstructs follows the program with the constructs that are open, and says
// at which operation something is wrong: each has to be reached with the same
// ones from everywhere, and only those can be left that are open.
func (p *Program) checkConstructs() (pc int, what string) {
	// A stack is its innermost construct and the stack of the others.
	type stack struct{ construct, outer int32 }
	stacks := []stack{{0, -1}}
	number := map[stack]int32{stacks[0]: 0}
	open := make([]int32, len(p.Code)) // by pc: 1 + number of the stack, 0 if not reached
	work := []int32{int32(p.Entry)}
	open[p.Entry] = 1
	reach := func(to, s int32) {
		switch open[to] {
		case 0:
			open[to] = s + 1
			work = append(work, to)
		case s + 1:
		default:
			pc, what = int(to), "it is reached with different constructs open"
		}
	}
	for len(work) > 0 && what == "" {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		op, s := &p.Code[at], open[at]-1
		switch flow := table[op.Code].Flow; flow {
		case FlowJump:
			reach(op.X, s)
		case FlowBranch:
			reach(op.X, s)
			reach(op.Y, s)
		case FlowSwitch:
			for _, to := range p.Switches[op.X].Targets {
				reach(to, s)
			}
		case FlowMerge, FlowContinue, FlowBack:
			for range op.X {
				if s = stacks[s].outer; s < 0 {
					break
				}
			}
			if s <= 0 {
				return int(at), "no such construct is open"
			}
			c := &p.Constructs[stacks[s].construct]
			to := c.Merge
			switch flow {
			case FlowMerge:
				s = stacks[s].outer
			case FlowContinue:
				to = c.Cont
			case FlowBack:
				to = c.Header
			}
			if flow != FlowMerge && c.Kind != LoopConstruct || !p.inCode(to) || op.X == 0 && op.Y != to {
				return int(at), "the construct has no such place"
			}
			reach(to, s)
		case FlowEnter:
			inner := stack{op.X, s}
			n, known := number[inner]
			if !known {
				n = int32(len(stacks))
				stacks, number[inner] = append(stacks, inner), n
			}
			reach(at+1, n)
		case FlowNext:
			reach(at+1, s)
		}
	}
	return pc, what
}

// checkLoops reports a loop without a back edge, which is where a warp is stopped,
// or without a step.
func (p *Program) checkLoops() error {
	flow := p.Flow()
	for _, rule := range []struct {
		what string
		ends func(op *Op) bool
	}{
		{"a loop without a back edge", func(op *Op) bool { return table[op.Code].Flow == FlowBack }},
		{"a loop that takes no steps", func(op *Op) bool { return table[op.Code].Effects&EffectCount != 0 && op.Imm > 0 }},
	} {
		const open, done = 1, 2
		state := make([]uint8, len(p.Code))
		type visit struct{ pc, next int32 }
		for _, first := range flow.Order {
			work := []visit{{first, 0}}
			for len(work) > 0 {
				at := &work[len(work)-1]
				pc := at.pc
				succs := flow.Succs[pc]
				if at.next == 0 {
					if state[pc] == done {
						work = work[:len(work)-1]
						continue
					}
					state[pc] = open
				}
				if int(at.next) == len(succs) || rule.ends(&p.Code[pc]) {
					state[pc] = done
					work = work[:len(work)-1]
					continue
				}
				to := succs[at.next]
				at.next++
				switch state[to] {
				case 0:
					work = append(work, visit{to, 0})
				case open:
					return p.malformed(int(to), rule.what)
				}
			}
		}
	}
	return nil
}
