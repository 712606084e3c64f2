package emu

import (
	"math/bits"
	"math/rand/v2"
)

// order is the order in which tiles start: the i-th is first + i*step modulo
// total, where step and total have no common divisor. The canonical order and
// its reverse are such, and so are as many others as seeds need, at no memory.
type order struct {
	total, first, step uint64
}

// newOrder is the order for a seed; rng is what the seed gives, nil for the
// canonical order and its reverse.
func newOrder(total, seed uint64, rng *rand.Rand) order {
	switch {
	case total < 2 || seed == 0:
		return order{max(total, 1), 0, 1}
	case seed == ReverseSeed:
		return order{total, total - 1, total - 1}
	}
	o := order{total, rng.Uint64N(total), 1 + rng.Uint64N(total-1)}
	for gcd(o.step, total) != 1 {
		o.step = 1 + rng.Uint64N(total-1)
	}
	return o
}

// at is the tile that starts in the turn of the i-th.
func (o order) at(i uint64) uint64 {
	return (o.times(i, o.step) + o.first) % o.total
}

// turn is the inverse of at.
func (o order) turn(tile uint64) uint64 {
	back := tile + o.total - o.first
	// Euclid's algorithm gives the number whose product with step is 1.
	a, b, x, y := o.step%o.total, o.total, uint64(1), uint64(0)
	for a > 1 {
		q := b / a
		a, b, x, y = b-q*a, a, (y+o.total-o.times(q, x))%o.total, x
	}
	return o.times(back%o.total, x)
}

// times is a*b modulo total.
func (o order) times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return bits.Rem64(hi, lo, o.total)
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
