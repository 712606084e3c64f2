// Package half converts IEEE 754 binary16 numbers, which Go has no type for.
package half

import "math"

// ToFloat widens a binary16 number exactly. A NaN keeps its sign and payload.
func ToFloat(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 0x1f
	frac := uint32(h & 0x3ff)
	switch exp {
	case 0:
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*0x1p-24))
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// FromFloat narrows to binary16, to nearest even or, with rtz, toward zero. A
// NaN is made quiet and keeps its sign and the high bits of its payload.
func FromFloat(x float32, rtz bool) uint16 { return FromDouble(float64(x), rtz) }

// FromDouble narrows to binary16 with a single rounding, to nearest even or,
// with rtz, toward zero. A NaN is made quiet and keeps its sign and the high bits
// of its payload.
func FromDouble(x float64, rtz bool) uint16 {
	const (
		infinity  = 0x7ff << 52
		overflow  = (1023 + 16) << 52 // 65536
		minNormal = (1023 - 14) << 52
		narrower  = 52 - 10 // fraction bits lost
	)
	b := math.Float64bits(x)
	sign := uint16(b>>48) & 0x8000
	b &^= 1 << 63
	switch {
	case b > infinity:
		return sign | 0x7e00 | uint16(b>>narrower)&0x3ff
	case b == infinity:
		return sign | 0x7c00
	case b >= overflow:
		if rtz {
			return sign | 0x7bff
		}
		return sign | 0x7c00
	case b >= minNormal:
		return sign | uint16(shiftRound(b, narrower, rtz)-(1023-15)<<10)
	}
	// Denormal: count units of 2^-24. Less than 2^-25 is less than half a unit.
	exp := b >> 52
	if exp < 1023-25 {
		return sign
	}
	return sign | uint16(shiftRound(b&(1<<52-1)|1<<52, uint(1051-exp), rtz))
}

// shiftRound gives v >> n rounded to nearest even or, with rtz, down; n is 1 to 63.
func shiftRound(v uint64, n uint, rtz bool) uint64 {
	q := v >> n
	if rtz {
		return q
	}
	rest, half := v&(1<<n-1), uint64(1)<<(n-1)
	if rest > half || rest == half && q&1 != 0 {
		q++
	}
	return q
}
