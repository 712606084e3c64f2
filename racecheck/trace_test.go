package racecheck

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"ampdbg/spirv"
	"ampdbg/warp"
)

// A trace is a program for each warp of a few tiles, and the order in which
// the warps took turns.

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
	value     uint32
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
	special             bool // bindings and private accesses count
	soft                bool
}

// step is one warp-wide operation of a trace. A tile barrier stands where the
// warp arrives; release marks where its tile goes on.
type step struct {
	tile, warp int
	op         *traceOp
	release    bool
}

const traceBytes = 12

var traceClasses = [3]class{classUniform, classWorkgroup, classImage}

// traceKind says what may occur in a trace.
type traceKind struct {
	fences   bool // fences, acquire and release, warp barriers, halves of barriers
	special  bool
	lockstep bool
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
	p := &traceProgram{tiles: 1 + r.IntN(3), warps: 1 + r.IntN(3), width: 1 + r.IntN(3), lockstep: k.lockstep && r.IntN(2) == 0, special: k.special, soft: r.IntN(4) == 0}
	subword := r.IntN(3) == 0
	words := int64(1 + r.IntN(traceBytes/4))
	mems := pick(r, []int{0}, []int{1}, []int{0, 1}, []int{0, 1, 2})
	for range p.tiles {
		intervals := 1 + r.IntN(3)
		code := make([][]traceOp, p.warps)
		for i := range intervals {
			if i > 0 {
				b := traceOp{kind: opTileBarrier, lanes: warp.FirstLanes(p.width), scope: pick(r, reachTile, reachTile, reachTile, reachGrid), semantics: randomSemantics(r, !k.fences)}
				if r.IntN(8) == 0 {
					b.semantics = 0
				}
				if k.fences && r.IntN(8) == 0 {
					b.scope = reachWarp
				}
				for w := range code {
					code[w] = append(code[w], b)
				}
			}
			for w := range code {
				for range r.IntN(4) {
					code[w] = append(code[w], randomOp(r, p, k, mems, words, subword))
				}
			}
		}
		p.code = append(p.code, code)
	}
	return p
}

func randomOp(r *rand.Rand, p *traceProgram, k traceKind, mems []int, words int64, subword bool) traceOp {
	o := traceOp{kind: opKind(r.IntN(int(opFence))), mem: pick(r, mems...), size: 4, off: make([]int64, p.width), value: r.Uint32()}
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
	switch {
	case o.kind >= opFence:
		o.scope = pick(r, reachWarp, reachTile, reachTile, reachGrid, reachGrid)
		o.semantics = randomSemantics(r, o.kind == opWarpBarrier && r.IntN(2) == 0)
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
	o.size = min(o.size, 4*words)
	for l := range o.off {
		align := o.size
		if o.size == 8 {
			align = 4
		}
		o.off[l] = r.Int64N((4*words-o.size)/align+1) * align
	}
	return o
}

// interleave lets the warps take turns at random.
func (p *traceProgram) interleave(r *rand.Rand) []step {
	var out []step
	at := make([][]int, p.tiles)
	waiting := make([][]bool, p.tiles)
	for i := range at {
		at[i], waiting[i] = make([]int, p.warps), make([]bool, p.warps)
	}
	for {
		var ready [][2]int
		for i := range at {
			for w := range at[i] {
				if !waiting[i][w] && at[i][w] < len(p.code[i][w]) {
					ready = append(ready, [2]int{i, w})
				}
			}
		}
		if len(ready) == 0 {
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

// traceValues gives every write a value of its own.
type traceValues struct{ op *traceOp }

func (v traceValues) written(lane int, i int64) uint32 { return v.op.value + uint32(lane) }
func (v traceValues) held(lane int, i int64) uint32    { return ^v.op.value - uint32(lane) }

// detect runs the detector over a trace and gives the bytes that races are on.
func (p *traceProgram) detect(steps []step, clocks bool) map[place]bool {
	out := map[place]bool{}
	perTile := uint32(p.warps * p.width)
	d := &detector{perTile: perTile, width: uint32(p.width), clocks: clocks, lockstep: p.lockstep, private: p.special, aliases: p.special}
	d.lenient = clocks && p.soft
	if p.soft {
		for c := range d.soft {
			d.soft[c] = true
		}
	}
	var tileOf int
	d.found = func(r *race) {
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
	global := newShadow(0, traceBytes, false, p.special)
	image := newShadow(2, traceBytes, false, p.special)
	tiles := make([]*tile, p.tiles)
	for i := range tiles {
		tiles[i] = &tile{mems: []*shadow{nil, newShadow(1, traceBytes, true, p.special), nil}}
		d.begin(tiles[i], i)
	}
	sites := map[*traceOp]uint16{}
	for _, s := range steps {
		tileOf = s.tile
		t, o := tiles[s.tile], s.op
		first := t.first + uint32(s.warp*p.width)
		if s.release {
			d.barrier(t)
			continue
		}
		var lanes []uint32
		for l := o.lanes.First(); l >= 0; l = o.lanes.Next(l) {
			lanes = append(lanes, first+uint32(l))
		}
		switch o.kind {
		case opFence:
			d.fence(t, lanes, o.scope, o.semantics)
		case opWarpBarrier:
			d.warpBarrier(t, lanes, o.scope, o.semantics)
		case opTileBarrier:
			d.arrive(t, lanes, o.scope, o.semantics)
		default:
			st := site{class: traceClasses[o.mem], reads: o.reads(), writes: o.writes(), atomic: o.atomic(), binding: o.binding, private: o.private}
			if o.atomic() {
				st.scope, st.size = o.scope, o.size
			}
			n, ok := sites[o]
			if !ok {
				n = uint16(len(d.sites))
				sites[o] = n
				d.sites = append(d.sites, st)
			}
			mem := [...]*shadow{global, t.mems[1], image}[o.mem]
			ins := &instr{tile: t, first: first, active: o.lanes, off: o.off, size: o.size, values: traceValues{o}}
			for range p.width {
				ins.mem, ins.site = append(ins.mem, mem), append(ins.site, n)
			}
			if !o.atomic() {
				d.access(ins)
				continue
			}
			for l := o.lanes.First(); l >= 0; l = o.lanes.Next(l) {
				ins.active = warp.Mask{}
				ins.active.Set(l)
				d.atomic(ins, l, o.semantics)
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
		if s.release {
			fmt.Fprintf(&b, "tile %d goes on\n", s.tile)
			continue
		}
		o := s.op
		name := [...]string{"read", "write", "atomic load", "atomic store", "atomic add", "fence", "warp barrier", "tile barrier"}[o.kind]
		fmt.Fprintf(&b, "tile %d warp %d: %s lanes %v", s.tile, s.warp, name, o.lanes)
		if o.kind < opFence {
			fmt.Fprintf(&b, " mem %d off %v size %d binding %d private %v", o.mem, o.off, o.size, o.binding, o.private)
		}
		fmt.Fprintf(&b, " scope %d semantics %#x\n", o.scope, o.semantics)
	}
	return b.String()
}
