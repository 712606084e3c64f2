package diag

import "fmt"

// Count gives "1 tile", "2,048 tiles".
func Count[N int | uint32 | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(uint64(n)) + " " + many
}

// thousands gives n in decimal with a comma between groups of three digits.
func thousands(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Triple gives a place in a grid, in a tile or in an image: "(3,0,1)".
func Triple[N uint32 | int64](v [3]N) string { return fmt.Sprintf("(%d,%d,%d)", v[0], v[1], v[2]) }

// Size gives the size of a grid or a tile, without the dimensions at its end
// that are 1: "4x2x8", "4x2", "4".
func Size(v [3]uint32) string {
	switch {
	case v[2] != 1:
		return fmt.Sprintf("%dx%dx%d", v[0], v[1], v[2])
	case v[1] != 1:
		return fmt.Sprintf("%dx%d", v[0], v[1])
	}
	return fmt.Sprint(v[0])
}
