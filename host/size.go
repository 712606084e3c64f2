package host

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ParseSize reads a number of bytes: 4096, 512KiB, 64MiB, 2GiB, or with K, M,
// G and T for the same.
func ParseSize(s string) (int64, error) {
	bad := errors.New("expected a size such as 512MiB or 4GiB")
	text, shift := strings.TrimSpace(s), 0
	for i, letter := range []string{"K", "M", "G", "T"} {
		for _, suffix := range []string{letter + "iB", letter + "B", letter} {
			if rest, ok := strings.CutSuffix(text, suffix); ok && shift == 0 {
				text, shift = rest, 10*(i+1)
			}
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if n *= float64(int64(1) << shift); err != nil || !(n >= 1 && n < math.MaxInt64) {
		return 0, bad
	}
	return int64(n), nil
}
