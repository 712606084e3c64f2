package tilemem

// ReadLog takes down reads of 32-bit words for an observer that wants to look
// at them later, all at once, if at all: while it is open, a warp whose lanes
// all read through a view that has it notes where, and does not call its
// observer.
type ReadLog struct {
	Open  bool
	Heads []ReadHead
	Offs  []int32
}

// ReadHead is one read instruction of a warp. Lane l reads at byte Off + l*Step
// of the view, or, if Step is Scattered, at byte Offs[Off+l].
type ReadHead struct {
	PC, Warp  int32
	View      int32
	Off, Step int32
}

// Scattered is the Step of lanes that read at offsets of their own.
const Scattered = -1

// maxReads bounds the instructions and the offsets in a log; views that have
// logs are smaller than 2 GiB.
const maxReads = 1 << 15

// Note makes room for the offsets of one more read by n lanes. It returns nil
// if the log is closed or full.
func (g *ReadLog) Note(pc, warp, view int32, n int) []int32 {
	at := len(g.Offs)
	if !g.Room(1) || at+n > maxReads {
		return nil
	}
	if g.Offs == nil {
		g.Offs = make([]int32, 0, maxReads)
	}
	g.Heads = append(g.Heads, ReadHead{pc, warp, view, int32(at), Scattered})
	g.Offs = g.Offs[:at+n]
	return g.Offs[at : at+n : at+n]
}

// Undo takes the latest Note back.
func (g *ReadLog) Undo(n int) {
	g.Heads = g.Heads[:len(g.Heads)-1]
	g.Offs = g.Offs[:len(g.Offs)-n]
}

// Room reports whether n more reads can be noted.
func (g *ReadLog) Room(n int) bool { return g.Open && len(g.Heads)+n <= maxReads }

// NoteRun notes a read of lanes step bytes apart, for which there is Room.
func (g *ReadLog) NoteRun(pc, warp, view, off, step int32) {
	n := len(g.Heads)
	if n == cap(g.Heads) {
		g.Heads = append(g.Heads, ReadHead{})
	}
	g.Heads = g.Heads[:n+1]
	h := &g.Heads[n]
	h.PC, h.Warp, h.View, h.Off, h.Step = pc, warp, view, off, step
}

// Reset empties the log.
func (g *ReadLog) Reset() { g.Heads, g.Offs = g.Heads[:0], g.Offs[:0] }
