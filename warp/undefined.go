package warp

import (
	"ampdbg/program"
	"ampdbg/spirv"
)

// undefined gives the reasons, one bit each, for which active lanes have no
// defined result, unless all that there may be are known.
func (w *Warp) undefined(n int, known uint32) uint32 {
	d := &w.P.Defined[n]
	if d.Reasons&^known == 0 {
		return 0
	}
	seen := uint32(0)
	for part := range d.In {
		w.EachUndefined(n, part, func(_ int, why program.Reason) { seen |= 1 << why })
	}
	return seen
}

// EachUndefined calls f for each active lane in which a part of the operation
// Program.Defined[n] has no defined result, in order.
func (w *Warp) EachUndefined(n, part int, f func(lane int, why program.Reason)) {
	d, test := &w.P.Defined[n], w.fn.tests[n]
	rows := d.In[part]
	act := w.active
	switch {
	case test != nil:
		if cap(w.in) < len(rows) {
			w.in = make([]uint64, len(rows))
		}
		in := w.in[:len(rows)]
		for l := act.First(); l >= 0; l = act.Next(l) {
			for i, r := range rows {
				in[i] = w.R[int(r)+l]
			}
			if why := test(in); why != program.Defined {
				f(l, why)
			}
		}
	case d.Group >= 0:
		g := &w.P.Groups[d.Group]
		for l := act.First(); l >= 0; l = act.Next(l) {
			if from, reads := w.Source(g, l); reads && (from < 0 || !act.Has(from)) {
				f(l, program.InactiveLane)
			}
		}
	default:
		why := program.NonUniformLane
		if d.Reasons&(1<<program.NonUniformDescriptor) != 0 {
			why = program.NonUniformDescriptor
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
func (w *Warp) Source(g *program.GroupInfo, l int) (from int, ok bool) {
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

// checkUsed calls Tile.Used if any active lane of the shadows in op.A is
// not 0.
func (w *Warp) checkUsed(op *program.Op) {
	for i := range op.N {
		if w.R[op.A+i] != 0 && w.active.Has(int(i)%w.P.Stride) {
			w.T.Used()
			return
		}
	}
}

// markUndefined sets the shadows, op.Dst elements further on, of undefined
// results.
func (w *Warp) markUndefined(op *program.Op) {
	d := &w.P.Defined[op.X]
	for part := range d.In {
		w.EachUndefined(int(op.X), part, func(l int, why program.Reason) {
			if op.C>>why&1 != 0 {
				return
			}
			for _, r := range d.Out[part] {
				w.R[int(r+op.Dst)+l] = 1
			}
		})
	}
}
