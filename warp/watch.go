package warp

import "ampdbg/spirv"

// IndexInfo is an index that CheckIndex checks.
type IndexInfo struct {
	Len  int64  // of the array or vector
	Path string // names it: "cells[].value"
}

// UndefRow is a row that stands for an OpUndef, or for a scalar of one.
type UndefRow struct {
	Row uint32 // element offset
	ID  spirv.ID
}

// checkIndex checks the index in row op.C against Program.Indexes[op.X].
func (w *Warp) checkIndex(op *Op, pc int) bool {
	n := uint64(w.P.Indexes[op.X].Len)
	bad := false
	sh := op.Sh & 63
	for _, x := range w.R[op.C : op.C+uint32(w.P.Stride)] {
		if uint64(int64(x<<sh)>>sh) >= n {
			bad = true
		}
	}
	if !bad {
		return true
	}
	for l := w.active.First(); l >= 0; l = w.active.Next(l) {
		at := int64(w.R[int(op.C)+l]<<op.Sh) >> op.Sh
		if uint64(at) < n {
			continue
		}
		f := &Fault{Kind: ArrayIndex, PC: pc, Lanes: oneLane(l), View: int(op.X), Off: at, Size: int64(n)}
		if !w.survives(f) {
			return false
		}
	}
	return true
}
