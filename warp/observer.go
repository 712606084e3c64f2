package warp

import "ampdbg/program"

// AccessKind says what an access does.
type AccessKind uint8

// The kinds of access.
const (
	Read AccessKind = iota
	Write
	AtomicAccess // an atomic operation, see Access.Op
)

// Access is one memory operation of a warp, shown before it happens. Old
// values are in memory, values to be written in the warp's rows. It is valid
// during the call only.
type Access struct {
	PC    int
	Kind  AccessKind
	Mask  Mask  // lanes that access; for atomics one lane a call, in lane order
	Size  int64 // bytes each lane accesses, contiguous
	Width int   // bytes of one component
	// View and Off say where, by lane: the view and the byte offset in it.
	View []int32
	Off  []int64
	// Value is the first row of the values to write (components in
	// consecutive rows), for Write.
	Value uint32
	// Texel holds the bytes to be written by an image instruction.
	Texel []byte
	// Of an atomic: the operation, memory's value before and after.
	Op       program.AtomicOp
	Old, New uint64
}

// Byte is byte i of what lane l is about to write: of the value that a write
// stores, of a texel, or of what an atomic leaves.
func (a *Access) Byte(w *Warp, l int, i int64) byte {
	switch {
	case a.Kind == AtomicAccess:
		return byte(a.New >> (8 * i))
	case a.Texel != nil:
		return a.Texel[i]
	}
	row := int(a.Value) + int(i)/a.Width*w.P.Stride + l
	return byte(w.R[row] >> (8 * (i % int64(a.Width))))
}

// Observers are who is shown what the warps of a tile do, each nil where nobody
// is. All calls for the warps of one dispatch come from one goroutine, in the
// order of execution.
type Observers struct {
	Memory  MemoryObserver
	Barrier BarrierObserver
	Fence   FenceObserver
}

// MemoryObserver is shown accesses to memory that threads share.
type MemoryObserver interface {
	// Access is called before a memory operation of w. An access is shown if the
	// view of one of its lanes is Seen.
	Access(w *Warp, a *Access)
}

// BarrierObserver is shown barriers.
type BarrierObserver interface {
	// Barrier is called when the active lanes of w reach the OpControlBarrier
	// at pc, whatever its scope.
	Barrier(w *Warp, pc int)
}

// FenceObserver is shown fences.
type FenceObserver interface {
	// Fence is called when the active lanes of w execute the OpMemoryBarrier
	// at pc.
	Fence(w *Warp, pc int)
}
