package diag

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks s at white space into lines of at most width columns; a longer
// word stays whole. The first line starts with first, the others with rest.
func Wrap(s string, width int, first, rest string) string {
	var b strings.Builder
	b.WriteString(first)
	col, start := utf8.RuneCountInString(first), true
	for _, word := range strings.Fields(s) {
		n := utf8.RuneCountInString(word)
		switch {
		case start:
		case col+1+n > width:
			b.WriteString("\n" + rest)
			col = utf8.RuneCountInString(rest)
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(word)
		col, start = col+n, false
	}
	return b.String()
}

// indent puts prefix before every line of s that is not empty.
func indent(s, prefix string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = prefix + line
		}
	}
	return strings.Join(lines, "\n")
}
