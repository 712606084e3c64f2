package racecheck

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// A trace is a program for each warp of a few tiles, and the order in which
// the tiles began and ended and the warps took turns. The observer that a check
// has sees it: the quick path, logs of reads and memories of ended tiles included.

type opKind int

const (
	opRead opKind = iota
	opWrite
	opAtomicLoad
	opAtomicStore
	opAtomicAdd
	opFence
	opWarpBarrier
	opTileBarrier
)

type traceOp struct {
	kind      opKind
	lanes     warp.Mask
	mem       int // 0 buffer, 1 tile_static, 2 image
	off       []int64
	size      int64
	scope     reach
	semantics uint32
	binding   int32
	private   bool
	// How far it makes itself available, or visible what it reads.
	available, visible reach
	pinned             bool // to its places
	pc                 int  // its place in the text of the program
}

func (o *traceOp) atomic() bool { return o.kind >= opAtomicLoad && o.kind <= opAtomicAdd }
func (o *traceOp) reads() bool {
	return o.kind == opRead || o.kind == opAtomicLoad || o.kind == opAtomicAdd
}
func (o *traceOp) writes() bool {
	return o.kind == opWrite || o.kind == opAtomicStore || o.kind == opAtomicAdd
}

type traceProgram struct {
	tiles, warps, width int
	code                [][][]traceOp // by tile, warp
	lockstep            bool
	strict              bool
	availability        bool
	handOver            bool // threads mostly synchronize in full, through one atomic
	special             bool // bindings and private accesses count
	soft                bool
	slots               int // tiles that run at the same time
	pcs                 int
}

// step is one warp-wide operation of a trace. A tile barrier stands where the
// warp arrives; release marks where its tile goes on.
type step struct {
	tile, warp int
	op         *traceOp
	release    bool
	begin, end bool // of the tile
}

const traceBytes = 12

var traceClasses = [3]class{classUniform, classWorkgroup, classImage}

const bothWays = uint32(spirv.MemorySemanticsMakeAvailable | spirv.MemorySemanticsMakeVisible)

// traceKind says what may occur in a trace.
type traceKind struct {
	fences   bool // fences, acquire and release, warp barriers, halves of barriers
	special  bool
	lockstep bool
	// availability and visibility operations occur; strict: they count.
	availability, strict bool
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func randomSemantics(r *rand.Rand, whole bool) uint32 {
	s := uint32(spirv.MemorySemanticsAcquireRelease)
	if !whole {
		s = pick(r, s, s, uint32(spirv.MemorySemanticsAcquire), uint32(spirv.MemorySemanticsRelease), 0)
	}
	for c := range numClasses {
		if r.IntN(3) > 0 {
			s |= c.bit()
		}
	}
	return s
}

func randomProgram(r *rand.Rand, k traceKind) *traceProgram {
	p := &traceProgram{tiles: 1 + r.IntN(4), warps: 1 + r.IntN(3), width: 1 + r.IntN(3), lockstep: k.lockstep && r.IntN(2) == 0, special: k.special, strict: k.strict, availability: k.availability, soft: r.IntN(4) == 0}
	subword := r.IntN(3) == 0
	words := int64(1 + r.IntN(traceBytes/4))
	p.handOver = k.availability && r.IntN(2) == 0
	mems := pick(r, []int{0}, []int{1}, []int{0, 1}, []int{0, 1, 2})
	// The text of a program: tiles, warps and intervals may have the same
	// operations, each on places of its own.
	tilesAlike, warpsAlike, loop := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(3) == 0
	intervals := 1 + r.IntN(3)
	for i := range p.tiles {
		if !tilesAlike {
			intervals = 1 + r.IntN(3)
		}
		code := make([][]traceOp, p.warps)
		for n := range intervals {
			var b traceOp
			if n > 0 {
				b = traceOp{kind: opTileBarrier, pc: p.fresh(), lanes: warp.FirstLanes(p.width), scope: pick(r, reachTile, reachTile, reachTile, reachGrid), semantics: randomSemantics(r, !k.fences)}
				if r.IntN(8) == 0 {
					b.semantics = 0
				}
				if k.fences && r.IntN(8) == 0 {
					b.scope = reachWarp
				}
				if k.availability {
					b.semantics |= pick(r, 0, uint32(spirv.MemorySemanticsMakeAvailable), uint32(spirv.MemorySemanticsMakeVisible), bothWays, bothWays)
				}
			}
			for w := range code {
				if tilesAlike && i > 0 {
					break
				}
				if n > 0 {
					code[w] = append(code[w], b)
				}
				switch {
				case warpsAlike && w > 0:
					code[w] = p.again(r, code[0], words)
				case loop && n > 1:
					code[w] = p.again(r, append(code[w], afterBarrier(code[w])...), words)
				default:
					for range r.IntN(4) {
						code[w] = append(code[w], randomOp(r, p, k, mems, words, subword))
					}
				}
			}
		}
		for w := range code {
			if tilesAlike && i > 0 {
				code[w] = p.again(r, p.code[0][w], words)
			}
		}
		p.code = append(p.code, code)
	}
	p.slots = 1 + r.IntN(p.tiles)
	return p
}

// again is a list of operations at other places.
func (p *traceProgram) again(r *rand.Rand, list []traceOp, words int64) []traceOp {
	out := slices.Clone(list)
	for k := range out {
		if out[k].off != nil {
			out[k].places(r, words)
		}
	}
	return out
}

// afterBarrier is what lies between the first and the second barrier of a list.
func afterBarrier(list []traceOp) []traceOp {
	var out []traceOp
	for _, o := range list[slices.IndexFunc(list, isBarrier)+1:] {
		if isBarrier(o) {
			break
		}
		out = append(out, o)
	}
	return out
}

func isBarrier(o traceOp) bool { return o.kind == opTileBarrier }

// fresh is a new place of the program's text.
func (p *traceProgram) fresh() int {
	p.pcs++
	return p.pcs - 1
}

func randomOp(r *rand.Rand, p *traceProgram, k traceKind, mems []int, words int64, subword bool) traceOp {
	o := traceOp{kind: opKind(r.IntN(int(opFence))), mem: pick(r, mems...), size: 4, off: make([]int64, p.width), pc: p.fresh()}
	if k.fences && r.IntN(3) == 0 {
		o.kind = pick(r, opFence, opFence, opWarpBarrier)
	}
	for o.lanes.IsZero() {
		for l := range p.width {
			if r.IntN(3) > 0 {
				o.lanes.Set(l)
			}
		}
	}
	if p.handOver && r.IntN(8) > 0 {
		return handOver(r, o)
	}
	switch {
	case o.kind >= opFence:
		o.scope, o.off = pick(r, reachWarp, reachTile, reachTile, reachGrid, reachGrid), nil
		o.semantics = randomSemantics(r, o.kind == opWarpBarrier && r.IntN(2) == 0)
		if k.availability {
			o.semantics |= pick(r, 0, uint32(spirv.MemorySemanticsMakeAvailable), uint32(spirv.MemorySemanticsMakeVisible), bothWays, bothWays)
		}
		return o
	case o.atomic():
		o.scope = pick(r, reachGrid, reachGrid, reachTile, reachWarp)
		if k.fences {
			o.semantics = randomSemantics(r, false)
		}
		if subword && words > 1 && r.IntN(3) == 0 {
			o.size = 8
		}
	case subword:
		o.size = pick[int64](r, 1, 2, 4, 8)
	}
	if p.special {
		o.binding = int32(r.IntN(2))
		o.private = !o.atomic() && r.IntN(4) == 0
	}
	if k.availability {
		o.binding, o.private = 0, o.private && r.IntN(4) == 0
		switch scope := pick(r, reachThread, reachWarp, reachTile, reachGrid); {
		case o.atomic():
			if !k.fences || r.IntN(2) == 0 {
				o.semantics |= pick(r, uint32(spirv.MemorySemanticsMakeAvailable), uint32(spirv.MemorySemanticsMakeVisible), bothWays)
			}
		case o.writes():
			o.available = scope
		default:
			o.visible = scope
		}
	}
	if o.atomic() {
		if o.available = 0; o.writes() {
			o.available = o.scope
		}
		if o.visible = 0; o.reads() {
			o.visible = o.scope
		}
	}
	o.size = min(o.size, 4*words)
	o.places(r, words)
	return o
}

// handOver makes o an operation of threads that pass on what they know: accesses
// to one word, and read-modify-writes of another.
func handOver(r *rand.Rand, o traceOp) traceOp {
	o.mem, o.pinned = 0, true
	for l := range o.off {
		o.off[l] = 4
	}
	switch r.IntN(4) {
	case 0:
		o.kind, o.available = opWrite, pick(r, reachThread, reachThread, reachWarp, reachTile, reachGrid)
	case 1:
		o.kind, o.visible = opRead, pick(r, reachThread, reachThread, reachWarp, reachTile, reachGrid)
	default:
		clear(o.off)
		o.kind, o.scope = opAtomicAdd, pick(r, reachWarp, reachTile, reachGrid)
		o.available, o.visible = o.scope, o.scope
		o.semantics = uint32(spirv.MemorySemanticsAcquireRelease) | classUniform.bit() | classWorkgroup.bit()
		o.semantics |= pick(r, 0, uint32(spirv.MemorySemanticsMakeAvailable), uint32(spirv.MemorySemanticsMakeVisible), bothWays, bothWays)
	}
	return o
}

// places makes the lanes access places at random.
func (o *traceOp) places(r *rand.Rand, words int64) {
	if o.pinned {
		return
	}
	o.off = make([]int64, len(o.off))
	for l := range o.off {
		align := o.size
		if o.size == 8 {
			align = 4
		}
		o.off[l] = r.Int64N((4*words-o.size)/align+1) * align
	}
}

// interleave lets the warps take turns at random.
func (p *traceProgram) interleave(r *rand.Rand) []step {
	var out []step
	at := make([][]int, p.tiles)
	waiting := make([][]bool, p.tiles)
	for i := range at {
		at[i], waiting[i] = make([]int, p.warps), make([]bool, p.warps)
	}
	done := func(i int) bool {
		for w := range at[i] {
			if at[i][w] < len(p.code[i][w]) {
				return false
			}
		}
		return true
	}
	begun := 0
	ended := make([]bool, p.tiles)
	for {
		live := 0
		for i := range begun {
			if !ended[i] && done(i) {
				out = append(out, step{tile: i, end: true})
				ended[i] = true
			}
			if !ended[i] {
				live++
			}
		}
		for ; live < p.slots && begun < p.tiles; live++ {
			out = append(out, step{tile: begun, begin: true})
			begun++
		}
		var ready [][2]int
		for i := range begun {
			for w := range at[i] {
				if !waiting[i][w] && at[i][w] < len(p.code[i][w]) {
					ready = append(ready, [2]int{i, w})
				}
			}
		}
		if len(ready) == 0 {
			if begun < p.tiles || live > 0 {
				continue // tiles without operations
			}
			return out
		}
		x := pick(r, ready...)
		i, w := x[0], x[1]
		for range 1 + r.IntN(3) {
			if at[i][w] >= len(p.code[i][w]) {
				break
			}
			o := &p.code[i][w][at[i][w]]
			at[i][w]++
			out = append(out, step{tile: i, warp: w, op: o})
			if o.kind != opTileBarrier {
				continue
			}
			waiting[i][w] = true
			all := true
			for _, b := range waiting[i] {
				all = all && b
			}
			if all {
				out = append(out, step{tile: i, op: o, release: true})
				clear(waiting[i])
			}
			break
		}
	}
}

// place is a byte of a memory of a trace.
type place struct{ mem, tile, at int }

func (p *traceProgram) place(o *traceOp, tile int, at int64) place {
	if o.mem != 1 {
		tile = 0
	}
	return place{o.mem, tile, int(at)}
}

// Views of the memories of a trace, two bindings each: see traceOp.view.
const traceViews = 7

func (o *traceOp) view() int { return 1 + 2*o.mem + int(o.binding) }

// traceUnit is a module with nothing but scopes, and their ids.
func traceUnit() (*spirv.Unit, map[reach]uint32) {
	m, u := traceModule()
	module, unit := *m, *u
	unit.Module = &module
	return &unit, map[reach]uint32{reachWarp: 2, reachTile: 3, reachGrid: 4}
}

var traceModule = sync.OnceValues(func() (*spirv.Module, *spirv.Unit) {
	m, err := spirv.Assemble("trace", fmt.Sprintf(`OpCapability Shader
OpMemoryModel Logical GLSL450
%%1 = OpTypeInt 32 0
%%2 = OpConstant %%1 %d
%%3 = OpConstant %%1 %d
%%4 = OpConstant %%1 %d
`, spirv.ScopeSubgroup, spirv.ScopeWorkgroup, spirv.ScopeDevice))
	if err != nil {
		panic(err)
	}
	u, err := spirv.Resolve(m, nil)
	if err != nil {
		panic(err)
	}
	return m, u
})

// machine is a machine that executes the trace's program: what an observer
// asks about it.
func (p *traceProgram) machine(steps []step) (m *emu.Machine, views []tilemem.View) {
	size := uint32(p.warps * p.width)
	prog := &program.Program{
		Width: p.width, Stride: (p.width + 3) &^ 3, TileSize: [3]uint32{size, 1, 1}, Code: make([]program.Op, p.pcs), Inst: make([]int32, p.pcs), Frame: make([]int32, p.pcs),
	}
	unit, scopeIDs := traceUnit()
	first := len(unit.Insts)
	unit.Insts = append(slices.Clip(unit.Insts), make([]spirv.Inst, p.pcs)...)
	if p.special {
		unit.Memory = spirv.MemoryModelVulkan
	}
	for pc := range prog.Inst {
		prog.Inst[pc] = int32(first + pc)
	}
	scopes := map[reach]spirv.Scope{reachWarp: spirv.ScopeSubgroup, reachTile: spirv.ScopeWorkgroup, reachGrid: spirv.ScopeDevice}
	for i := range steps {
		o := steps[i].op
		if o == nil {
			continue
		}
		op, in := &prog.Code[o.pc], &unit.Insts[first+o.pc]
		op.C, op.Y = uint32(scopes[o.scope]), int32(o.semantics)
		switch {
		case o.kind == opFence:
			op.Code = program.Fence
		case o.kind == opWarpBarrier:
			op.Code, op.X = program.Barrier, int32(spirv.ScopeSubgroup)
		case o.kind == opTileBarrier:
			op.Code, op.X = program.Barrier, int32(spirv.ScopeWorkgroup)
		case o.atomic():
			if op.Code != program.Atomic {
				op.Code, op.X, in.Op = program.Atomic, int32(len(prog.Atomics)), spirv.OpAtomicLoad
				prog.Atomics = append(prog.Atomics, program.AtomicInfo{Op: o.atomicOp(), Size: int(o.size), Scope: scopes[o.scope], Semantics: o.semantics})
			}
		default:
			access := []uint32{uint32(spirv.MemoryAccessNonPrivatePointer)}
			if o.private {
				access[0] = 0
			}
			if o.available > 0 {
				access[0] |= uint32(spirv.MemoryAccessMakePointerAvailable)
				access = append(access, scopeIDs[o.available])
			}
			if o.visible > 0 {
				access[0] |= uint32(spirv.MemoryAccessMakePointerVisible)
				access = append(access, scopeIDs[o.visible])
			}
			switch {
			case o.writes():
				op.Code, in.Op, in.Args = program.Store8, spirv.OpStore, append([]uint32{0, 0}, access...)
				if o.size == 4 {
					op.Code = program.Store32
				}
			default:
				op.Code, in.Op, in.Args = program.Load8, spirv.OpLoad, append([]uint32{0}, access...)
				if o.size == 4 {
					op.Code = program.Load32
				}
			}
		}
	}
	m = &emu.Machine{Dispatch: &launch.Dispatch{Groups: [3]uint32{uint32(p.tiles), 1, 1}}, Unit: unit, Program: prog, Views: make([]emu.View, traceViews)}
	views = make([]tilemem.View, traceViews)
	for id, space := range []tilemem.Space{tilemem.Global, tilemem.TileStatic, tilemem.ImageSpace} {
		mem := &tilemem.Memory{ID: id, Space: space, Size: traceBytes}
		m.Memories = append(m.Memories, mem)
		for v := 1 + 2*id; v < 3+2*id; v++ {
			m.Views[v] = emu.View{Var: spirv.ID(v), Space: space}
			views[v] = tilemem.View{Mem: mem, Data: make([]byte, traceBytes)}
		}
	}
	return m, views
}

func (o *traceOp) atomicOp() program.AtomicOp {
	return map[opKind]program.AtomicOp{opAtomicLoad: program.AtomicLoad, opAtomicStore: program.AtomicStore, opAtomicAdd: program.AtomicAdd}[o.kind]
}

// detect shows a trace to an observer, as the emulator would, and gives the
// bytes that races are on.
func (p *traceProgram) detect(steps []step, clocks bool) map[place]bool {
	out := map[place]bool{}
	m, views := p.machine(steps)
	opt := &Options{Strict: p.strict, AssumeLockstep: p.lockstep, Severity: map[string]diag.Severity{}}
	for c := raceClass(1); c < numRaces; c++ {
		switch {
		case !p.special && (c == raceAliased || c == racePrivate):
			opt.Severity[c.String()] = diag.SeverityOff
		case p.soft:
			opt.Severity[c.String()] = diag.SeverityWarning
		}
	}
	o := &observer{opt: opt, lenient: clocks && p.soft}
	o.start(m, func(view int) *tilemem.Memory { return views[view].Mem }, func(*tilemem.Memory) bool { return true })
	if clocks && !o.d.clocks {
		o.d.clocks = true
		o.d.startClocks(uint64(p.tiles))
	}
	tileOf := 0
	o.d.found = func(r *race) {
		for k := range 4 {
			if r.bytes>>k&1 != 0 {
				t := 0
				if r.mem.local {
					t = tileOf
				}
				out[place{r.mem.id, t, int(4*r.word) + k}] = true
			}
		}
	}
	stride := m.Program.Stride
	tiles := make([]*warp.Tile, p.tiles)
	for _, s := range steps {
		tileOf = s.tile
		t := tiles[s.tile]
		switch {
		case s.begin:
			t = &warp.Tile{Index: s.tile, Views: slices.Clone(views)}
			for i := range p.warps {
				w := &warp.Warp{P: m.Program, T: t, Index: i, Lanes: p.width, R: make([]uint64, 2*stride)}
				for k := range w.R {
					w.R[k] = uint64(s.tile+1)<<20 | uint64(i)<<10 | uint64(k+1) // every write has a value of its own
				}
				t.Warps = append(t.Warps, w)
			}
			tiles[s.tile] = t
			o.TileBegin(t)
			for v := range t.Views {
				if t.Views[v].Mem != nil {
					t.Views[v].Reads = o.ReadLog(t, v)
				}
			}
			continue
		case s.end:
			o.TileEnd(t)
			continue
		case s.release:
			o.Released(t)
			continue
		}
		w, op := t.Warps[s.warp], s.op
		switch op.kind {
		case opFence:
			o.fence(w, op.lanes, op.pc)
			continue
		case opWarpBarrier, opTileBarrier:
			o.barrier(w, op.lanes, op.pc)
			continue
		}
		v := int32(op.view())
		if g := t.Views[v].Reads; g != nil && op.kind == opRead && op.size == 4 && op.lanes == warp.FirstLanes(p.width) {
			if offs := g.Note(int32(op.pc), int32(s.warp), v, stride); offs != nil {
				for l := range p.width {
					offs[l] = int32(op.off[l])
				}
				continue
			}
		}
		a := &warp.Access{PC: op.pc, Mask: op.lanes, Size: op.size, Width: int(min(op.size, 4)), View: make([]int32, stride), Off: make([]int64, stride)}
		for l := range p.width {
			a.View[l], a.Off[l] = v, op.off[l]
		}
		switch {
		case op.kind == opWrite:
			a.Kind = warp.Write
			o.Access(w, a)
		case op.kind == opRead:
			o.Access(w, a)
		default:
			a.Kind, a.Op = warp.AtomicAccess, op.atomicOp()
			for l := op.lanes.First(); l >= 0; l = op.lanes.Next(l) {
				a.Mask = warp.Mask{}
				a.Mask.Set(l)
				o.Access(w, a)
			}
		}
	}
	return out
}

// format writes a trace for people.
func (p *traceProgram) format(steps []step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tiles of %d warps of %d, lockstep %v, special %v, soft %v\n", p.tiles, p.warps, p.width, p.lockstep, p.special, p.soft)
	for _, s := range steps {
		switch {
		case s.release:
			fmt.Fprintf(&b, "tile %d goes on\n", s.tile)
			continue
		case s.begin:
			fmt.Fprintf(&b, "tile %d begins\n", s.tile)
			continue
		case s.end:
			fmt.Fprintf(&b, "tile %d ends\n", s.tile)
			continue
		}
		o := s.op
		name := [...]string{"read", "write", "atomic load", "atomic store", "atomic add", "fence", "warp barrier", "tile barrier"}[o.kind]
		fmt.Fprintf(&b, "tile %d warp %d: %d: %s lanes %v", s.tile, s.warp, o.pc, name, o.lanes)
		if o.kind < opFence {
			fmt.Fprintf(&b, " mem %d off %v size %d binding %d private %v available %d visible %d", o.mem, o.off, o.size, o.binding, o.private, o.available, o.visible)
		}
		fmt.Fprintf(&b, " scope %d semantics %#x\n", o.scope, o.semantics)
	}
	return b.String()
}
