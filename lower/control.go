package lower

import (
	"slices"

	"ampdbg/program"
	"ampdbg/spirv"
)

// blocks lowers the reachable blocks of fn in structured order.
func (l *lowerer) blocks(fn *spirv.Function) {
	f := l.frame
	order := make([]*spirv.Block, 0, len(fn.Blocks))
	for _, b := range fn.Blocks {
		if b.Reachable {
			order = append(order, b)
			f.blocks[b] = &blockCode{entry: -1}
		}
	}
	slices.SortStableFunc(order, func(a, b *spirv.Block) int { return a.Order - b.Order })
	l.reservePhis(order)
	// Infos first: branches refer to constructs that come later.
	for _, c := range fn.Constructs() {
		info := program.ConstructInfo{Merge: -1, Cont: -1, Header: -1, Inst: int32(c.Header.MergeInst), Frame: f.index}
		switch c.Kind {
		case spirv.SwitchConstruct:
			info.Kind = program.SwitchConstruct
		case spirv.LoopConstruct:
			info.Kind = program.LoopConstruct
		}
		f.infos[c] = int32(len(l.p.Constructs))
		l.p.Constructs = append(l.p.Constructs, info)
	}
	l.variables(fn)
	for i, b := range order {
		var next *spirv.Block
		if i+1 < len(order) {
			next = order[i+1]
		}
		l.block(b, next)
	}
	for _, c := range fn.Constructs() {
		l.landing(c)
	}
}

// reservePhis gives every phi its rows, since edges that come before it write
// them.
func (l *lowerer) reservePhis(blocks []*spirv.Block) {
	for _, b := range blocks {
		for i := b.First; i < b.Last && l.isPhi(i); i++ {
			if in := &l.u.Insts[i]; in.Op == spirv.OpPhi {
				n := l.u.Type(in.Type).Scalars()
				l.inst = i
				l.checkScalars(n)
				l.frame.vals[in.Result] = value{rows: l.allocRows(n)}
			}
		}
	}
}

// isPhi reports whether instruction i is an OpPhi or a line among them.
func (l *lowerer) isPhi(i int) bool {
	switch l.u.Insts[i].Op {
	case spirv.OpPhi, spirv.OpLine, spirv.OpNoLine:
		return true
	case spirv.OpExtInst:
		return l.nonSemantic(&l.u.Insts[i])
	}
	return false
}

func (l *lowerer) block(b, next *spirv.Block) {
	f := l.frame
	code := f.blocks[b]
	code.entry = len(l.p.Code)
	c := f.fn.Construct(b)
	l.inst = b.First
	if c != nil && c.Kind == spirv.LoopConstruct {
		l.inst = b.MergeInst
		l.emit(program.Op{Code: program.Enter, X: f.infos[c]})
	}
	code.header = len(l.p.Code)
	l.blockStart = code.header
	for i := b.First; i < b.Last; i++ {
		l.inst = i
		if i != b.MergeInst {
			l.instruction(i)
		}
	}
	l.inst = b.Last
	l.terminator(b, next)
}

// terminator lowers the branch at the end of b.
func (l *lowerer) terminator(b, next *spirv.Block) {
	in := &l.u.Insts[b.Last]
	l.pending++
	steps := l.pending
	switch in.Op {
	case spirv.OpBranch:
		t := l.u.Block(spirv.ID(in.Args[0]))
		kind, level := l.edge(b.Construct, t)
		l.phiMoves(b, t, kind == backEdge)
		if kind == plainEdge && t == next && len(t.Preds) == 1 {
			return // falls through; the steps are counted with the next branch
		}
		l.leave(t, kind, level, steps, b.Construct)
	case spirv.OpBranchConditional, spirv.OpSwitch:
		inner := b.Construct
		if c := l.frame.fn.Construct(b); c != nil && c.Kind != spirv.LoopConstruct {
			l.emit(program.Op{Code: program.Enter, X: l.frame.infos[c]})
			inner = c
		}
		if in.Op == spirv.OpSwitch {
			l.lowerSwitch(b, inner, steps)
		} else {
			l.branch(b, inner, steps)
		}
	case spirv.OpReturn, spirv.OpReturnValue:
		if in.Op == spirv.OpReturnValue {
			l.move(l.frame.result.rows, l.rowsOf(spirv.ID(in.Args[0])))
		}
		if l.frame.parent == nil {
			l.emit(program.Op{Code: program.Return, Imm: steps})
			break
		}
		level := 0
		if b.Construct != nil {
			level = b.Construct.Depth
		}
		pc := l.emit(program.Op{Code: program.ExitMerge, X: int32(level), Imm: steps})
		call := l.frame.call
		l.fixes = append(l.fixes, func() { l.p.Code[pc].Y = l.p.Constructs[call].Merge })
	case spirv.OpUnreachable:
		l.emit(program.Op{Code: program.Unreachable})
	default:
		l.unsupported(in.Op.String())
	}
	l.pending = 0
}

// edgeKind says where a branch leads in terms of the constructs around it.
type edgeKind uint8

const (
	plainEdge edgeKind = iota
	mergeEdge
	continueEdge
	backEdge
)

// edge classifies a branch to t from inside construct c (nil at function
// level); level is the number of constructs between c and the one it leaves
// for.
func (l *lowerer) edge(c *spirv.Construct, t *spirv.Block) (kind edgeKind, level int) {
	for ; c != nil; c = c.Parent {
		switch {
		case t == c.Merge:
			return mergeEdge, level
		case c.Kind == spirv.LoopConstruct && t == c.Header:
			return backEdge, level
		case c.Kind == spirv.LoopConstruct && t == c.Continue:
			if level == 0 && len(t.Preds) == 1 {
				// All lanes that stay in the loop come this way together.
				return plainEdge, 0
			}
			return continueEdge, level
		}
		level++
	}
	return plainEdge, 0
}

// leave emits the jump of an edge and returns its pc.
func (l *lowerer) leave(t *spirv.Block, kind edgeKind, level int, steps int64, from *spirv.Construct) int {
	op := program.Op{X: int32(level), Imm: steps}
	switch kind {
	case mergeEdge:
		op.Code = program.ExitMerge
	case continueEdge:
		op.Code = program.ExitCont
	case backEdge:
		op.Code = program.BackEdge
	default:
		op.Code = program.Jump
	}
	pc := l.emit(op)
	switch {
	case kind == plainEdge:
		code := l.frame.blocks[t]
		l.fixes = append(l.fixes, func() { l.p.Code[pc].X = int32(code.entry) })
	case level == 0:
		info := l.frame.infos[from]
		l.fixes = append(l.fixes, func() {
			c := &l.p.Constructs[info]
			switch kind {
			case mergeEdge:
				l.p.Code[pc].Y = c.Merge
			case continueEdge:
				l.p.Code[pc].Y = c.Cont
			default:
				l.p.Code[pc].Y = c.Header
			}
		})
	}
	return pc
}

// landing finds the pcs at which lanes go on that waited in construct c.
func (l *lowerer) landing(c *spirv.Construct) {
	info := l.frame.infos[c]
	at := func(t *spirv.Block) int32 {
		code := l.frame.blocks[t]
		if code == nil {
			return -1
		}
		kind, level := l.edge(c.Parent, t)
		if kind == plainEdge {
			return int32(code.entry)
		}
		// The merge block of c is where an outer construct's lanes reconverge
		// too: c's lanes go on to wait there.
		l.inst = c.Header.MergeInst
		return int32(l.leave(t, kind, level, 0, c.Parent))
	}
	merge := at(c.Merge)
	l.p.Constructs[info].Merge = merge
	if c.Kind == spirv.LoopConstruct {
		if code := l.frame.blocks[c.Continue]; code != nil {
			l.p.Constructs[info].Cont = int32(code.entry)
		}
		if code := l.frame.blocks[c.Header]; code != nil {
			l.p.Constructs[info].Header = int32(code.header)
		}
	}
}

// target is a branch target with what its edge has to do.
type target struct {
	block *spirv.Block
	kind  edgeKind
	level int
	moves bool
}

func (l *lowerer) target(b *spirv.Block, inner *spirv.Construct, t *spirv.Block) target {
	kind, level := l.edge(inner, t)
	return target{block: t, kind: kind, level: level, moves: l.hasPhiMoves(b, t)}
}

// direct reports whether lanes can jump to the target without a stub.
func (t *target) direct() bool { return t.kind == plainEdge && !t.moves }

// aim makes set receive the pc for a target: the block's entry, or a stub
// that does the phi moves and leaves constructs.
func (l *lowerer) aim(b *spirv.Block, inner *spirv.Construct, t target, set func(pc int32)) {
	if t.direct() {
		code := l.frame.blocks[t.block]
		l.fixes = append(l.fixes, func() { set(int32(code.entry)) })
		return
	}
	pc := len(l.p.Code)
	l.phiMoves(b, t.block, false)
	l.leave(t.block, t.kind, t.level, 0, inner)
	set(int32(pc))
}

// branch lowers OpBranchConditional.
func (l *lowerer) branch(b *spirv.Block, inner *spirv.Construct, steps int64) {
	in := &l.u.Insts[b.Last]
	yes := l.target(b, inner, l.u.Block(spirv.ID(in.Args[1])))
	no := l.target(b, inner, l.u.Block(spirv.ID(in.Args[2])))
	op := l.condition(spirv.ID(in.Args[0]))
	op.Imm = steps
	if yes.kind == mergeEdge && yes.level == 0 && !yes.moves {
		op.Flag = program.TrueIsMerge
	} else if no.kind == mergeEdge && no.level == 0 && !no.moves {
		op.Flag = program.FalseIsMerge
	}
	pc := l.emit(op)
	l.aim(b, inner, yes, func(to int32) { l.p.Code[pc].X = to })
	l.aim(b, inner, no, func(to int32) { l.p.Code[pc].Y = to })
}

// condition is the branch operation for a condition: a comparison that only
// the branch reads becomes part of it.
func (l *lowerer) condition(id spirv.ID) program.Op {
	if code, a, b, ok := l.comparison(id); ok {
		return program.Op{Code: code, A: a, B: b}
	}
	return program.Op{Code: program.BranchIf, A: l.row(id)}
}

// lowerSwitch lowers OpSwitch.
func (l *lowerer) lowerSwitch(b *spirv.Block, inner *spirv.Construct, steps int64) {
	in := &l.u.Insts[b.Last]
	def, cases := l.u.Switch(b)
	width := l.u.TypeOf(spirv.ID(in.Args[0])).Width
	info := program.SwitchInfo{Mask: ^uint64(0) >> (64 - width)}
	blocks := make([]*spirv.Block, 0, len(cases)+1)
	for _, c := range cases {
		info.Values = append(info.Values, c.Value)
		blocks = append(blocks, c.Target)
	}
	blocks = append(blocks, def)
	index := int32(len(l.p.Switches))
	info.Targets = make([]int32, len(blocks))
	info.Entry = make([]int32, len(blocks))
	l.p.Switches = append(l.p.Switches, info)
	l.emit(program.Op{Code: program.SwitchOn, A: l.row(spirv.ID(in.Args[0])), X: index, Imm: steps})
	first := map[*spirv.Block]int{}
	for i, t := range blocks {
		if j, ok := first[t]; ok {
			info.Entry[i] = int32(j)
			l.fixes = append(l.fixes, func() { info.Targets[i] = info.Targets[j] })
			continue
		}
		first[t] = i
		info.Entry[i] = int32(i)
		l.aim(b, inner, l.target(b, inner, t), func(to int32) { info.Targets[i] = to })
	}
}

func (l *lowerer) hasPhiMoves(b, t *spirv.Block) bool {
	for i := t.First; i <= t.Last && l.isPhi(i); i++ {
		if l.u.Insts[i].Op == spirv.OpPhi {
			return true
		}
	}
	return false
}

// phiMoves assigns the phis of t for the edge from b, all at once. On the back
// edge that ends b, a value computed in b is computed into its phi's row where
// that is possible.
func (l *lowerer) phiMoves(b, t *spirv.Block, latch bool) {
	saved := l.inst
	defer func() { l.inst = saved }()
	var dst, src []uint32
	for i := t.First; i <= t.Last && l.isPhi(i); i++ {
		in := &l.u.Insts[i]
		if in.Op != spirv.OpPhi {
			continue
		}
		l.inst = i
		for k := 0; k+1 < len(in.Args); k += 2 {
			if spirv.ID(in.Args[k+1]) == b.Label {
				rows := l.rowsOf(spirv.ID(in.Args[k]))
				for j, d := range l.frame.vals[in.Result].rows {
					if d != rows[j] {
						dst, src = append(dst, d), append(src, rows[j])
					}
				}
				break
			}
		}
	}
	l.inst = saved
	if latch && l.fuse {
		dst, src = l.coalesce(dst, src)
	}
	// A source that another move overwrites first goes through a spare row.
	for i := range src {
		for _, d := range dst[:i] {
			if src[i] == d {
				spare := l.alloc(1)
				l.emit(program.Op{Code: program.Mov, Dst: spare, A: src[i], N: l.stride})
				src[i] = spare
				break
			}
		}
	}
	l.move(dst, src)
}

// coalesce redirects operations of the current block, which ends with an
// unconditional back edge, from a row that a phi is about to take over to the
// phi's row, and returns the moves that remain. Nothing after the block reads
// the source: it dominates no block, and the phi takes over its value.
func (l *lowerer) coalesce(dst, src []uint32) (restDst, restSrc []uint32) {
	for i := range dst {
		if !l.redirect(dst, src, i) {
			restDst, restSrc = append(restDst, dst[i]), append(restSrc, src[i])
		}
	}
	return restDst, restSrc
}

func (l *lowerer) redirect(dst, src []uint32, i int) bool {
	from, to := src[i], dst[i]
	for j := range src {
		if src[j] == to || j != i && src[j] == from {
			return false
		}
	}
	at := l.writer(from)
	if at < 0 {
		return false
	}
	for pc := at; pc < len(l.p.Code); pc++ {
		op := &l.p.Code[pc]
		if !op.Code.Plain() || pc > at && (op.Reads(to) || op.Writes(from) || op.Writes(to)) || op.N > l.stride {
			return false
		}
	}
	l.p.Code[at].Dst = to
	for pc := at + 1; pc < len(l.p.Code); pc++ {
		l.p.Code[pc].Rename(from, to)
	}
	return true
}
