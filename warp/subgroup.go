package warp

import (
	"ampdbg/program"
	"ampdbg/spirv"
	"ampdbg/warp/scalar"
)

// Lanes that do not take part, or do not exist, give undefined values to the
// instructions that read other lanes; here a lane that does not take part gives
// what its register holds, and one that does not exist the reader's own value.

// group does the subgroup instruction Program.Groups[n].
func (w *Warp) group(n int) {
	g, fn := &w.P.Groups[n], w.fn.groups[n]
	act := w.active
	R := w.R
	set := func(value func(l int) uint64) {
		var tmp [MaxLanes]uint64
		for l := act.First(); l >= 0; l = act.Next(l) {
			tmp[l] = value(l)
		}
		for l := act.First(); l >= 0; l = act.Next(l) {
			R[int(g.Dst[0])+l] = tmp[l]
		}
	}
	same := func(v uint64) { set(func(int) uint64 { return v }) }
	at := func(r uint32, l int) uint64 { return R[int(r)+l] }
	switch g.Op {
	case spirv.OpGroupNonUniformElect:
		first := act.First()
		set(func(l int) uint64 { return bit(l == first) })
	case spirv.OpGroupNonUniformAll, spirv.OpGroupNonUniformAny:
		m := w.lanesWhere(g.A[0])
		if g.Op == spirv.OpGroupNonUniformAll {
			same(bit(m == act))
		} else {
			same(bit(!m.IsZero()))
		}
	case spirv.OpGroupNonUniformAllEqual:
		first := act.First()
		equal := uint64(1)
		for l := act.First(); l >= 0; l = act.Next(l) {
			for _, a := range g.A {
				equal &= fn(at(a, first), at(a, l))
			}
		}
		same(equal)

	case spirv.OpGroupNonUniformBallot:
		m := w.lanesWhere(g.A[0])
		for k, d := range g.Dst {
			v := uint64(maskWord(m, k))
			for l := act.First(); l >= 0; l = act.Next(l) {
				R[int(d)+l] = v
			}
		}
	case spirv.OpGroupNonUniformInverseBallot:
		set(func(l int) uint64 { return at(g.A[l/32], l) >> (l % 32) & 1 })
	case spirv.OpGroupNonUniformBallotBitExtract:
		set(func(l int) uint64 {
			i := at(g.B, l) & (MaxLanes - 1)
			return at(g.A[i/32], l) >> (i % 32) & 1
		})
	case spirv.OpGroupNonUniformBallotBitCount:
		set(func(l int) uint64 {
			m := w.ballot(g, l)
			switch g.Kind {
			case spirv.GroupOperationInclusiveScan:
				m = m.And(FirstLanes(l + 1))
			case spirv.GroupOperationExclusiveScan:
				m = m.And(FirstLanes(l))
			}
			return uint64(m.Count())
		})
	case spirv.OpGroupNonUniformBallotFindLSB:
		set(func(l int) uint64 { return uint64(uint32(w.ballot(g, l).First())) })
	case spirv.OpGroupNonUniformBallotFindMSB:
		set(func(l int) uint64 { return uint64(uint32(w.ballot(g, l).last())) })

	default:
		if g.Moves() {
			set(func(l int) uint64 { return at(g.A[0], w.From(g, l)) })
			return
		}
		w.reduce(g, fn)
	}
}

// From is the lane whose value the active lane l gets of an instruction that
// Moves: its own where Source is none.
func (w *Warp) From(g *program.GroupInfo, l int) int {
	if from, _ := w.Source(g, l); from >= 0 {
		return from
	}
	return l
}

// ballot is lane l's ballot value, cut to the lanes of the warp.
func (w *Warp) ballot(g *program.GroupInfo, l int) Mask {
	var m Mask
	for k, a := range g.A {
		m[k/2] |= w.R[int(a)+l] << (k % 2 * 32)
	}
	return m.And(FirstLanes(w.P.Width))
}

// lanesWhere is the set of active lanes whose row r is not 0.
func (w *Warp) lanesWhere(r uint32) Mask {
	var m Mask
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		if w.R[int(r)+l] != 0 {
			m.Set(l)
		}
	}
	return m
}

// reduce does reductions and scans, combining lanes in order.
func (w *Warp) reduce(g *program.GroupInfo, fn scalar.Func2) {
	act, R := w.active, w.R
	n := w.P.Width
	if g.Kind == spirv.GroupOperationClusteredReduce {
		n = int(g.Cluster)
	}
	a, d := int(g.A[0]), int(g.Dst[0])
	for base := 0; base < w.P.Width; base += n {
		acc := g.Identity
		cluster := act.And(FirstLanes(base + n)).AndNot(FirstLanes(base))
		for l := cluster.First(); l >= 0; l = cluster.Next(l) {
			v := R[a+l]
			switch g.Kind {
			case spirv.GroupOperationExclusiveScan:
				R[d+l] = acc
			case spirv.GroupOperationInclusiveScan:
				R[d+l] = combine(fn, acc, v, l == cluster.First())
			}
			acc = combine(fn, acc, v, l == cluster.First())
		}
		if g.Kind == spirv.GroupOperationReduce || g.Kind == spirv.GroupOperationClusteredReduce {
			for l := cluster.First(); l >= 0; l = cluster.Next(l) {
				R[d+l] = acc
			}
		}
	}
}

// combine folds v into acc; the first value is taken as it is, so that a lone
// -0 or NaN keeps its bits.
func combine(fn scalar.Func2, acc, v uint64, first bool) uint64 {
	if first {
		return v
	}
	return fn(acc, v)
}
