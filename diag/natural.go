package diag

import (
	"cmp"
	"strings"
)

// compareText orders texts as people do: runs of digits by their number, so
// that "s[8]" comes before "s[10]", and the rest byte by byte.
func compareText(a, b string) int {
	whole := cmp.Compare(a, b)
	for a != "" && b != "" {
		x, restA := digits(a)
		y, restB := digits(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
			return c
		}
		a, b = restA, restB
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), whole)
}

// digits is the run of digits that s begins with, and the rest.
func digits(s string) (run, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}
