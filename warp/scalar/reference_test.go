package scalar

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"ampdbg/program"
)

// The reference: numbers as exact fractions, rounded by integer division.

type ieee struct {
	width, fraction uint // bits in all, bits of the stored fraction
	bias            int
}

var ieeeFormats = map[uint8]ieee{
	16: {16, 10, 15},
	32: {32, 23, 127},
	64: {64, 52, 1023},
}

// number is a decoded operand: NaN, an infinity, or an exact fraction; negative
// matters for zeros and infinities.
type number struct {
	nan, inf, negative bool
	rat                *big.Rat
}

func (f ieee) infinity() uint64 { return (1<<(f.width-1-f.fraction) - 1) << f.fraction }
func (f ieee) sign() uint64     { return 1 << (f.width - 1) }
func (f ieee) nan() uint64      { return f.infinity() | 1<<(f.fraction-1) }

func (f ieee) decode(a uint64) number {
	n := number{negative: a&f.sign() != 0}
	a &^= f.sign()
	switch {
	case a > f.infinity():
		n.nan = true
		return n
	case a == f.infinity():
		n.inf = true
		return n
	}
	exp, frac := int(a>>f.fraction), int64(a&(1<<f.fraction-1))
	if exp != 0 {
		frac |= 1 << f.fraction
	} else {
		exp = 1
	}
	n.rat = scaled(big.NewInt(frac), exp-f.bias-int(f.fraction))
	if n.negative {
		n.rat.Neg(n.rat)
	}
	return n
}

// scaled is m·2^e.
func scaled(m *big.Int, e int) *big.Rat {
	if e >= 0 {
		return new(big.Rat).SetInt(new(big.Int).Lsh(m, uint(e)))
	}
	return new(big.Rat).SetFrac(m, new(big.Int).Lsh(big.NewInt(1), uint(-e)))
}

// encode rounds x; negative is the sign of a zero.
func (f ieee) encode(x *big.Rat, negative, rtz bool) uint64 {
	if x.Sign() != 0 {
		negative = x.Sign() < 0
	}
	var sign uint64
	if negative {
		sign = f.sign()
	}
	if x.Sign() == 0 {
		return sign
	}
	num, den := new(big.Int).Abs(x.Num()), x.Denom()
	e := num.BitLen() - den.BitLen() // floor(log2) or one more
	if new(big.Rat).Abs(x).Cmp(scaled(big.NewInt(1), e)) < 0 {
		e--
	}
	last := max(e, 1-f.bias) - int(f.fraction)
	if last >= 0 {
		den = new(big.Int).Lsh(den, uint(last))
	} else {
		num.Lsh(num, uint(-last))
	}
	q, r := new(big.Int).QuoRem(num, den, new(big.Int))
	if !rtz {
		if c := r.Lsh(r, 1).Cmp(den); c > 0 || c == 0 && q.Bit(0) == 1 {
			q.Add(q, big.NewInt(1))
		}
	}
	// The fraction's carry runs into the exponent.
	m := q.Uint64()
	exp := last + int(f.fraction) + f.bias // biased, as of the implicit bit
	b := m
	if m >= 1<<f.fraction {
		if exp > 3*f.bias {
			exp = 3 * f.bias
		}
		b = m - 1<<f.fraction + uint64(exp)<<f.fraction
	}
	if b >= f.infinity() {
		b = f.infinity()
		if rtz {
			b--
		}
	}
	return sign | b
}

func (f ieee) isDenormal(a uint64) bool {
	a &^= f.sign()
	return a != 0 && a < 1<<f.fraction
}

func (f ieee) flush(a uint64, m program.Mode) uint64 {
	if m.FlushDenorms && f.isDenormal(a) {
		return a & f.sign()
	}
	return a
}

// edges are operands where something special happens.
func (f ieee) edges() []uint64 {
	one := uint64(f.bias) << f.fraction
	least, inf := uint64(1)<<f.fraction, f.infinity()
	positive := []uint64{
		0, 1, 2, 3, least - 1, least, least + 1, least << 1,
		one - 1, one, one + 1, one + least, one + least + 1, one - least, one + 1<<(f.fraction-1),
		one + (uint64(f.fraction)+1)<<f.fraction, one - (uint64(f.fraction)+2)<<f.fraction,
		one + uint64(f.fraction)<<f.fraction + 1,
		inf - 1, inf - 2, inf - least, inf, inf | 1, f.nan(), f.nan() | 5,
	}
	all := positive
	for _, a := range positive {
		all = append(all, a|f.sign())
	}
	return all
}

// random is an operand of any bits, or one near the exponents of 1 so that
// operations on two of them round in interesting ways.
func (f ieee) random(r *rand.Rand) uint64 {
	a := r.Uint64() & (f.sign()<<1 - 1)
	switch r.IntN(4) {
	case 0:
		exp := uint64(f.bias + r.IntN(9) - 4)
		return a&f.sign() | exp<<f.fraction | a&(1<<f.fraction-1)
	case 1: // few bits: ties
		return a &^ (1<<(f.fraction/2+uint(r.IntN(int(f.fraction/2)))) - 1)
	case 2: // near the least normal number
		return a & (f.sign() | 1<<(f.fraction+2) - 1)
	}
	return a
}

var allModes = []program.Mode{{}, {RTZ: true}, {FlushDenorms: true}, {RTZ: true, FlushDenorms: true}}

func floatKind(width uint8) program.Kind { return program.Kind{Float: true, Width: width} }
func intKind(width uint8) program.Kind   { return program.Kind{Width: width} }

var (
	boolKind    = program.Kind{Width: 1}
	floatWidths = []uint8{16, 32, 64}
	intWidths   = []uint8{8, 16, 32, 64}
)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// check fails the test unless got is want, stopping after too many failures.
func check(t *testing.T, got, want uint64, what string, args ...any) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %#x, want %#x", fmt.Sprintf(what, args...), got, want)
	}
}

func TestReferenceRoundTrips(t *testing.T) {
	for _, w := range floatWidths {
		f := ieeeFormats[w]
		for _, a := range f.edges() {
			if n := f.decode(a); n.rat != nil {
				check(t, f.encode(n.rat, n.negative, false), a, "width %d", w)
				check(t, f.encode(n.rat, n.negative, true), a, "width %d toward zero", w)
			}
		}
	}
}
