package racecheck

import (
	"flag"
	"maps"
	"math/rand/v2"
	"testing"

	"ampdbg/spirv"
)

var long = flag.Bool("long", false, "compare the detector with the oracle on 1,000,000 traces")
var traces = flag.Int("traces", 20_000, "compare the detector with the oracle on so many traces")

// The oracle builds the graph of events of a trace and closes it transitively,
// once for each storage class: program order; barriers; synchronizes-with
// through the value that an atomic reads. Two accesses race if they conflict
// and no path leads from one to the other. It shares no code with the
// detector beyond the reading of memory semantics.

const maxNodes = 2048

type nodeSet [maxNodes / 64]uint64

func (s *nodeSet) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s *nodeSet) set(i int)      { s[i/64] |= 1 << (i % 64) }
func (s *nodeSet) or(o *nodeSet, words int) {
	for i := range words {
		s[i] |= o[i]
	}
}

// node is an event of one thread.
type node struct {
	thread, tile, warp int
	op                 *traceOp
	instance           int // of the warp's instruction
	lane               int
	// The semantics with which it makes available, releases, acquires and makes
	// visible, each with its scope.
	av, rel, acq, vis uint32
	scope             reach
}

// link is a node that releases or acquires, with the scope it does so at.
type link struct {
	node  int
	scope reach
}

type oracle struct {
	p     *traceProgram
	nodes []node
	// The nodes before each, by class; then whatever the class; then likewise, by
	// paths that stay within a tile, and within a warp.
	before [6][]nodeSet
	last   map[int]int // by thread: its latest node
}

func (g *oracle) add(n node) int {
	i := len(g.nodes)
	if i >= maxNodes {
		panic("trace too long")
	}
	g.nodes = append(g.nodes, n)
	for c := range g.before {
		g.before[c] = append(g.before[c], nodeSet{})
	}
	if prev, ok := g.last[n.thread]; ok {
		for c := range g.before {
			g.edge(c, prev, i)
		}
	}
	g.last[n.thread] = i
	return i
}

func (g *oracle) edge(c, from, to int) {
	x, y := &g.nodes[from], &g.nodes[to]
	if c >= 4 && x.tile != y.tile || c == 5 && x.warp != y.warp {
		return
	}
	s := &g.before[c][to]
	s.or(&g.before[c][from], to/64+1)
	s.set(from)
}

// within reports whether thread b is inside scope r of thread a.
func (g *oracle) within(r reach, a, b int) bool {
	x, y := &g.nodes[a], &g.nodes[b]
	return includes(r, x.tile == y.tile, x.tile == y.tile && x.warp == y.warp)
}

// counts reports whether semantics are of a class, or of any.
func counts(semantics uint32, c int) bool {
	if c >= len(traceClasses) {
		return classBits(semantics) != 0
	}
	return semantics&traceClasses[c].bit() != 0
}

// location is where an atomic starts.
type location struct{ mem, tile, word int }

// write is a modification of a location by an atomic.
type write struct {
	node int
	rmw  bool
}

func (p *traceProgram) racyBytes(steps []step) map[place]bool {
	g := &oracle{p: p, last: map[int]int{}}
	fences := map[int][]int{}        // by thread: its fences so far
	writes := map[location][]write{} // since the last plain write, in order
	type read struct {
		node    int
		sources []int // heads of the release sequences that it reads from
	}
	reads := map[int][]read{} // by thread
	// meetings are barriers that a thread has left: whom it met.
	type meeting struct {
		arrivals []int
		need     reach
	}
	met := map[int][]meeting{}
	arrived := map[int][]int{} // by tile: nodes that wait
	threads := func(s *step) []int {
		var out []int
		for l := s.op.lanes.First(); l >= 0; l = s.op.lanes.Next(l) {
			out = append(out, (s.tile*p.warps+s.warp)*p.width+l)
		}
		return out
	}
	// releases lists the nodes by which a thread's node releases: itself, and
	// fences before it.
	releasing := func(n int, c int, need reach, self reach) []link {
		var out []link
		if o := g.nodes[n].op; releases(o.semantics) && counts(o.semantics, c) && self >= need {
			out = append(out, link{n, self})
		}
		for _, f := range fences[g.nodes[n].thread] {
			o := g.nodes[f].op
			if f < n && releases(o.semantics) && counts(o.semantics, c) && o.scope >= need {
				out = append(out, link{f, min(o.scope, self)})
			}
		}
		return out
	}
	// prior adds the availability operation of a release, and after the
	// visibility operation of an acquire, if they have any.
	prior := func(n node) {
		if o := n.op; releases(o.semantics) && o.semantics&uint32(spirv.MemorySemanticsMakeAvailable) != 0 {
			n.op, n.av, n.scope = &traceOp{kind: opFence}, o.semantics, o.scope
			g.add(n)
		}
	}
	after := func(k int, o *traceOp) {
		n := g.nodes[k]
		if acquires(o.semantics) && o.semantics&uint32(spirv.MemorySemanticsMakeVisible) != 0 {
			n.op, n.rel, n.acq, n.vis, n.scope = &traceOp{kind: opFence}, 0, 0, o.semantics, o.scope
			g.add(n)
		}
	}
	meet := func(arrivals []int, need reach, steps func(n int) node) {
		for _, a := range arrivals {
			leave := g.add(steps(a))
			o := g.nodes[a].op
			met[g.nodes[a].thread] = append(met[g.nodes[a].thread], meeting{arrivals, need})
			for c := range g.before {
				if !acquires(o.semantics) || !counts(o.semantics, c) || o.scope < need {
					continue
				}
				for _, b := range arrivals {
					for _, l := range releasing(b, c, need, g.nodes[b].op.scope) {
						g.edge(c, l.node, leave)
					}
				}
			}
			after(leave, o)
		}
	}
	for i := range steps {
		s := &steps[i]
		o := s.op
		mk := func(t int) node {
			n := node{thread: t, tile: s.tile, warp: s.warp, op: o, instance: i, lane: t % p.width, scope: o.scope}
			if releases(o.semantics) && (o.writes() || !o.atomic()) {
				n.rel = o.semantics
			}
			if acquires(o.semantics) && (o.reads() || o.kind == opFence) {
				n.acq = o.semantics
			}
			return n
		}
		leave := func(n int) node {
			x := g.nodes[n]
			x.rel = 0
			if acquires(x.op.semantics) {
				x.acq = x.op.semantics
			}
			x.op = &traceOp{kind: opFence} // the thread goes on: no event of its own
			return x
		}
		switch {
		case s.begin, s.end:
		case s.release:
			meet(arrived[s.tile], reachTile, leave)
			arrived[s.tile] = nil
		case o.kind == opTileBarrier:
			for _, t := range threads(s) {
				prior(mk(t))
				arrived[s.tile] = append(arrived[s.tile], g.add(mk(t)))
			}
		case o.kind == opWarpBarrier:
			var list []int
			for _, t := range threads(s) {
				prior(mk(t))
				list = append(list, g.add(mk(t)))
			}
			meet(list, reachWarp, leave)
		case o.kind == opFence:
			for _, t := range threads(s) {
				prior(mk(t))
				n := g.add(mk(t))
				if acquires(o.semantics) {
					for c := range g.before {
						if !counts(o.semantics, c) {
							continue
						}
						for _, r := range reads[t] {
							for _, h := range r.sources {
								scope := min(g.nodes[r.node].op.scope, o.scope)
								for _, l := range releasing(h, c, reachThread, g.nodes[h].op.scope) {
									if g.within(l.scope, l.node, n) && g.within(scope, n, l.node) {
										g.edge(c, l.node, n)
									}
								}
							}
						}
						for _, m := range met[t] {
							if o.scope < m.need {
								continue
							}
							for _, b := range m.arrivals {
								for _, l := range releasing(b, c, m.need, g.nodes[b].op.scope) {
									g.edge(c, l.node, n)
								}
							}
						}
					}
				}
				fences[t] = append(fences[t], n)
				after(n, o)
			}
		default:
			for _, t := range threads(s) {
				if o.writes() && o.atomic() {
					prior(mk(t))
				}
				n := g.add(mk(t))
				off := o.off[g.nodes[n].lane]
				tile := s.tile
				if o.mem != 1 {
					tile = 0
				}
				if !o.atomic() {
					if o.writes() {
						for w := off / 4; w <= (off+o.size-1)/4; w++ {
							delete(writes, location{o.mem, tile, int(w)})
						}
					}
					continue
				}
				at := location{o.mem, tile, int(off / 4)}
				if o.reads() {
					// The write that is read is the last one; back from it over
					// read-modify-writes lie the heads of release sequences.
					r := read{node: n}
					list := writes[at]
					for k := len(list) - 1; k >= 0; k-- {
						r.sources = append(r.sources, list[k].node)
						if !list[k].rmw {
							break
						}
					}
					reads[t] = append(reads[t], r)
					if acquires(o.semantics) {
						for c := range g.before {
							if !counts(o.semantics, c) {
								continue
							}
							for _, h := range r.sources {
								for _, l := range releasing(h, c, reachThread, g.nodes[h].op.scope) {
									if g.within(l.scope, l.node, n) && g.within(o.scope, n, l.node) {
										g.edge(c, l.node, n)
									}
								}
							}
						}
					}
				}
				if o.reads() {
					after(n, o)
				}
				if o.writes() {
					writes[at] = append(writes[at], write{n, o.reads()})
				}
			}
		}
	}
	return g.races()
}

func (g *oracle) races() map[place]bool {
	out := map[place]bool{}
	for j := range g.nodes {
		y := &g.nodes[j]
		if y.op.kind >= opFence {
			continue
		}
		for i := range j {
			x := &g.nodes[i]
			if x.op.kind >= opFence || x.thread == y.thread || x.op.mem != y.op.mem || !x.op.writes() && !y.op.writes() || x.op.mem == 1 && x.tile != y.tile {
				continue
			}
			a, b := x.op.off[x.lane], y.op.off[y.lane]
			lo, hi := max(a, b), min(a+x.op.size, b+y.op.size)
			if lo >= hi || !g.race(i, j, a, b) {
				continue
			}
			for at := lo; at < hi; at++ {
				out[g.p.place(x.op, x.tile, at)] = true
			}
		}
	}
	return out
}

// race decides about two conflicting accesses that start at a and b.
func (g *oracle) race(i, j int, a, b int64) bool {
	x, y := &g.nodes[i], &g.nodes[j]
	ordered := g.before[x.op.mem][j].has(i)
	if g.p.special && x.op.writes() {
		ordered = ordered && !g.p.strict || g.p.availability && g.visible(i, j)
	}
	if x.op.atomic() && y.op.atomic() && x.op.size == y.op.size && a == b && x.op.binding == y.op.binding &&
		g.within(x.op.scope, i, j) && g.within(y.op.scope, j, i) {
		return false
	}
	if ordered {
		return g.p.special && (x.op.binding != y.op.binding || x.op.private || y.op.private)
	}
	return !(g.p.lockstep && x.tile == y.tile && x.warp == y.warp && x.instance != y.instance)
}

// visible reports whether the write i is available and visible to the access j,
// or available to j if that does not read.
func (g *oracle) visible(i, j int) bool {
	x, y := &g.nodes[i], &g.nodes[j]
	available, visible := x.op.available, y.op.visible
	if !g.p.strict {
		available, visible = 0, 0
	}
	bit := traceClasses[x.op.mem].bit()
	// By domain: the nodes that have brought the write there, and whether it is
	// known to have come there at a node.
	var source [reachGrid + 1]nodeSet
	level := [reachGrid + 1]int{0, 5, 4, 3}
	for n := i; n <= j; n++ {
		at := &g.nodes[n]
		var known [reachGrid + 1]bool
		for l := reachWarp; l <= reachGrid; l++ {
			b := &g.before[level[l]][n]
			for w := range n/64 + 1 {
				known[l] = known[l] || source[l][w]&b[w] != 0
			}
		}
		own := at.thread == x.thread
		if at.rel&bit != 0 && own {
			for l := reachWarp; l <= available; l++ {
				source[l].set(n)
			}
		}
		if at.av&bit != 0 {
			sum := own
			for l := reachWarp; l <= at.scope; l++ {
				if sum = sum || known[l]; sum {
					source[l].set(n)
				}
			}
		}
		mine := at.thread == y.thread
		if at.acq&bit != 0 && mine {
			for l := reachWarp; l <= reachGrid; l++ {
				if known[l] && (l <= visible || !y.op.reads()) {
					return true
				}
			}
		}
		if at.vis&bit != 0 {
			sum := false
			for l := at.scope; l >= reachWarp; l-- {
				if sum = sum || known[l]; sum {
					source[l].set(n)
				}
			}
			if mine && sum {
				return true
			}
		}
	}
	return false
}

// kinds of traces, with and without vector clocks.
var oracleKinds = []struct {
	name   string
	kind   traceKind
	clocks bool
}{
	{"barriers", traceKind{lockstep: true}, false},
	{"barriers with clocks", traceKind{}, true},
	{"fences", traceKind{fences: true}, true},
	{"bindings", traceKind{special: true}, false},
	{"fences and bindings", traceKind{fences: true, special: true}, true},
	{"availability", traceKind{fences: true, special: true, availability: true}, true},
	{"availability, strict", traceKind{fences: true, special: true, availability: true, strict: true}, true},
}

func TestDetectorAgreesWithOracle(t *testing.T) {
	n := *traces
	if *long {
		n = 1_000_000
	}
	for k, kind := range oracleKinds {
		t.Run(kind.name, func(t *testing.T) {
			racy := 0
			for i := range n / len(oracleKinds) {
				r := rand.New(rand.NewPCG(uint64(i), uint64(k)))
				p := randomProgram(r, kind.kind)
				steps := p.interleave(r)
				got, want := p.detect(steps, kind.clocks), p.racyBytes(steps)
				if !maps.Equal(got, want) {
					t.Fatalf("trace %d: detector found %v, oracle %v\n%s", i, got, want, p.format(steps))
				}
				if len(want) > 0 {
					racy++
				}
			}
			t.Logf("%d traces, %d of them racy: detector and oracle agree", n/len(oracleKinds), racy)
		})
	}
}

func TestVerdictDoesNotDependOnOrder(t *testing.T) {
	n := 2_000
	if *long {
		n = 100_000
	}
	for i := range n {
		r := rand.New(rand.NewPCG(uint64(i), 99))
		p := randomProgram(r, traceKind{})
		first := p.detect(p.interleave(r), false)
		for range 9 {
			if steps := p.interleave(r); !maps.Equal(first, p.detect(steps, false)) {
				t.Fatalf("program %d: %v in one order, %v in another\n%s", i, first, p.detect(steps, false), p.format(steps))
			}
		}
	}
}
