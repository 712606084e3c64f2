package program

// AtomicOp is what an atomic instruction does to memory.
type AtomicOp uint8

// The atomic operations.
const (
	AtomicLoad AtomicOp = iota
	AtomicStore
	AtomicExchange
	AtomicCompareExchange // the new value is stored where memory equals the comparator
	AtomicAdd
	AtomicSub
	AtomicSMin
	AtomicUMin
	AtomicSMax
	AtomicUMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicFAdd
	AtomicFMin
	AtomicFMax
)

var atomicNames = [...]string{"load", "store", "exchange", "compare_exchange", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "fadd", "fmin", "fmax"}

func (op AtomicOp) String() string { return atomicNames[op] }

// Reads reports whether the operation's result depends on memory.
func (op AtomicOp) Reads() bool { return op != AtomicStore }

// Writes reports whether the operation may write.
func (op AtomicOp) Writes() bool { return op != AtomicLoad }

// Commutes reports whether any order of several such operations leaves the
// same memory.
func (op AtomicOp) Commutes() bool {
	switch op {
	case AtomicAdd, AtomicSub, AtomicSMin, AtomicUMin, AtomicSMax, AtomicUMax, AtomicAnd, AtomicOr, AtomicXor:
		return true
	}
	return false
}
