package warp

import (
	"ampdbg/spirv"
	"ampdbg/warp/scalar"
)

// DefinedInfo is an operation that has no defined result for some operands. Its
// parts, the components of a vector in most cases, are looked at one by one.
//
// Where the operation's behaviour is undefined, and not only its result, Out is
// nil and the CheckDefined stands before the operation; otherwise after it.
type DefinedInfo struct {
	In  [][]uint32 // by part: the operands' rows
	Out [][]uint32 // by part: the result's rows
	// Reasons are those that there may be, one bit each.
	Reasons uint32
	// Test tells of a lane by its operands. Without it the operation is
	// Groups[Group], or one whose operand has to be the same in all lanes.
	Test  func(in []uint64) scalar.Undefined
	Group int32         // -1: none
	Kinds []scalar.Kind // of the operands, to show them
}

// undefined gives the reasons, one bit each, for which active lanes have no
// defined result, unless all that there may be are known.
func (w *Warp) undefined(d *DefinedInfo, known uint32) uint32 {
	if d.Reasons&^known == 0 {
		return 0
	}
	seen := uint32(0)
	for part := range d.In {
		w.EachUndefined(d, part, func(_ int, why scalar.Undefined) { seen |= 1 << why })
	}
	return seen
}

// EachUndefined calls f for each active lane in which a part of an operation
// has no defined result, in order.
func (w *Warp) EachUndefined(d *DefinedInfo, part int, f func(lane int, why scalar.Undefined)) {
	rows := d.In[part]
	act := w.active
	switch {
	case d.Test != nil:
		if cap(w.in) < len(rows) {
			w.in = make([]uint64, len(rows))
		}
		in := w.in[:len(rows)]
		for l := act.First(); l >= 0; l = act.Next(l) {
			for i, r := range rows {
				in[i] = w.R[int(r)+l]
			}
			if why := d.Test(in); why != scalar.Defined {
				f(l, why)
			}
		}
	case d.Group >= 0:
		g := &w.P.Groups[d.Group]
		for l := act.First(); l >= 0; l = act.Next(l) {
			if from, reads := w.Source(g, l); reads && (from < 0 || !act.Has(from)) {
				f(l, scalar.InactiveLane)
			}
		}
	default:
		why := scalar.NonUniformLane
		if d.Reasons&(1<<scalar.NonUniformDescriptor) != 0 {
			why = scalar.NonUniformDescriptor
		}
		first := act.First()
		for l := act.Next(first); l >= 0; l = act.Next(l) {
			if w.R[int(rows[0])+l] != w.R[int(rows[0])+first] {
				f(l, why)
			}
		}
	}
}

// Source is the lane whose value a subgroup instruction gives to lane l, which
// may be inactive; -1 is any outside of the warp. It reports false for
// instructions that do not read one lane's value.
func (w *Warp) Source(g *GroupInfo, l int) (from int, ok bool) {
	// Anything from MaxLanes on is outside of every warp.
	b := func() int { return int(min(w.R[int(g.B)+l], MaxLanes)) }
	switch g.Op {
	case spirv.OpGroupNonUniformBroadcast, spirv.OpGroupNonUniformShuffle:
		from = b()
	case spirv.OpGroupNonUniformBroadcastFirst:
		from = w.active.First()
	case spirv.OpGroupNonUniformShuffleXor:
		from = l ^ b()
	case spirv.OpGroupNonUniformShuffleUp:
		from = l - b()
	case spirv.OpGroupNonUniformShuffleDown:
		from = l + b()
	case spirv.OpGroupNonUniformRotateKHR:
		n := int(g.Cluster)
		if n == 0 {
			n = w.P.Width
		}
		from = l - l%n + int((uint64(l%n)+w.R[int(g.B)+l]%uint64(n))%uint64(n))
	case spirv.OpGroupNonUniformQuadBroadcast:
		from = -1
		if x := b(); x < 4 {
			from = l&^3 | x
		}
	case spirv.OpGroupNonUniformQuadSwap:
		from = l ^ (int(w.R[int(g.B)+l]%3) + 1)
	default:
		return 0, false
	}
	if from < 0 || from >= w.P.Width {
		from = -1
	}
	return from, true
}
