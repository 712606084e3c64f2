package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wrap breaks s at white space into lines of at most width columns. What
// belongs together stays together: what brackets or quotes enclose, as long as
// it is not too long for that, and a number and the word before it ("line 14").
// A part that is longer than a line stays whole. The first line starts with
// first, the others with rest.
func Wrap(s string, width int, first, rest string) string {
	var b strings.Builder
	b.WriteString(first)
	col, start := utf8.RuneCountInString(first), true
	for _, part := range parts(strings.Fields(s)) {
		n := utf8.RuneCountInString(part)
		switch {
		case start:
		case col+1+n > width:
			b.WriteString("\n" + rest)
			col = utf8.RuneCountInString(rest)
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(part)
		col, start = col+n, false
	}
	return b.String()
}

// maxPart is how many columns words take at most that are kept together.
const maxPart = 40

// parts joins the words between which no line may end.
func parts(words []string) []string {
	var out []string
	for i := 0; i < len(words); {
		part := words[i]
		i++
		if n := enclosed(words[i-1:]); n > 1 {
			part = strings.Join(words[i-1:i-1+n], " ")
			i += n - 1
		}
		if i < len(words) && isLabel(part) && isNumber(words[i]) {
			part += " " + words[i]
			i++
		}
		out = append(out, part)
	}
	return out
}

// enclosed is how many of the words from the first on belong to what a bracket
// or quote in the first opens; 1 if that is nothing, or too long.
func enclosed(words []string) int {
	var open []rune
	length := 0
	for i, w := range words {
		if length += utf8.RuneCountInString(w) + 1; length > maxPart+1 {
			return 1
		}
		for _, r := range w {
			last := len(open) - 1
			switch {
			case last >= 0 && r == open[last]:
				open = open[:last]
			case last >= 0 && open[last] == '"':
				// Brackets in quotes are text.
			case r == '(':
				open = append(open, ')')
			case r == '[':
				open = append(open, ']')
			case r == '"':
				open = append(open, '"')
			}
		}
		if len(open) == 0 {
			return i + 1
		}
	}
	return 1
}

// isLabel reports whether a word may name the number after it.
func isLabel(w string) bool {
	for _, r := range w {
		if !unicode.IsLetter(r) && r != '(' {
			return false
		}
	}
	return true
}

func isNumber(w string) bool {
	w = strings.TrimLeft(w, "-(")
	return w != "" && w[0] >= '0' && w[0] <= '9'
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
