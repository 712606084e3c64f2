package emu_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ampdbg/emu"
	"ampdbg/warp"
)

// flowRef runs a random program by the definition of maximal reconvergence:
// each statement is executed by the set of lanes that come to it, and gives
// the sets of lanes that leave it by each way. With one lane it is the plain
// meaning of the program for that thread.
type flowRef struct {
	p     *flowProgram
	first uint32 // global index of lane 0
	salt  uint32
	hash  [warp.MaxLanes]uint32
	out   [warp.MaxLanes]uint32
	steps int
	path  []string // open constructs
	met   []string // barriers, with the path to them
}

type refVars [warp.MaxLanes][4]uint32

// ways are the lanes that leave a statement by each way.
type ways struct{ next, breakLoop, breakSwitch, cont, ret warp.Mask }

func each(m warp.Mask, f func(l int)) {
	for l := m.First(); l >= 0; l = m.Next(l) {
		f(l)
	}
}

func where(m warp.Mask, f func(l int) bool) warp.Mask {
	var out warp.Mask
	each(m, func(l int) {
		if f(l) {
			out.Set(l)
		}
	})
	return out
}

func (r *flowRef) start(first uint32, lanes int) {
	r.first = first
	for l := range r.hash {
		r.hash[l] = 1
	}
	var v refVars
	m := warp.FirstLanes(lanes)
	r.init(&v, m, func(l int) uint32 { return first + uint32(l) })
	r.list(r.p.main, &v, m)
	each(m, func(l int) {
		h := r.hash[l]
		for i := range 4 {
			h = h*1664525 + v[l][i]
		}
		r.out[l] = h
	})
}

func (r *flowRef) init(v *refVars, m warp.Mask, start func(l int) uint32) {
	each(m, func(l int) {
		for i := range 4 {
			v[l][i] = start(l)>>i ^ r.salt
		}
	})
}

func (r *flowRef) mix(m warp.Mask, x uint32) {
	each(m, func(l int) { r.hash[l] = r.hash[l]*1664525 + x })
}

func (r *flowRef) list(list []stmt, v *refVars, m warp.Mask) ways {
	var out ways
	for _, s := range list {
		if m.IsZero() {
			break
		}
		w := r.stmt(s, v, m)
		out.breakLoop, out.breakSwitch = out.breakLoop.Or(w.breakLoop), out.breakSwitch.Or(w.breakSwitch)
		out.cont, out.ret = out.cont.Or(w.cont), out.ret.Or(w.ret)
		m = w.next
	}
	out.next = m
	return out
}

// in runs f with a construct open.
func (r *flowRef) in(step string, f func()) {
	r.path = append(r.path, step)
	f()
	r.path = r.path[:len(r.path)-1]
}

func (r *flowRef) stmt(s stmt, v *refVars, m warp.Mask) ways {
	r.steps++
	out := ways{next: m}
	switch s := s.(type) {
	case assign:
		each(m, func(l int) {
			a, b := v[l][s.a], uint32(s.b*3)
			if s.b < 4 {
				b = v[l][s.b]
			}
			v[l][s.dst] = []uint32{a + b, a - b, a * b, a ^ b, a | b}[s.op]
		})
	case mark:
		r.mix(m, uint32(s.id))
	case ballot:
		r.mix(m, uint32(s.id))
		for k := range 4 {
			r.mix(m, uint32(m[k/2]>>(k%2*32)))
		}
	case barrier:
		r.met = append(r.met, fmt.Sprint(strings.Join(r.path, " "), " at ", s.id))
	case ifStmt:
		r.in(fmt.Sprint("if ", s.id), func() {
			yes := where(m, func(l int) bool { return v[l][s.cond.v]&uint32(s.cond.mask) < uint32(s.cond.limit) })
			a := r.list(s.then, v, yes)
			b := r.list(s.els, v, m.AndNot(yes))
			out = ways{a.next.Or(b.next), a.breakLoop.Or(b.breakLoop), a.breakSwitch.Or(b.breakSwitch), a.cont.Or(b.cont), a.ret.Or(b.ret)}
			if s.phi && !exits(s.then) && !exits(s.els) {
				each(a.next, func(l int) { v[l][0] = uint32(s.id) })
				each(b.next, func(l int) { v[l][0] = uint32(s.id + 1) })
			}
		})
	case switchStmt:
		return r.switchStmt(s, v, m)
	case loopStmt:
		return r.loop(s, v, m)
	case breakLoop:
		return ways{breakLoop: m}
	case breakSwitch:
		return ways{breakSwitch: m}
	case continueLoop:
		return ways{cont: m}
	case returnStmt:
		return ways{ret: m}
	case callStmt:
		r.in(fmt.Sprint("call ", s.id), func() {
			var inner refVars
			r.init(&inner, m, func(l int) uint32 { return v[l][s.arg] })
			r.list(r.p.fns[s.fn], &inner, m)
			each(m, func(l int) { v[l][s.dst] = inner[l][0] })
		})
	}
	return out
}

func (r *flowRef) switchStmt(s switchStmt, v *refVars, m warp.Mask) ways {
	var entry [warp.MaxLanes]int
	each(m, func(l int) {
		entry[l] = s.def
		for i, c := range s.cases {
			if slices.Contains(c.values, int(v[l][s.on]&3)) {
				entry[l] = i
			}
		}
	})
	out := ways{next: where(m, func(l int) bool { return entry[l] < 0 })}
	for i := range s.cases {
		here := where(m, func(l int) bool { return entry[l] == i })
		r.in(fmt.Sprintf("switch %d entry %d", s.id, i), func() {
			for k := i; !here.IsZero(); k++ {
				w := r.list(s.cases[k].body, v, here)
				out.next = out.next.Or(w.breakSwitch)
				out.breakLoop, out.cont, out.ret = out.breakLoop.Or(w.breakLoop), out.cont.Or(w.cont), out.ret.Or(w.ret)
				here = w.next
				if !s.cases[k].falls {
					out.next = out.next.Or(here)
					break
				}
			}
		})
	}
	return out
}

func (r *flowRef) loop(s loopStmt, v *refVars, m warp.Mask) ways {
	var trips [warp.MaxLanes]uint32
	each(m, func(l int) { trips[l] = v[l][s.trips] & 3 })
	var out ways
	for i := uint32(0); !m.IsZero(); i++ {
		if s.form != doWhile {
			stay := where(m, func(l int) bool { return i < trips[l] })
			out.next = out.next.Or(m.AndNot(stay))
			m = stay
		}
		r.in(fmt.Sprintf("loop %d round %d", s.id, i), func() {
			w := r.list(s.body, v, m)
			out.next, out.ret = out.next.Or(w.breakLoop), out.ret.Or(w.ret)
			m = w.next.Or(w.cont)
			r.list(s.cont, v, m)
		})
		if s.form == doWhile {
			stay := where(m, func(l int) bool { return i+1 < trips[l] })
			out.next = out.next.Or(m.AndNot(stay))
			m = stay
		}
	}
	return out
}

// flowCases runs random programs.
func flowCases(t *testing.T, n int, ballots, barriers bool, check func(t *testing.T, p *flowProgram, r *rand.Rand)) {
	if testing.Short() {
		n /= 10
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 77))
		p := randomFlow(r, ballots, barriers)
		check(t, p, r)
		if t.Failed() {
			t.Fatalf("program %d", seed)
		}
	}
}

// compareFlow runs k and compares each thread's result.
func compareFlow(t *testing.T, k *kernel, opt emu.Options, tiles int, want []uint32) {
	t.Helper()
	clear(k.buffers[0].data)
	k.run(t, opt, uint32(tiles))
	for g, w := range want {
		if got := uint32(word(k.buffers[0].data, 4, g)); got != w {
			t.Errorf("warp %d, workers %d, seed %d, exact %v: thread %d: got %#x, want %#x\n%s",
				opt.Warp, opt.Workers, opt.Seed, opt.Exact, g, got, w, k.body+k.funcs)
			return
		}
	}
}

// TestControlFlowIsThatOfEachThreadAlone runs random programs without
// operations across lanes: every thread must end as if it ran alone, whatever
// the warp's width and the schedule.
func TestControlFlowIsThatOfEachThreadAlone(t *testing.T) {
	flowCases(t, 300, false, false, func(t *testing.T, p *flowProgram, r *rand.Rand) {
		size, tiles := 1+r.IntN(40), 1+r.IntN(3)
		ref := &flowRef{p: p, salt: r.Uint32() & 0xff}
		want := make([]uint32, size*tiles)
		for g := range want {
			ref.start(uint32(g), 1)
			want[g] = ref.out[0]
		}
		k := p.kernel(uint32(size), len(want), ref.salt)
		for _, opt := range []emu.Options{
			{Warp: 1}, {Warp: 4}, {Warp: 8}, {Warp: 32}, {Warp: 128}, {Warp: 3}, {Warp: 4, Exact: true}, {Warp: 8, Workers: 2}, {Warp: 4, Seed: 5},
		} {
			compareFlow(t, k, opt, tiles, want)
		}
	})
}

// TestReconvergenceIsMaximal runs random programs whose threads note which
// lanes are with them: the sets must be those of the definition.
func TestReconvergenceIsMaximal(t *testing.T) {
	flowCases(t, 250, true, false, func(t *testing.T, p *flowProgram, r *rand.Rand) {
		size, tiles := 1+r.IntN(40), 1+r.IntN(2)
		salt := r.Uint32() & 0xff
		k := p.kernel(uint32(size), size*tiles, salt)
		for _, width := range []int{2, 4, 8, 32, 128} {
			var want []uint32
			for tile := range tiles {
				for at := 0; at < size; at += width {
					ref := &flowRef{p: p, salt: salt}
					n := min(width, size-at)
					ref.start(uint32(tile*size+at), n)
					want = append(want, ref.out[:n]...)
				}
			}
			compareFlow(t, k, emu.Options{Warp: width}, tiles, want)
			compareFlow(t, k, emu.Options{Warp: width, Exact: true}, tiles, want)
		}
	})
}

// TestBarrierVerdictIsExact runs random programs with barriers: there is a
// finding if and only if the threads of the tile, each run alone, come to
// different barriers, or to the same ones as different dynamic instances.
func TestBarrierVerdictIsExact(t *testing.T) {
	clean, bad := 0, 0
	flowCases(t, 800, false, true, func(t *testing.T, p *flowProgram, r *rand.Rand) {
		size := 1 + r.IntN(12)
		ref := &flowRef{p: p, salt: r.Uint32() & 0xff}
		var first string
		same := true
		for g := range size {
			ref.met = nil
			ref.start(uint32(g), 1)
			if met := strings.Join(ref.met, "\n"); g == 0 {
				first = met
			} else {
				same = same && met == first
			}
		}
		if first == "" && same {
			return
		}
		k := p.kernel(uint32(size), size, ref.salt)
		for _, width := range []int{1, 4, 32} {
			res, err := emu.Run(context.Background(), k.dispatch(t), emu.Options{Warp: width})
			if err != nil {
				t.Fatalf("%v\n%s", err, numbered(k.text()))
			}
			if got := len(res.Findings) == 0; got != same {
				t.Errorf("warp %d: clean %v, want %v\n%s", width, got, same, k.body+k.funcs)
			}
		}
		if same {
			clean++
		} else {
			bad++
		}
	})
	if !t.Failed() && !testing.Short() && (clean < 50 || bad < 50) {
		t.Errorf("%d clean and %d divergent programs: too few to mean anything", clean, bad)
	}
	t.Logf("%d clean, %d divergent", clean, bad)
}
