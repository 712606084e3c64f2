package emu_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ampdbg/spirv"
)

// ends is a valid module whose operands extremes changes.
type ends struct {
	m    *spirv.Module
	u    *spirv.Unit
	byOp map[spirv.Opcode][]int // indexes into m.Insts
	ops  []spirv.Opcode         // keys of byOp, in the module's order
}

// newEnds is nil if the module does not resolve.
func newEnds(m *spirv.Module) *ends {
	u, err := spirv.Resolve(m, nil)
	if err != nil {
		return nil
	}
	x := &ends{m: m, u: u, byOp: map[spirv.Opcode][]int{}}
	for i := range m.Insts {
		op := m.Insts[i].Op
		if x.byOp[op] == nil {
			x.ops = append(x.ops, op)
		}
		x.byOp[op] = append(x.byOp[op], i)
	}
	return x
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// extremes gives operands of every kind values at the ends of what a word
// holds: ids that are 0 or out of bounds, scopes and semantics that do not
// exist, literals with all bits, counts of words that are huge.
func extremes(x *ends, r *rand.Rand) *spirv.Module {
	values := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 31, 32, 64, 128, 255, 256, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, x.m.Bound - 1, x.m.Bound, x.m.Bound + 1}
	out := &spirv.Module{Version: x.m.Version, Bound: x.m.Bound, Name: x.m.Name, Insts: slices.Clone(x.m.Insts)}
	for range 1 + r.IntN(3) {
		i := pick(r, x.byOp[pick(r, x.ops)])
		in := &out.Insts[i]
		in.Args = slices.Clone(in.Args)
		ops, err := x.m.Operands(&x.m.Insts[i])
		if err != nil || len(ops) == 0 {
			continue
		}
		o := pick(r, ops)
		switch {
		case o.At < 0 || o.At >= len(in.Args):
		case o.Kind.IsID() && x.u.Const(spirv.ID(in.Args[o.At])) != nil && r.IntN(2) == 0:
			// The constant itself: scopes, semantics, indexes and sizes are ids.
			if d := x.u.Def(spirv.ID(in.Args[o.At])); x.m.Insts[d].Op == spirv.OpConstant {
				c := &out.Insts[d]
				c.Args = slices.Clone(c.Args)
				c.Args[r.IntN(len(c.Args))] = pick(r, values)
			}
		case r.IntN(12) == 0: // many operands
			in.Args = slices.Insert(in.Args, o.At, slices.Repeat(in.Args[o.At:o.At+1], r.IntN(3000))...)
		default:
			in.Args[o.At] = pick(r, values)
		}
	}
	return out
}

func extremeSeeds(t testing.TB) (out []*ends) {
	for _, m := range seedModules() {
		if x := newEnds(m); x != nil {
			out = append(out, x)
		}
	}
	if len(out) < 100 {
		t.Fatalf("%d modules to begin with", len(out))
	}
	return out
}

// FuzzExtremes runs modules with operands at extreme values: each ends within
// the bounds of runAnything.
func FuzzExtremes(f *testing.F) {
	seeds := extremeSeeds(f)
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 31))
		runAnything(t, extremes(seeds[r.IntN(len(seeds))], r), r)
	})
}

// TestExtremes is a short FuzzExtremes.
func TestExtremes(t *testing.T) {
	seeds := extremeSeeds(t)
	n, ran := 1500, 0
	if testing.Short() {
		n = 200
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 31))
		x := seeds[r.IntN(len(seeds))]
		if runAnything(t, extremes(x, r), r) {
			ran++
		}
		if t.Failed() {
			t.Fatalf("seed %d, from %s", seed, x.m.Name)
		}
	}
	if ran < n/15 {
		t.Errorf("%d of %d ran: too few to tell of what runs", ran, n)
	}
}
