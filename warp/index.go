package warp

import "ampdbg/program"

// checkIndex checks the index in row op.C against Program.Indexes[op.X].
func (w *Warp) checkIndex(op *program.Op, pc int) bool {
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
