package diff

import (
	"math"

	"ampdbg/launch"
)

// ordinal maps the bits of a float of some width to integers such that
// neighbouring numbers have neighbouring integers; both zeros have 0.
func ordinal(bits uint64, width int) int64 {
	sign := uint64(1) << (width - 1)
	if bits&sign != 0 {
		return -int64(bits &^ sign)
	}
	return int64(bits)
}

// ulPs is the number of steps from one float to another, through all numbers
// between them; 0 from one zero to the other. ok is false if one is a NaN.
func ulPs(a, b uint64, width int) (n uint64, ok bool) {
	if isNaN(a, width) || isNaN(b, width) {
		return 0, false
	}
	return distance(ordinal(a, width), ordinal(b, width)), true
}

func exponentMask(width int) uint64 {
	switch width {
	case 16:
		return 0x7c00
	case 32:
		return 0x7f800000
	}
	return 0x7ff0000000000000
}

func isNaN(bits uint64, width int) bool {
	m := exponentMask(width)
	return bits&(uint64(1)<<(width-1)-1) > m
}

// isDenormal reports whether a float is a denormal number or a zero.
func isDenormal(bits uint64, width int) bool { return bits&exponentMask(width) == 0 }

// equals reports whether two floats may stand for each other: equal numbers,
// or both no number.
func equals(a, b uint64, width int) bool {
	n, ok := ulPs(a, b, width)
	return ok && n == 0 || isNaN(a, width) && isNaN(b, width)
}

// allows reports whether a tolerance lets two floats pass.
func (t Tolerance) allows(s launch.Scalar, a, b uint64) bool {
	w := s.Kind.Bits()
	if equals(a, b, w) {
		return true
	}
	if isNaN(a, w) || isNaN(b, w) {
		return false
	}
	if t.Flush && isDenormal(a, w) && isDenormal(b, w) {
		return true
	}
	x, y := s.Float(a), s.Float(b)
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return false
	}
	n, _ := ulPs(a, b, w)
	d := math.Abs(x - y)
	return float64(n) <= t.ULP || d <= t.Abs || d <= t.Rel*max(math.Abs(x), math.Abs(y))
}
