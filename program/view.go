package program

import "ampdbg/spirv"

// Term is an index in an address: an element, sign-extended by shifting left and
// back by Sh, times a stride. A stride of 0 is no term.
type Term struct {
	Row    uint32
	Sh     uint8
	Stride int64
}

// Of is what the term adds for a lane whose element holds bits.
func (t Term) Of(bits uint64) int64 { return int64(bits<<t.Sh) >> t.Sh * t.Stride }

// Access is what a load, a store or an atomic does to memory: in each lane it
// accesses Components consecutive scalars of Width bytes, at byte Offset plus the
// terms of a view, or from where a pointer points.
type Access struct {
	Kind       AccessKind
	Pointer    uint32 // element of the pointer; NoRow: View is accessed
	View       int32
	Offset     int64
	Terms      [2]Term
	Width      int // bytes
	Components int
	Value      uint32 // element of the first row that is loaded into, or stored
	Align      int64  // bytes that the address is promised to be a multiple of; 0: none
}

// Access is the access of a load, store or atomic. It reports false for all
// others, image instructions among them: where these go is ImageInfo's.
func (p *Program) Access(op *Op) (a Access, ok bool) {
	m := &table[op.Code].memory
	switch m.kind {
	case NoAccess, TexelAccess:
		return a, false
	}
	a = Access{
		Kind: m.kind, Pointer: NoRow, View: op.X, Offset: op.Imm,
		Terms: [2]Term{op.Term()}, Width: int(m.width), Components: int(op.N), Value: op.Dst,
	}
	switch {
	case m.kind == AtomicAccess:
		info := &p.Atomics[op.X]
		a.View, a.Width, a.Components, a.Value = int32(op.B), info.Size, 1, info.Val
		if op.Flag != 0 {
			a.Pointer = op.A
		}
	case m.pointer:
		a.Pointer, a.Width, a.Align = op.A, int(op.Flag), int64(op.B)
		if m.kind == StoreAccess {
			a.Value, a.Align = op.B, int64(op.Dst)
		}
	case m.kind == StoreAccess:
		a.Value = op.A
		if op.Flag != 0 {
			a.Terms[1] = Term{op.Dst, op.Sh, int64(int32(op.B))}
		}
	case op.Flag != 0:
		a.Terms[1] = Term{op.A, op.Sh, int64(int32(op.B))}
	}
	if a.Pointer != NoRow {
		a.View = 0
	}
	return a, true
}

// Accesses says what operations of the code do to memory that threads share.
func (c Code) Accesses() AccessKind { return table[c].memory.kind }

// Term is the index of an operation that has one: in C, times Y.
func (op *Op) Term() Term { return Term{op.C, op.Sh, int64(op.Y)} }

// Part is the access to a register variable whose index is not constant: Rows
// rows of Program.Vars[Var] from row First plus the term on, which must lie
// inside of it.
type Part struct {
	Var   int32
	First int64
	Term  Term
	Rows  int
	Store bool
	Value uint32 // element of the first row that is loaded into, or stored
}

// Part is the access of a LoadVar or StoreVar. It reports false for all others.
func (op *Op) Part() (v Part, ok bool) {
	info := &table[op.Code]
	if info.variable == RoleNone {
		return v, false
	}
	v = Part{Var: op.X, First: op.Imm, Term: op.Term(), Rows: int(op.N), Value: op.Dst}
	if info.variable == RoleResult {
		v.Store, v.Value = true, op.A
	}
	return v, true
}

// Sync is what a Barrier or a Fence orders. A fence has no execution scope.
type Sync struct {
	Execution, Memory spirv.Scope
	Semantics         uint32
}

// Sync is what a Barrier or Fence does. It reports false for all others.
func (op *Op) Sync() (s Sync, ok bool) {
	if table[op.Code].form != syncForm {
		return s, false
	}
	return Sync{Execution: spirv.Scope(op.X), Memory: spirv.Scope(op.C), Semantics: uint32(op.Y)}, true
}

// Waits reports whether an operation makes its threads wait for the tile: a
// barrier of Subgroup scope or smaller holds by lockstep.
func (op *Op) Waits() bool {
	s := spirv.Scope(op.X)
	return op.Code == Barrier && (s == spirv.ScopeWorkgroup || s == spirv.ScopeDevice || s == spirv.ScopeQueueFamily)
}

// WaitsFrom reports whether a tile barrier stands at pc or behind it.
func (p *Program) WaitsFrom(pc int) bool {
	for i := max(pc, 0); i < len(p.Code); i++ {
		if p.Code[i].Waits() {
			return true
		}
	}
	return false
}

// AtomicOf is the atomic instruction that an operation is, also on a texel; nil
// for all others.
func (p *Program) AtomicOf(op *Op) *AtomicInfo {
	switch op.Code {
	case Atomic:
		return &p.Atomics[op.X]
	case ImageOp:
		return p.ImageOps[op.X].Atomic
	}
	return nil
}

// Branches reports whether lanes may part at an operation of the code.
func (c Code) Branches() bool {
	f := table[c].Flow
	return f == FlowBranch || f == FlowSwitch
}

// CompareBranch reports whether a branch compares two rows itself.
func (c Code) CompareBranch() bool { return table[c].Flow == FlowBranch && table[c].b.role != RoleNone }

// Compares reports whether a value operation is a comparison of its two
// operands.
func (c Code) Compares() bool { return c >= IEq && c <= FUnordNe32 }

// Branch is the branch on what a comparison compares, if there is one.
func (c Code) Branch() (branch Code, ok bool) {
	switch c {
	case ULt32:
		return BranchULt, true
	case ULe32:
		return BranchULe, true
	case SLt32:
		return BranchSLt, true
	case SLe32:
		return BranchSLe, true
	case IEq:
		return BranchEq, true
	case INe:
		return BranchNe, true
	}
	return Nop, false
}

// EntersCall reports whether an operation opens the construct of an inlined call.
func (p *Program) EntersCall(op *Op) bool {
	return op.Code == Enter && p.Constructs[op.X].Kind == CallConstruct
}
