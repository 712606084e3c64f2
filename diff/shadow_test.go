package diff

import (
	"math"
	"testing"

	"ampdbg/diff/bound"
	"ampdbg/launch"
)

// A memory keeps the bounds of doubles, small and large: no less than they
// are, and not much more.
func TestShadowKeepsBounds(t *testing.T) {
	for _, e := range []float64{1, 3, 0.1, 1e-7, 1e-70, 1e-300, 1e70, 1e300, math.Inf(1)} {
		for _, d := range []bound.Domain{bound.Float, bound.Integer} {
			s := newShadow(64)
			s.put(8, 8, bound.Of(e, d), 0)
			if v := s.get(8, 8); !(v.Err >= e) || v.Err > e*(1+1e-6) || v.Domain != d {
				t.Errorf("%g (%d) is kept as %g (%d)", e, d, v.Err, v.Domain)
			}
			if v := s.get(16, 8); v.Err != 0 {
				t.Errorf("behind it: %g", v.Err)
			}
			s.put(8, 8, bound.Value{}, 0)
			if v := s.get(8, 8); v.Err != 0 {
				t.Errorf("exact again: %g", v.Err)
			}
		}
	}
}

// A bound beyond the largest float lets nothing pass: the number is undecided.
func TestBoundBeyondAllNumbers(t *testing.T) {
	kind, _ := launch.LookupScalar("float")
	for size, want := range map[float64]bool{1e60: true, 1e30: false} {
		s := newShadow(4)
		s.put(0, 4, bound.Of(size, bound.Float), 0)
		j := &judge{bounds: &bounds{memory: map[any]*shadow{1: s}}, key: 1, data: make([]byte, 4)}
		e := Element{Size: 4, Beyond: true}
		j.decide(&e, number{at: launch.Scalar{Kind: kind}, class: float, width: 32}, f32(1), f32(2))
		if undecided := e.Unsure != ""; undecided != want || e.Beyond {
			t.Errorf("bound %g: undecided %v, beyond %v", size, undecided, e.Beyond)
		}
	}
}

// A bound that overflows in memory has the line of what wrote it.
func TestOverflowInMemoryHasAPlace(t *testing.T) {
	s := newShadow(16)
	s.put(8, 4, bound.Of(math.Inf(1), bound.Float), 41)
	if v := s.get(8, 4); !math.IsInf(v.Err, 1) || v.Why != 42 {
		t.Errorf("got %+v, want an infinite bound because of operation 41", v)
	}
	s.put(8, 4, bound.Unbounded(7), 41)
	if v := s.get(8, 4); v.Why != 8 {
		t.Errorf("got %+v, want the reason that it had", v)
	}
}
