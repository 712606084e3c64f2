package diff

import (
	"math"

	"ampdbg/diff/bound"
)

// shadow holds the bounds of what a memory holds, one for each two bytes, in
// pages that exist where something is not exact.
type shadow struct {
	pages []*shadowPage
	// anywhere is 1 + the place of a write that may go to another place; from
	// then on nothing is known of the memory. 0 if there is none.
	anywhere int32
	reasons  map[int64]int32 // Value.Why of bounds, by byte
	sums     map[int64]*atomicSum
	largest  float64
	inexact  bool // some bound has not been 0
}

// atomicSum is what atomics have added to a float.
type atomicSum struct {
	values []bound.Value // that of memory before, then the sum of all others
	terms  []float64
	n      int
}

const (
	shadowPageBytes = 4096
	shadowSlot      = 2
)

type shadowPage [shadowPageBytes / shadowSlot]kept

// kept is a bound as a shadow keeps it: the upper half of a float of 64 bits,
// rounded up, so that bounds of doubles have their range. The sign says that it
// is of an integer. 0 is exact.
type kept uint32

const keptInteger kept = 1 << 31

func keep(v bound.Value) kept {
	bits := math.Float64bits(v.Err)
	k := kept(bits >> 32)
	if uint32(bits) != 0 {
		k++
	}
	if k != 0 && v.Domain == bound.Integer {
		k |= keptInteger
	}
	return k
}

// size orders bounds.
func (k kept) size() kept { return k &^ keptInteger }

func (k kept) value() bound.Value {
	d := bound.Float
	if k&keptInteger != 0 {
		d = bound.Integer
	}
	return bound.Of(math.Float64frombits(uint64(k.size())<<32), d)
}

func newShadow(size int64) *shadow {
	return &shadow{pages: make([]*shadowPage, (size+shadowPageBytes-1)/shadowPageBytes)}
}

// get is the value of size bytes at an offset.
func (s *shadow) get(off, size int64) bound.Value {
	if s.anywhere != 0 {
		return bound.Unbounded(s.anywhere - 1)
	}
	if !s.inexact {
		return bound.Value{}
	}
	var v bound.Value
	for at := off &^ (shadowSlot - 1); at < off+size; at += shadowSlot {
		p := s.pages[at/shadowPageBytes]
		if p == nil {
			continue
		}
		e := p[at%shadowPageBytes/shadowSlot]
		if e == 0 {
			continue
		}
		x := e.value()
		x.Why = s.reasons[at]
		switch {
		case v.Err == 0:
			v = x
		case v.Domain != x.Domain:
			v.Err = math.Inf(1)
		case x.Err > v.Err:
			v = x
		}
	}
	return v
}

// put sets the value of size bytes at an offset, by the operation at pc.
func (s *shadow) put(off, size int64, v bound.Value, pc int) {
	v = v.At(int32(pc))
	if v.Err == 0 && !s.inexact {
		return
	}
	e := keep(v)
	if v.Err > 0 {
		s.inexact = true
		s.largest = max(s.largest, v.Err)
	}
	for at := off &^ (shadowSlot - 1); at < off+size; at += shadowSlot {
		p := s.pages[at/shadowPageBytes]
		if p == nil {
			if e == 0 {
				continue
			}
			p = new(shadowPage)
			s.pages[at/shadowPageBytes] = p
		}
		slot := &p[at%shadowPageBytes/shadowSlot]
		if whole := at >= off && at+shadowSlot <= off+size; whole || e.size() > slot.size() {
			*slot = e
			if v.Why != 0 {
				if s.reasons == nil {
					s.reasons = map[int64]int32{}
				}
				s.reasons[at] = v.Why
			} else if s.reasons != nil {
				delete(s.reasons, at)
			}
		}
	}
	if s.sums != nil {
		delete(s.sums, off)
	}
}

// add notes that the float atomic at pc adds x to old, which makes now.
func (s *shadow) add(f *bound.Format, off, size int64, old, x, now float64, v bound.Value, pc int) {
	a := s.sums[off]
	if a == nil {
		a = &atomicSum{values: []bound.Value{s.get(off, size)}, terms: []float64{old}}
	}
	a.values, a.terms = append(a.values, v), append(a.terms, x)
	if a.n++; len(a.values) == 3 {
		// The sum of all terms but memory's own has a bound, a magnitude and a
		// number, which is all that counts.
		a.values, a.terms = []bound.Value{a.values[0], f.Joined(&a.values[1], &a.values[2], a.terms[1], a.terms[2])}, []float64{a.terms[0], math.Abs(a.terms[1]) + math.Abs(a.terms[2])}
	}
	s.put(off, size, f.AnyOrder(a.values, a.terms, a.n+1, now), pc)
	if s.sums == nil {
		s.sums = map[int64]*atomicSum{}
	}
	s.sums[off] = a
}
