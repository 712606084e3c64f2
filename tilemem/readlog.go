package tilemem

// ReadLog takes down reads of 32-bit words for an observer that wants to look
// at them later, all at once, if at all: while it is open, a warp whose lanes
// all read through a view that has it notes where, and does not call its
// observer.
type ReadLog struct {
	Open  bool
	Heads []ReadHead
	Offs  []int32 // for each head, the byte offset in the view that each lane reads
}

// ReadHead is one read instruction of a warp.
type ReadHead struct {
	PC, Warp int32
	View     int32
}

// maxReads bounds the offsets in a log, to 128 KiB; views that have logs are
// smaller than 2 GiB.
const maxReads = 1 << 15

// Note makes room for the offsets of one more read by n lanes. It returns nil
// if the log is closed or full.
func (g *ReadLog) Note(pc, warp, view int32, n int) []int32 {
	at := len(g.Offs)
	if !g.Open || at+n > maxReads {
		return nil
	}
	if g.Offs == nil {
		g.Offs = make([]int32, 0, maxReads)
	}
	g.Heads = append(g.Heads, ReadHead{pc, warp, view})
	g.Offs = g.Offs[:at+n]
	return g.Offs[at : at+n : at+n]
}

// Undo takes the latest Note back.
func (g *ReadLog) Undo(n int) {
	g.Heads = g.Heads[:len(g.Heads)-1]
	g.Offs = g.Offs[:len(g.Offs)-n]
}

// Reset empties the log.
func (g *ReadLog) Reset() { g.Heads, g.Offs = g.Heads[:0], g.Offs[:0] }
