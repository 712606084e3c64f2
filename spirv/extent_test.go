package spirv_test

import (
	"testing"

	"ampdbg/spirv"
)

func TestExtent(t *testing.T) {
	for _, e := range []spirv.Extent{{1, 1, 1}, {7, 1, 1}, {1, 5, 1}, {1, 1, 3}, {4, 3, 2}} {
		seen := map[[3]uint32]bool{}
		for i := range e.Count() {
			at := e.At(i)
			if !e.Holds(at) || seen[at] || e.Index(at) != i {
				t.Errorf("%v: number %d is at %v, which is number %d", e, i, at, e.Index(at))
			}
			seen[at] = true
		}
		if e.Holds(e.At(e.Count())) {
			t.Errorf("%v holds %v", e, e.At(e.Count()))
		}
	}
	if at := (spirv.Extent{4, 3, 2}).At(5); at != [3]uint32{1, 1, 0} {
		t.Errorf("number 5 of 4x3x2 is at %v", at)
	}
	large := spirv.Extent{1 << 31, 1 << 16, 1 << 15}
	if at := [3]uint32{1<<31 - 1, 1<<16 - 1, 1<<15 - 1}; large.At(large.Index(at)) != at || large.Index(at) != large.Count()-1 {
		t.Errorf("the last of %v is at %v", large, large.At(large.Count()-1))
	}
	if at := (spirv.Extent{0, 0, 5}).At(3); at != [3]uint32{0, 0, 3} {
		t.Errorf("got %v", at)
	}
}
