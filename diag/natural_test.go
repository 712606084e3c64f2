package diag

import (
	"slices"
	"testing"
)

func TestCompareText(t *testing.T) {
	sorted := []string{"", "a", "a[0].x", "a[1]", "a[2].b[10]", "a[2].b[011]", "a[8]", "a[10]", "a[99999999999999999999]", "a[100000000000000000000]", "a_", "b", "b1", "b01"}
	slices.SortFunc(sorted[len(sorted)-2:], compareText)
	for i, a := range sorted {
		for j, b := range sorted {
			if got, want := compareText(a, b), i-j; got*want < 0 || (got == 0) != (want == 0) {
				t.Errorf("%q and %q: %d, want the sign of %d", a, b, got, want)
			}
		}
	}
}

// TestFoldNamesTheSmallestElement folds what one thread does to many elements.
func TestFoldNamesTheSmallestElement(t *testing.T) {
	var all []Finding
	for _, i := range []int64{10, 9, 8, 100} {
		all = append(all, Finding{Code: OutOfBounds, Variable: element("s", i), Accesses: []Access{{Kind: "write", Pos: Pos{File: "k.comp", Line: 3}}}})
	}
	if fs := Fold(all); len(fs) != 1 || fs[0].Variable.String() != "s[8]" || fs[0].Count != 4 {
		t.Errorf("%+v", fs)
	}
}
