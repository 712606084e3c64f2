package warp

// FaultKind says what a kernel did wrong.
type FaultKind uint8

// The kinds of fault.
const (
	OutOfBounds         FaultKind = iota + 1 // an access outside its view
	NullPointer                              // an access through a null pointer
	DanglingPointer                          // an access through a pointer into no view
	Misaligned                               // an atomic, or an access with an Aligned operand, off its alignment
	ReadOnly                                 // a write to memory that only allows reads
	VarIndex                                 // an index outside a Function or Private variable
	DescriptorIndex                          // an index outside an array of descriptors
	UnreachableExecuted                      // OpUnreachable was reached
	ImageBounds                              // texel coordinates outside an image
	BadDescriptor                            // an image or sampler operation on a descriptor that is not bound
	ArrayIndex                               // an index outside of an array that lies inside a larger object
)

// Fault is a fault of the kernel: the operation, the lanes that were about to
// do it, and where they pointed.
type Fault struct {
	Kind  FaultKind
	PC    int
	Lanes Mask // lanes for which it holds; First() is the one described below
	View  int
	Off   int64 // byte offset in the view, row index for VarIndex, element for DescriptorIndex
	Size  int64 // bytes
	Write bool
	Coord [4]int64 // ImageBounds
}
