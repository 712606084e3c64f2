package racecheck

import (
	"ampdbg/spirv"
)

// readsUnset reports whether the entry point may read a Function or Private
// variable before anything is stored to it. It errs on the side of yes: a
// variable counts as stored to when all of it is, on every path to the read.
func readsUnset(u *spirv.Unit, entry spirv.ID) bool {
	seen := map[spirv.ID]bool{}
	var visit func(id spirv.ID) bool
	visit = func(id spirv.ID) bool {
		fn := u.Function(id)
		if fn == nil || seen[id] {
			return false
		}
		seen[id] = true
		if unsetIn(u, fn) {
			return true
		}
		for _, b := range fn.Blocks {
			for i := b.First; i <= b.Last; i++ {
				if in := &u.Insts[i]; in.Op == spirv.OpFunctionCall && visit(spirv.ID(in.Args[0])) {
					return true
				}
			}
		}
		return false
	}
	return visit(entry)
}

// part is a part of a variable: its scalars [first, first+n).
type part struct {
	v        *spirv.Variable
	first, n int
	exact    bool // all indexes are constant
}

// unsetIn does one function.
func unsetIn(u *spirv.Unit, fn *spirv.Function) bool {
	vars := map[spirv.ID]*spirv.Variable{}
	for _, v := range fn.Vars {
		vars[v.ID] = v
	}
	for _, v := range u.Globals {
		if v.Storage == spirv.StorageClassPrivate && v.Init == 0 {
			vars[v.ID] = v
		}
	}
	parts := map[spirv.ID]part{}
	for id, v := range vars {
		parts[id] = part{v, 0, v.Type.Elem.Scalars(), true}
	}
	for _, b := range fn.Blocks {
		for i := b.First; i <= b.Last; i++ {
			in := &u.Insts[i]
			if in.Op != spirv.OpAccessChain && in.Op != spirv.OpInBoundsAccessChain {
				continue
			}
			if p, ok := parts[spirv.ID(in.Args[0])]; ok {
				parts[in.Result] = narrow(u, p, u.TypeOf(spirv.ID(in.Args[0])).Elem, in.Args[1:])
			}
		}
	}
	return flow(u, fn, parts, vars)
}

// narrow is the part of a variable that indexes lead to.
func narrow(u *spirv.Unit, p part, t *spirv.Type, indexes []uint32) part {
	for _, id := range indexes {
		c := u.Const(spirv.ID(id))
		if !p.exact || c == nil || len(c.Bits) != 1 || t.Child(int(uint32(c.Bits[0]))) == nil {
			p.exact = false
			return p
		}
		k := int(uint32(c.Bits[0]))
		p.first += t.ChildScalar(k)
		t = t.Child(k)
		p.n = t.Scalars()
	}
	return p
}

// maxTracked bounds the scalars of a variable that are told apart.
const maxTracked = 64

// setBits is what is stored to in a variable: a bit for each scalar, or bit 0 for
// all of it where there are too many.
type setBits map[spirv.ID]uint64

func all(n int) uint64 {
	if n > maxTracked {
		return 1
	}
	return ^uint64(0) >> (64 - n)
}

func (p part) bits() uint64 {
	total := p.v.Type.Elem.Scalars()
	if !p.exact {
		return 0
	}
	if total > maxTracked {
		if p.n == total {
			return 1
		}
		return 0
	}
	return all(p.n) << p.first
}

// flow runs the blocks of fn until what is stored to at their starts settles.
func flow(u *spirv.Unit, fn *spirv.Function, parts map[spirv.ID]part, vars map[spirv.ID]*spirv.Variable) bool {
	in := map[*spirv.Block]setBits{}
	out := map[*spirv.Block]setBits{}
	full := func() setBits {
		s := setBits{}
		for id, v := range vars {
			s[id] = all(v.Type.Elem.Scalars())
		}
		return s
	}
	start := func(b *spirv.Block) setBits {
		s := full()
		if b == fn.Blocks[0] {
			for id := range vars {
				// A caller may have stored to Private variables; that is not
				// followed.
				s[id] = 0
			}
			return s
		}
		for _, p := range b.Preds {
			o, ok := out[p]
			if !ok || !p.Reachable {
				continue
			}
			for id := range s {
				s[id] &= o[id]
			}
		}
		return s
	}
	unset := false
	step := func(b *spirv.Block, s setBits, report bool) {
		for i := b.First; i <= b.Last; i++ {
			x := &u.Insts[i]
			arg := func(k int) (part, bool) {
				if k >= len(x.Args) {
					return part{}, false
				}
				p, ok := parts[spirv.ID(x.Args[k])]
				return p, ok
			}
			need := func(p part) {
				want := p.bits()
				if !p.exact || want == 0 {
					want = all(p.v.Type.Elem.Scalars())
				}
				if report && s[p.v.ID]&want != want {
					unset = true
				}
			}
			switch x.Op {
			case spirv.OpVariable:
				if v := vars[x.Result]; v != nil && v.Init != 0 {
					s[v.ID] = all(v.Type.Elem.Scalars())
				}
			case spirv.OpStore:
				if p, ok := arg(0); ok {
					s[p.v.ID] |= p.bits()
				}
			case spirv.OpCopyMemory:
				if p, ok := arg(1); ok {
					need(p)
				}
				if p, ok := arg(0); ok {
					s[p.v.ID] |= p.bits()
				}
			case spirv.OpExtInst:
				// Modf and Frexp store through their last operand.
				if p, ok := arg(3); ok && u.ExtSet(spirv.ID(x.Args[0])) == "GLSL.std.450" {
					s[p.v.ID] |= p.bits()
				}
			case spirv.OpFunctionCall:
				for k := 1; k < len(x.Args); k++ {
					if p, ok := arg(k); ok {
						need(p) // the function may load from it
					}
				}
			default:
				// Of all other instructions only the first operand is a pointer
				// to load from; words beyond may be literals.
				if reads(x.Op) {
					if p, ok := arg(0); ok {
						need(p)
					}
				}
			}
		}
	}
	for round := 0; round < len(fn.Blocks)+2; round++ {
		changed := false
		for _, b := range fn.Blocks {
			if !b.Reachable {
				continue
			}
			s := start(b)
			in[b] = setBits{}
			for id, v := range s {
				in[b][id] = v
			}
			step(b, s, false)
			for id, v := range s {
				if old, ok := out[b][id]; !ok || old != v {
					changed = true
				}
			}
			out[b] = s
		}
		if !changed {
			break
		}
	}
	for _, b := range fn.Blocks {
		if b.Reachable {
			step(b, in[b], true)
		}
	}
	return unset
}

// reads reports whether an instruction reads through its first operand.
func reads(op spirv.Opcode) bool {
	switch op {
	case spirv.OpLoad, spirv.OpCopyObject, spirv.OpAtomicLoad, spirv.OpAtomicExchange, spirv.OpAtomicCompareExchange,
		spirv.OpAtomicIIncrement, spirv.OpAtomicIDecrement, spirv.OpAtomicIAdd, spirv.OpAtomicISub, spirv.OpAtomicSMin,
		spirv.OpAtomicUMin, spirv.OpAtomicSMax, spirv.OpAtomicUMax, spirv.OpAtomicAnd, spirv.OpAtomicOr, spirv.OpAtomicXor,
		spirv.OpAtomicFAddEXT, spirv.OpAtomicFMinEXT, spirv.OpAtomicFMaxEXT:
		return true
	}
	return false
}
