package tilemem

// pointer is an address as kernels see it: view<<40 | Bias+offset. 0 is null.
type pointer = uint64

const (
	// offsetBits is the width of a pointer's offset part.
	offsetBits = 40
	// Bias is the offset part of a pointer to a view's first byte. It is in
	// the middle of the range, so that an offset below 0 does not borrow from
	// the view number.
	Bias = 1 << (offsetBits - 1)
	// MaxViews is the number of views that pointers can tell apart.
	MaxViews = 1 << (64 - offsetBits)
	// MaxSize is the largest view in bytes.
	MaxSize = Bias
)

// Point makes the pointer to byte off of view v. View 0 is reserved for null.
func Point(v int, off int64) pointer {
	return uint64(v)<<offsetBits + Bias + uint64(off)
}

// Split takes a pointer apart.
func Split(p pointer) (view int, off int64) {
	return int(p >> offsetBits), int64(p&(1<<offsetBits-1)) - Bias
}
