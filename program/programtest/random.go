// Package programtest makes random programs, for tests of what runs programs.
package programtest

import (
	"math/rand/v2"

	"ampdbg/program"
	"ampdbg/spirv"
)

// Tile is the size of the tiles of random programs: for most widths its last warp
// is a narrow one.
const Tile = 11

// Share is how many bytes of view 1 each thread of a tile has for itself. The view
// has Tile of them; views 2, which may be written, and 3, which may not, are as
// large. Nothing else is bound.
const Share = 64

// Views is how many views a random program names, that of no memory among them.
const Views = 4

// Options say what a random program is.
type Options struct {
	Width int
	// Alone keeps threads from noticing each other: a thread writes its share of
	// view 1 only.
	Alone bool
}

// Random makes a valid program: structured control flow in all its forms over a
// few values. The same random numbers make the same program for another width.
// It may fault, and ends.
func Random(r *rand.Rand, opt Options) *program.Program {
	stride := (opt.Width + 3) &^ 3
	g := &generator{r: r, opt: opt, stride: uint32(stride), left: 10 + r.IntN(40), p: &program.Program{
		Width: opt.Width, Stride: stride, TileSize: [3]uint32{Tile, 1, 1}, Views: Views,
		Constructs: []program.ConstructInfo{{Kind: program.CallConstruct, Merge: -1}},
	}}
	g.tables()
	for g.left > 0 {
		g.list(scope{}, 4)
	}
	g.emit(program.Op{Code: program.Return, Imm: 1})
	g.p.Scratch = g.rows(3)
	g.p.Rows = int(g.row)
	g.p.Inst, g.p.Frame, g.p.Frames = make([]int32, len(g.p.Code)), make([]int32, len(g.p.Code)), []program.Frame{{Parent: -1}}
	if err := g.p.Check(); err != nil {
		panic(err)
	}
	return g.p
}

type generator struct {
	r      *rand.Rand
	opt    Options
	p      *program.Program
	stride uint32
	row    uint32 // rows allocated
	left   int    // statements still to make

	id, lane, zero, one, two uint32    // elements: the thread's place, its lane, constants
	three, fifteen           uint32    //
	ints                     [6]uint32 // of 32 bits
	wide                     [3]uint32 // of 64
	truths                   [3]uint32 // 0 or 1
	vectors                  [3]uint32 // of three rows
	pointers                 [2]uint32
	open                     []int32 // constructs
}

// scope says what a statement may leave for: 1 + the place in open.
type scope struct{ loop, call, exit int }

func (g *generator) rows(n int) uint32 {
	at := g.row * g.stride
	g.row += uint32(n)
	return at
}

func (g *generator) list3(at uint32) []uint32 { return []uint32{at, at + g.stride, at + 2*g.stride} }

func (g *generator) constant(bits uint64) uint32 {
	at := g.rows(1)
	g.p.Consts = append(g.p.Consts, program.ConstRow{Row: at, Bits: bits})
	return at
}

func (g *generator) tables() {
	p := g.p
	place := g.rows(3)
	g.id, g.lane = place, g.rows(1)
	p.Builtins = []program.BuiltinInfo{{BuiltIn: spirv.BuiltInLocalInvocationId, Rows: g.list3(place)}, {BuiltIn: spirv.BuiltInSubgroupLocalInvocationId, Rows: []uint32{g.lane}}}
	g.zero, g.one, g.two, g.three, g.fifteen = g.constant(0), g.constant(1), g.constant(2), g.constant(3), g.constant(15)
	for _, rows := range [][]uint32{g.ints[:], g.wide[:], g.truths[:]} {
		for i := range rows {
			rows[i] = g.rows(1)
		}
	}
	for i := range g.vectors {
		g.vectors[i] = g.rows(3)
	}
	for i := range g.pointers {
		g.pointers[i] = g.rows(1)
		g.share(program.Op{Code: program.PtrTo, Dst: g.pointers[i], X: 1, N: g.stride})
	}
	g.value(program.Mov, g.ints[0], g.id, 0, 0)
	g.value(program.IMul32, g.ints[1], g.id, g.three, 0)
	g.value(program.ULt32, g.truths[0], g.id, g.three, 0)
	v := g.rows(4)
	p.Vars = []program.VarInfo{{Row: int32(v / g.stride), Rows: 4}}
	u32, f32 := program.Kind{Width: 32}, program.Kind{Float: true, Width: 32}
	p.Functions = []program.Symbol{
		{Op: uint32(spirv.OpBitCount), Dst: u32, Src: u32}, {Set: program.GLSL, Op: spirv.GLSLSqrt, Src: f32},
		{Op: uint32(spirv.OpUDiv), Src: u32}, {Op: uint32(spirv.OpSMod), Src: u32}, {Set: program.GLSL, Op: spirv.GLSLFClamp, Src: f32},
	}
	n := g.vectors[0]
	p.Calls = []program.CallInfo{
		{Fn: program.Symbol{Op: uint32(spirv.OpUMulExtended), Src: u32}, In: []uint32{g.ints[0], g.ints[1]}, Out: []uint32{g.ints[2], g.ints[3]}},
		{Fn: program.Symbol{Op: uint32(spirv.OpVectorInsertDynamic), N: 3}, In: append(g.list3(n), g.ints[4], g.ints[5]), Out: g.list3(g.vectors[1])},
	}
	p.Indexes = []program.IndexInfo{{Len: 1 << 31}}
	p.Defined = []program.DefinedInfo{{In: [][]uint32{{g.ints[0], g.ints[1]}}, Reasons: 1 << program.DivisionByZero, Group: -1, Test: program.Test{Form: program.TestSymbol, Symbol: p.Functions[2]}}}
	for i, out := range []uint32{g.ints[2], g.truths[0], g.vectors[0]} {
		p.Defined = append(p.Defined, program.DefinedInfo{
			In: [][]uint32{{g.ints[i]}}, Out: [][]uint32{{out}}, Reasons: 1 << program.ComponentIndex, Group: -1,
			Test: program.Test{Form: program.TestBelow, N: 2, Reason: program.ComponentIndex},
		})
	}
	p.Arrays = []program.ArrayInfo{{First: 1, Len: 3}}
	p.Printfs = []program.PrintfInfo{{Format: "%u", Args: []program.PrintfArg{{Type: &spirv.Type{Kind: spirv.Int, Width: 32}, Rows: []uint32{g.ints[0]}}}}}
	for op := program.AtomicLoad; op <= program.AtomicFMax; op++ {
		p.Atomics = append(p.Atomics, program.AtomicInfo{Op: op, Size: 4, Val: g.ints[0], Cmp: g.ints[1]})
	}
	add := program.Symbol{Op: uint32(spirv.OpIAdd), Src: u32}
	for _, op := range []spirv.Opcode{spirv.OpGroupNonUniformShuffle, spirv.OpGroupNonUniformShuffleXor, spirv.OpGroupNonUniformShuffleUp, spirv.OpGroupNonUniformBroadcastFirst, spirv.OpGroupNonUniformElect, spirv.OpGroupNonUniformAny, spirv.OpGroupNonUniformAll} {
		p.Groups = append(p.Groups, program.GroupInfo{Op: op, A: []uint32{g.truths[0]}, B: g.ints[0], Dst: []uint32{g.truths[1]}})
	}
	for _, kind := range []spirv.GroupOperation{spirv.GroupOperationReduce, spirv.GroupOperationInclusiveScan, spirv.GroupOperationExclusiveScan} {
		p.Groups = append(p.Groups, program.GroupInfo{Op: spirv.OpGroupNonUniformIAdd, Kind: kind, A: []uint32{g.ints[1]}, Dst: []uint32{g.ints[4]}, Fn: add})
	}
	p.Groups = append(p.Groups, program.GroupInfo{Op: spirv.OpGroupNonUniformBallot, A: []uint32{g.truths[2]}, Dst: g.list3(g.vectors[2])})
}

func (g *generator) emit(op program.Op) int {
	g.p.Code = append(g.p.Code, op)
	return len(g.p.Code) - 1
}

// value emits a value operation on single rows.
func (g *generator) value(c program.Code, dst, a, b, x uint32) {
	g.emit(program.Op{Code: c, Dst: dst, A: a, B: b, C: x, N: g.stride})
}

// share emits an operation on bytes of the thread's share of view 1, whose index
// is C.
func (g *generator) share(op program.Op) {
	op.C, op.Y, op.Sh = g.id, Share, 32
	g.emit(op)
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func (g *generator) int() uint32 {
	if g.r.IntN(6) == 0 {
		return pick(g.r, []uint32{g.id, g.zero, g.one, g.two, g.three})
	}
	return pick(g.r, g.ints[:])
}

func (g *generator) steps() int64 { return int64(1 + g.r.IntN(4)) }

// list emits statements, and reports whether the last of them leaves.
func (g *generator) list(s scope, depth int) bool {
	for n := 1 + g.r.IntN(5); n > 0 && g.left > 0; n-- {
		g.left--
		if g.statement(s, depth) {
			return true
		}
	}
	return false
}

func (g *generator) statement(s scope, depth int) (leaves bool) {
	k := g.r.IntN(30)
	switch {
	case k < 13 || depth == 0:
		g.compute()
	case k < 17:
		g.memory()
	case k < 18:
		g.other()
	case k < 21:
		g.selection(s, depth)
	case k < 24:
		g.loop(s, depth)
	case k < 25:
		g.swtch(s, depth)
	case k < 26:
		g.call(s, depth)
	case len(g.open) == 0: // all lanes leave together at the end
	case k < 27 && s.loop > 0:
		g.leave(program.ExitMerge, s.loop-1)
		return true
	case k < 28 && s.loop > 0:
		g.leave(program.ExitCont, s.loop-1)
		return true
	case k < 29 && s.call > 0:
		g.leave(program.ExitMerge, s.call-1)
		return true
	case k < 30 && s.exit > 0 && g.r.IntN(4) == 0:
		g.emit(program.Op{Code: program.Return, Imm: g.steps()})
		return true
	}
	return false
}

// compute emits a value operation on operands of its kind.
func (g *generator) compute() {
	r := g.r
	if r.IntN(8) == 0 {
		g.emit(program.Op{Code: pick(r, []program.Code{program.Mov, program.IAdd32, program.FMul32, program.Select, program.And, program.FMulAdd32}), N: 3 * g.stride, Dst: pick(r, g.vectors[:]), A: pick(r, g.vectors[:]), B: pick(r, g.vectors[:]), C: pick(r, g.vectors[:])})
		return
	}
	c := program.Mov + program.Code(r.IntN(int(program.PtrTo-program.Mov)))
	op := program.Op{Code: c, N: g.stride, Dst: pick(r, g.ints[:]), A: g.int(), B: g.int(), C: g.int()}
	switch {
	case c.Compares():
		op.Dst = pick(r, g.truths[:])
	case c == program.LogicalNot:
		op.Dst, op.A = pick(r, g.truths[:]), pick(r, g.truths[:])
	case c == program.IAdd64 || c == program.ISub64 || c == program.IMul64 || c == program.FAdd64 || c == program.FSub64 || c == program.FMul64:
		op.Dst, op.A, op.B = pick(r, g.wide[:]), pick(r, g.wide[:]), g.int()
	case c == program.Call1:
		op.X = int32(r.IntN(2))
	case c == program.Call2:
		op.X = int32(2 + r.IntN(2))
	case c == program.Call3:
		op.X = 4
	case c == program.Select:
		op.A = pick(r, g.truths[:])
	}
	g.emit(op)
}

// memory emits an access: to the thread's share, mostly in bounds, or to what
// others use too.
func (g *generator) memory() {
	r := g.r
	k := r.IntN(4)
	width := uint32(1) << k
	op := program.Op{X: 1, N: uint32(1 + r.IntN(2)), Imm: int64(r.IntN(4)) * 8, Dst: g.vectors[0]}
	if op.N == 1 && k == 2 {
		op.Dst = pick(r, g.ints[:])
	}
	second := g.rows(1)
	g.value(program.And, second, g.int(), g.three, 0)
	if r.IntN(40) == 0 && !g.opt.Alone {
		second = g.int() // anywhere
	}
	switch n := r.IntN(8); {
	case n < 2:
		op.Code = program.Load8 + program.Code(k)
		if r.IntN(2) == 0 {
			op.Flag, op.A, op.B = 1, second, width
		}
		g.share(op)
	case n < 4:
		op.Code, op.A = program.Store8+program.Code(k), op.Dst
		if op.Dst = 0; r.IntN(2) == 0 {
			op.Flag, op.Dst, op.B = 1, second, width
		}
		g.share(op)
	case n == 4:
		at := pick(r, g.pointers[:])
		if r.IntN(2) == 0 {
			g.emit(program.Op{Code: program.LoadPtr, Dst: op.Dst, A: at, N: op.N, C: second, Y: int32(width), Imm: op.Imm, Flag: uint8(width)})
		} else {
			g.emit(program.Op{Code: program.StorePtr, B: op.Dst, A: at, N: op.N, C: second, Y: int32(width), Imm: op.Imm, Flag: uint8(width)})
		}
	case n == 5: // a register variable
		if r.IntN(2) == 0 {
			g.emit(program.Op{Code: program.LoadVar, Dst: pick(r, g.ints[:]), N: 1, C: second, Y: 1, Sh: 32})
		} else {
			g.emit(program.Op{Code: program.StoreVar, A: pick(r, g.ints[:]), N: 1, C: second, Y: 1, Sh: 32})
		}
	case n == 6: // what all can read
		g.emit(program.Op{Code: program.Load32, X: 3, Dst: pick(r, g.ints[:]), N: 1, C: pick(r, []uint32{g.id, g.zero, second}), Y: 4, Sh: 32, Imm: 4 * int64(r.IntN(3))})
	case g.opt.Alone:
		x := r.IntN(len(g.p.Atomics))
		g.share(program.Op{Code: program.Atomic, X: int32(x), B: 1, Dst: pick(r, g.ints[:]), Imm: 4})
	default:
		x := r.IntN(len(g.p.Atomics))
		g.emit(program.Op{Code: program.Atomic, X: int32(x), B: 2, Dst: pick(r, g.ints[:]), C: second, Y: 4, Sh: 32})
		g.emit(program.Op{Code: program.Store32, X: 2, A: pick(r, g.ints[:]), N: 1, C: g.id, Y: 4, Sh: 32})
		g.emit(program.Op{Code: program.Load32, X: 2, Dst: pick(r, g.ints[:]), N: 1, C: second, Y: 4, Sh: 32})
	}
}

func (g *generator) other() {
	ops := []program.Op{
		{Code: program.Nop}, {Code: program.Printf}, {Code: program.CheckIndex, C: g.id, Sh: 32}, {Code: program.CheckDefined, X: int32(g.r.IntN(len(g.p.Defined)))}, {Code: program.CheckDefined, X: 1}, {Code: program.CheckDefined, X: 2},
		{Code: program.CallN, X: int32(g.r.IntN(len(g.p.Calls)))}, {Code: program.Fence}, {Code: program.Barrier, X: int32(spirv.ScopeSubgroup)},
		{Code: program.ArrayLen, Dst: g.ints[5], X: 1, Y: 4}, {Code: program.PtrToElem, Dst: g.rows(1), B: g.one, C: g.zero},
		{Code: program.PtrAdd, Dst: g.pointers[1], A: g.pointers[0], C: g.two, Y: 4, N: g.stride},
		{Code: program.HandleElem, Dst: g.rows(1), A: g.zero, B: g.one, X: 4},
	}
	if !g.opt.Alone {
		for i := range g.p.Groups {
			ops = append(ops, program.Op{Code: program.Group, X: int32(i)})
		}
		ops = append(ops, program.Op{Code: program.Clock, Dst: g.ints[3]}, program.Op{Code: program.Barrier, X: int32(spirv.ScopeWorkgroup)})
	}
	g.emit(pick(g.r, ops))
}

// enter opens a construct.
func (g *generator) enter(kind program.ConstructKind) (n int32) {
	n = int32(len(g.p.Constructs))
	g.p.Constructs = append(g.p.Constructs, program.ConstructInfo{Kind: kind, Merge: -1, Cont: -1, Header: -1})
	g.open = append(g.open, n)
	g.emit(program.Op{Code: program.Enter, X: n})
	return n
}

// leave emits that lanes leave for a place of an open construct; close fills in
// where that is.
func (g *generator) leave(c program.Code, at int) int {
	return g.emit(program.Op{Code: c, X: int32(len(g.open) - 1 - at), Imm: g.steps(), Y: ^g.open[at]})
}

// close ends the innermost construct: what left for it goes on here.
func (g *generator) close() {
	n := g.open[len(g.open)-1]
	g.open = g.open[:len(g.open)-1]
	c := &g.p.Constructs[n]
	c.Merge = int32(len(g.p.Code))
	for pc := range g.p.Code {
		op := &g.p.Code[pc]
		if op.Y != ^n {
			continue
		}
		switch op.Code {
		case program.ExitMerge:
			op.Y = c.Merge
		case program.ExitCont:
			op.Y = c.Cont
		case program.BackEdge:
			op.Y = c.Header
		}
	}
}

// branch emits a conditional branch with both targets to be filled in.
func (g *generator) branch() int {
	op := program.Op{Code: program.BranchIf, A: pick(g.r, g.truths[:]), Imm: g.steps()}
	if g.r.IntN(2) == 0 {
		op.Code, op.A, op.B = program.BranchULt+program.Code(g.r.IntN(6)), g.int(), g.int()
	}
	return g.emit(op)
}

func (g *generator) here() int32 { return int32(len(g.p.Code)) }

func (g *generator) selection(s scope, depth int) {
	g.enter(program.SelectionConstruct)
	s.exit = len(g.open)
	top := len(g.open) - 1
	pc := g.branch()
	if g.r.IntN(2) == 0 { // without an else
		g.p.Code[pc].Y = g.here()
		g.p.Code[pc].Flag = program.FalseIsMerge
		g.p.Code[g.leave(program.ExitMerge, top)].Imm = 0
	} else {
		g.p.Code[pc].Y = g.here()
		if !g.list(s, depth-1) {
			g.leave(program.ExitMerge, top)
		}
	}
	g.p.Code[pc].X = g.here()
	if !g.list(s, depth-1) {
		g.leave(program.ExitMerge, top)
	}
	g.close()
}

func (g *generator) loop(s scope, depth int) {
	counter, trips := g.rows(1), g.rows(1)
	g.value(program.Mov, counter, g.zero, 0, 0)
	g.value(program.And, trips, g.int(), g.three, 0)
	g.emit(program.Op{Code: program.Jump, X: g.here() + 1, Imm: g.steps()})
	n := g.enter(program.LoopConstruct)
	top := len(g.open) - 1
	s.loop, s.exit = len(g.open), len(g.open)
	c := func() *program.ConstructInfo { return &g.p.Constructs[n] }
	c().Header = g.here()
	doWhile := g.r.IntN(3) == 0
	test := func(stay func()) {
		pc := g.emit(program.Op{Code: program.BranchULt, A: counter, B: trips, Imm: g.steps()})
		g.p.Code[pc].Y = g.here()
		g.leave(program.ExitMerge, top)
		g.p.Code[pc].X = g.here()
		stay()
	}
	body := func() {
		if !g.list(s, depth-1) {
			g.leave(program.ExitCont, top)
		}
		c().Cont = g.here()
		g.compute()
		g.value(program.IAdd32, counter, counter, g.one, 0)
		if g.r.IntN(2) == 0 {
			g.value(program.Mov, g.ints[0], counter, 0, 0)
		}
	}
	if doWhile {
		body()
		test(func() { g.leave(program.BackEdge, top) })
	} else {
		test(func() {
			body()
			g.leave(program.BackEdge, top)
		})
	}
	g.close()
}

func (g *generator) swtch(s scope, depth int) {
	selector := g.rows(1)
	g.value(program.And, selector, g.int(), g.three, 0)
	g.enter(program.SwitchConstruct)
	top := len(g.open) - 1
	s.exit = len(g.open)
	x := len(g.p.Switches)
	g.p.Switches = append(g.p.Switches, program.SwitchInfo{Mask: 0xffffffff, Values: []uint64{0, 1, 2}, Entry: []int32{0, 1, 0, 2}})
	g.emit(program.Op{Code: program.SwitchOn, A: selector, X: int32(x), Imm: g.steps()})
	var at [3]int32
	for i := range at {
		at[i] = g.here()
		leaves := g.list(s, depth-1)
		if !leaves && (i == len(at)-1 || g.r.IntN(2) == 0) { // else it falls through
			g.leave(program.ExitMerge, top)
		}
	}
	g.p.Switches[x].Targets = []int32{at[0], at[1], at[0], at[2]}
	g.close()
}

func (g *generator) call(s scope, depth int) {
	g.enter(program.CallConstruct)
	top := len(g.open) - 1
	if !g.list(scope{call: len(g.open)}, depth-1) {
		g.leave(program.ExitMerge, top)
	}
	g.close()
}
