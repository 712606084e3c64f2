package program

import (
	"ampdbg/spirv"
)

// Shadow makes a program that does what p does and besides tells whether an
// undefined result comes to a use that matters: a CheckUsed stands where a lane
// branches on one, makes an address of it, or stores it. Reasons of which the
// bit in off is set do not count.
//
// Every row that an undefined result can come to has a shadow, whose lanes are
// not 0 where it has come: further operations, which take no steps, do with
// shadows what the program does with the rows. They err on the side of a use:
// memory that a tile shares has no shadows, so a store there is one.
func (p *Program) Shadow(off uint32) (*Program, error) {
	s := &shadowing{p: p, q: new(Program), stride: uint32(p.Stride), rows: p.undefinedRows(off), vars: map[int32]int32{}}
	q := s.q
	*q = *p
	q.Rows = 2 * p.Rows
	q.Code, q.Inst, q.Frame = nil, nil, nil
	q.Vars, q.Groups = append([]VarInfo(nil), p.Vars...), append([]GroupInfo(nil), p.Groups...)
	q.Calls = append([]CallInfo(nil), p.Calls...)
	at := make([]int32, len(p.Code)+1) // where each operation has gone
	for pc := range p.Code {
		at[pc] = int32(len(q.Code))
		s.pc = pc
		s.op(&p.Code[pc], off)
	}
	at[len(p.Code)] = int32(len(q.Code))
	s.relocate(at)
	return q, q.Check()
}

type shadowing struct {
	p, q   *Program
	pc     int
	stride uint32
	rows   []bool          // by row of p: whether an undefined result can come there
	vars   map[int32]int32 // the shadows of variables
}

// undefinedRows finds the rows that undefined results can come to through
// registers.
func (p *Program) undefinedRows(off uint32) []bool {
	stride := uint32(p.Stride)
	rows := make([]bool, p.Rows)
	for i := range p.Defined {
		if d := &p.Defined[i]; d.Reasons&^off != 0 {
			for _, out := range d.Out {
				for _, r := range out {
					rows[r/stride] = true
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for pc := range p.Code {
			op := &p.Code[pc]
			if !op.Code.passes() {
				continue
			}
			from := false
			p.Touches(op, func(r RowRun) {
				for i := r.At / stride; i < (r.At+r.N)/stride; i++ {
					if !r.Writes() {
						from = from || rows[i]
					} else if from && !rows[i] {
						rows[i], changed = true, true
					}
				}
			})
		}
	}
	return rows
}

// passes reports whether what the operation reads comes to what it writes
// without being used.
func (c Code) passes() bool {
	return c.computes() || c == Group || table[c].variable != RoleNone
}

// shadow is the shadow of a row.
func (s *shadowing) shadow(element uint32) uint32 { return element + uint32(s.p.Rows)*s.stride }

func (s *shadowing) shadows(elements []uint32) []uint32 {
	out := make([]uint32, len(elements))
	for i, e := range elements {
		out[i] = s.shadow(e)
	}
	return out
}

// has reports whether any of n elements from at may be undefined.
func (s *shadowing) has(at, n uint32) bool {
	for i := at / s.stride; i < (at+max(n, s.stride))/s.stride; i++ {
		if s.rows[i] {
			return true
		}
	}
	return false
}

func (s *shadowing) any(elements []uint32) bool {
	for _, e := range elements {
		if s.has(e, s.stride) {
			return true
		}
	}
	return false
}

func (s *shadowing) emit(op Op) {
	s.q.Code = append(s.q.Code, op)
	s.q.Inst, s.q.Frame = append(s.q.Inst, s.p.Inst[s.pc]), append(s.q.Frame, s.p.Frame[s.pc])
}

// uses emits that rows are used.
func (s *shadowing) uses(at, n uint32) {
	if s.has(at, n) {
		s.emit(Op{Code: CheckUsed, A: s.shadow(at), N: n})
	}
}

// clear emits that rows have a defined value.
func (s *shadowing) clear(at, n uint32) {
	if s.has(at, n) {
		d := s.shadow(at)
		s.emit(Op{Code: Xor, Dst: d, A: d, B: d, N: n})
	}
}

// op emits an operation and what goes with it.
func (s *shadowing) op(op *Op, off uint32) {
	switch {
	case op.Code == CheckDefined:
		if d := &s.p.Defined[op.X]; d.Out != nil && d.Reasons&^off != 0 {
			s.emit(Op{Code: MarkUndefined, X: op.X, Dst: uint32(s.p.Rows) * s.stride, C: off})
		}
	case op.Code.Plain():
		s.emit(*op)
		s.plain(op)
	case op.Code == CallN:
		s.emit(*op)
		f := &s.p.Calls[op.X]
		if !s.any(f.Out) {
			return
		}
		s.q.Calls = append(s.q.Calls, CallInfo{Fn: Symbol{Set: Machine, Op: uint32(AnySet)}, In: s.shadows(f.In), Out: s.shadows(f.Out)})
		s.emit(Op{Code: CallN, X: int32(len(s.q.Calls) - 1)})
	case op.Code == Group:
		s.group(op)
	case op.Code == LoadVar, op.Code == StoreVar:
		if op.Y != 0 {
			s.uses(op.C, s.stride)
		}
		s.emit(*op)
		s.variable(op)
	default:
		s.p.Touches(op, func(r RowRun) {
			if !r.Writes() && op.Code != Printf && op.Code != CheckIndex {
				s.uses(r.At, r.N)
			}
		})
		s.emit(*op)
		s.p.Touches(op, func(r RowRun) {
			if r.Writes() {
				s.clear(r.At, r.N)
			}
		})
	}
}

// plain emits what a value operation does with shadows.
func (s *shadowing) plain(op *Op) {
	if !s.has(op.Dst, op.N) {
		return
	}
	dst := s.shadow(op.Dst)
	if op.Code == Select {
		s.emit(Op{Code: Select, Dst: dst, A: op.A, B: s.shadow(op.B), C: s.shadow(op.C), N: op.N})
		if s.has(op.A, op.N) {
			s.emit(Op{Code: Or, Dst: dst, A: dst, B: s.shadow(op.A), N: op.N})
		}
		return
	}
	var from []uint32
	a, b, c := op.Operands()
	for i, at := range []uint32{op.A, op.B, op.C} {
		if [3]bool{a, b, c}[i] && s.has(at, op.N) {
			from = append(from, s.shadow(at))
		}
	}
	switch len(from) {
	case 0:
		s.clear(op.Dst, op.N)
	case 1:
		s.emit(Op{Code: Mov, Dst: dst, A: from[0], N: op.N})
	default:
		s.emit(Op{Code: Or, Dst: dst, A: from[0], B: from[1], N: op.N})
		for _, f := range from[2:] {
			s.emit(Op{Code: Or, Dst: dst, A: dst, B: f, N: op.N})
		}
	}
}

// group emits a subgroup instruction. One that reads another lane's value does
// the same with shadows; of the others, one undefined lane is enough.
func (s *shadowing) group(op *Op) {
	g := &s.p.Groups[op.X]
	shadow := GroupInfo{Op: g.Op, Cluster: g.Cluster, Dst: s.shadows(g.Dst), A: s.shadows(g.A), B: g.B}
	switch {
	case !s.any(g.Dst):
		s.emit(*op)
		return
	case g.Moves():
	case len(g.A) == 1:
		shadow.Op, shadow.Dst = spirv.OpGroupNonUniformAny, shadow.Dst[:1]
	default: // a ballot's words
		for _, a := range g.A {
			s.uses(a, s.stride)
		}
		s.emit(*op)
		for _, d := range g.Dst {
			s.clear(d, s.stride)
		}
		return
	}
	if g.readsB() {
		s.uses(g.B, s.stride)
	}
	s.emit(*op)
	s.q.Groups = append(s.q.Groups, shadow)
	s.emit(Op{Code: Group, X: int32(len(s.q.Groups) - 1), Dst: shadow.Dst[0]})
	if g.Moves() {
		return
	}
	for _, d := range shadow.Dst {
		for _, other := range s.shadows(g.Dst)[1:] {
			s.emit(Op{Code: Mov, Dst: other, A: d, N: s.stride})
		}
	}
}

// variable emits an access to the shadow of a variable.
func (s *shadowing) variable(op *Op) {
	v := s.p.Vars[op.X]
	if !s.has(uint32(v.Row)*s.stride, uint32(v.Rows)*s.stride) {
		if op.Code == LoadVar {
			s.clear(op.Dst, op.N*s.stride)
		}
		return
	}
	x, ok := s.vars[op.X]
	if !ok {
		x = int32(len(s.q.Vars))
		s.vars[op.X] = x
		v.Row += int32(s.p.Rows)
		s.q.Vars = append(s.q.Vars, v)
	}
	shadow := *op
	shadow.X = x
	if op.Code == LoadVar {
		shadow.Dst = s.shadow(op.Dst)
	} else {
		shadow.A = s.shadow(op.A)
	}
	s.emit(shadow)
}

// relocate makes the program's places those of the new code.
func (s *shadowing) relocate(at []int32) {
	q := s.q
	to := func(pc *int32) {
		if *pc >= 0 && int(*pc) < len(at) {
			*pc = at[*pc]
		}
	}
	for pc := range q.Code {
		op := &q.Code[pc]
		switch table[op.Code].Flow {
		case FlowJump:
			to(&op.X)
		case FlowBranch:
			to(&op.X)
			to(&op.Y)
		case FlowMerge, FlowContinue, FlowBack:
			to(&op.Y)
		}
	}
	q.Entry = int(at[q.Entry])
	q.Constructs = append([]ConstructInfo(nil), q.Constructs...)
	for i := range q.Constructs {
		c := &q.Constructs[i]
		to(&c.Merge)
		to(&c.Cont)
		to(&c.Header)
	}
	q.Switches = append([]SwitchInfo(nil), q.Switches...)
	for i := range q.Switches {
		t := append([]int32(nil), q.Switches[i].Targets...)
		for j := range t {
			to(&t[j])
		}
		q.Switches[i].Targets = t
	}
}
