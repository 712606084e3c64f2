package scalar

// Func1 is an operation on one scalar.
type Func1 func(a uint64) uint64

// Func2 is an operation on two scalars.
type Func2 func(a, b uint64) uint64

// Func3 is an operation on three scalars.
type Func3 func(a, b, c uint64) uint64

// Func4 is an operation on four scalars.
type Func4 func(a, b, c, d uint64) uint64

// The NaN that every computed NaN is.
const (
	NaN16 = 0x7e00
	NaN32 = 0x7fc00000
	NaN64 = 0x7ff8000000000000
)

// mask has the low width bits set; width is 1 to 64.
func mask(width uint8) uint64 { return ^uint64(0) >> (64 - width) }

// signExtend reads the low width bits of a as a two's complement number.
func signExtend(a uint64, width uint8) int64 {
	s := 64 - width
	return int64(a<<s) >> s
}

// minSigned is the smallest two's complement number of the width.
func minSigned(width uint8) int64 { return -1 << (width - 1) }

// maxSigned is the largest two's complement number of the width.
func maxSigned(width uint8) int64 { return 1<<(width-1) - 1 }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
