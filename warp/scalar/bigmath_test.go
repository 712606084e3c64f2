package scalar

import (
	"math"
	"math/big"
	"sync"
)

// Elementary functions to some 400 bits, by series. Only precision matters here.

const bigPrec = 640

func bf(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

func badd(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Add(x, y) }
func bsub(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Sub(x, y) }
func bmul(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Mul(x, y) }
func bquo(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(bigPrec).Quo(x, y) }
func bsqrt(x *big.Float) *big.Float   { return new(big.Float).SetPrec(bigPrec).Sqrt(x) }

// small says that a term of a series no longer matters beside the sum.
func small(term, sum *big.Float) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-bigPrec
}

// bexp is e^x: the Taylor series of x/2^k, squared k times.
func bexp(x *big.Float) *big.Float {
	k := max(0, x.MantExp(nil)) + 16
	r := new(big.Float).SetPrec(bigPrec).SetMantExp(x, -k)
	sum, term := bf(1), bf(1)
	for i := 1.0; ; i++ {
		term = bquo(bmul(term, r), bf(i))
		if small(term, sum) {
			break
		}
		sum = badd(sum, term)
	}
	for range k {
		sum = bmul(sum, sum)
	}
	return sum
}

// bln is the natural logarithm of x by Halley's iteration.
func bln(x *big.Float) *big.Float {
	m := new(big.Float)
	e := x.MantExp(m)
	f, _ := m.Float64()
	y := bf(math.Log(f) + float64(e)*math.Ln2)
	for range 3 {
		p := bexp(y)
		d := bquo(bsub(x, p), badd(x, p))
		y = badd(y, badd(d, d))
	}
	return y
}

// batan is the arctangent of x: the series after halving the angle 8 times.
func batan(x *big.Float) *big.Float {
	for range 8 {
		x = bquo(x, badd(bf(1), bsqrt(badd(bf(1), bmul(x, x)))))
	}
	square, power, sum := bmul(x, x), x, x
	for i := 3.0; ; i += 2 {
		power = bmul(power, square)
		power = new(big.Float).Neg(power)
		term := bquo(power, bf(i))
		if small(term, sum) {
			break
		}
		sum = badd(sum, term)
	}
	return bmul(sum, bf(256))
}

var bpi = sync.OnceValue(func() *big.Float { return bmul(bf(4), batan(bf(1))) })

// bsin is the sine of x: the series after reduction to [−π, π].
func bsin(x *big.Float) *big.Float {
	turn := bmul(bf(2), bpi())
	turns, _ := badd(bquo(x, turn), bf(0.5)).Int(nil)
	r := bsub(x, bmul(turn, new(big.Float).SetPrec(bigPrec).SetInt(turns)))
	square, term, sum := bmul(r, r), r, r
	for i := 2.0; ; i += 2 {
		term = bquo(bmul(term, square), bf(i*(i+1)))
		term = new(big.Float).Neg(term)
		if small(term, sum) {
			return sum
		}
		sum = badd(sum, term)
	}
}

func bcos(x *big.Float) *big.Float { return bsin(badd(x, bquo(bpi(), bf(2)))) }

func basin(x *big.Float) *big.Float {
	c := bsqrt(bsub(bf(1), bmul(x, x)))
	if c.Sign() == 0 {
		return bmul(bquo(bpi(), bf(2)), x)
	}
	return batan(bquo(x, c))
}

func bsinh(x *big.Float) *big.Float {
	p := bexp(x)
	return bquo(bsub(p, bquo(bf(1), p)), bf(2))
}

func bcosh(x *big.Float) *big.Float {
	p := bexp(x)
	return bquo(badd(p, bquo(bf(1), p)), bf(2))
}
