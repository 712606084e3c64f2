package warp

import (
	"fmt"
	"math/bits"
	"strings"
)

// MaxLanes is the largest warp width.
const MaxLanes = 128

// Mask is a set of lanes.
type Mask [MaxLanes / 64]uint64

// FirstLanes is the mask of lanes 0 to n-1.
func FirstLanes(n int) Mask {
	var m Mask
	for i := range m {
		switch {
		case n >= 64:
			m[i] = ^uint64(0)
			n -= 64
		case n > 0:
			m[i] = 1<<n - 1
			n = 0
		}
	}
	return m
}

// IsZero reports whether no lane is in m.
func (m Mask) IsZero() bool { return m[0]|m[1] == 0 }

// Has reports whether lane l is in m.
func (m Mask) Has(l int) bool { return m[l>>6]>>(l&63)&1 != 0 }

// Set adds lane l.
func (m *Mask) Set(l int) { m[l>>6] |= 1 << (l & 63) }

// And is the intersection.
func (m Mask) And(o Mask) Mask { return Mask{m[0] & o[0], m[1] & o[1]} }

// Or is the union.
func (m Mask) Or(o Mask) Mask { return Mask{m[0] | o[0], m[1] | o[1]} }

// AndNot is m without the lanes of o.
func (m Mask) AndNot(o Mask) Mask { return Mask{m[0] &^ o[0], m[1] &^ o[1]} }

// Count is the number of lanes.
func (m Mask) Count() int { return bits.OnesCount64(m[0]) + bits.OnesCount64(m[1]) }

// First is the lowest lane, -1 if there is none.
func (m Mask) First() int {
	if m[0] != 0 {
		return bits.TrailingZeros64(m[0])
	}
	if m[1] != 0 {
		return 64 + bits.TrailingZeros64(m[1])
	}
	return -1
}

// Next is the lowest lane above l, -1 if there is none. Iterate with
//
//	for l := m.First(); l >= 0; l = m.Next(l) { ... }
func (m Mask) Next(l int) int {
	l++
	if l < 64 {
		if r := m[0] >> l; r != 0 {
			return l + bits.TrailingZeros64(r)
		}
		l = 64
	}
	if l < MaxLanes {
		if r := m[1] >> (l - 64); r != 0 {
			return l + bits.TrailingZeros64(r)
		}
	}
	return -1
}

// last is the highest lane, -1 if there is none.
func (m Mask) last() int {
	if m[1] != 0 {
		return 127 - bits.LeadingZeros64(m[1])
	}
	return 63 - bits.LeadingZeros64(m[0])
}

// String lists the lanes as ranges: "0-2,5".
func (m Mask) String() string {
	var b strings.Builder
	for l := m.First(); l >= 0; {
		end := l
		for end+1 < MaxLanes && m.Has(end+1) {
			end++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		if end == l {
			fmt.Fprint(&b, l)
		} else {
			fmt.Fprintf(&b, "%d-%d", l, end)
		}
		l = m.Next(end)
	}
	return b.String()
}
