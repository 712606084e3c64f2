package repl

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ampdbg/diag"
)

// textTable is a table whose columns are as wide as their cells. Columns of
// numbers are set flush right.
type textTable struct {
	head []string
	rows [][]string
}

func newTable(head ...string) *textTable { return &textTable{head: head} }

func (t *textTable) row(cells ...string) {
	for i := range cells {
		cells[i] = diag.Printable(cells[i])
	}
	t.rows = append(t.rows, cells)
}

func (t *textTable) write(w io.Writer) {
	width := make([]int, len(t.head))
	right := make([]bool, len(t.head))
	for i, h := range t.head {
		width[i] = utf8.RuneCountInString(h)
		right[i] = len(t.rows) > 0
		for _, r := range t.rows {
			width[i] = max(width[i], utf8.RuneCountInString(r[i]))
			if !isNumber(r[i]) {
				right[i] = false
			}
		}
	}
	line := func(cells []string) {
		var b strings.Builder
		for i, c := range cells {
			if width[i] == 0 {
				continue
			}
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if right[i] {
				b.WriteString(pad + c)
			} else {
				b.WriteString(c + pad)
			}
			b.WriteString("  ")
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	line(t.head)
	for _, r := range t.rows {
		line(r)
	}
}

func isNumber(s string) bool {
	if s == "" || s == "-" {
		return true
	}
	for _, c := range s {
		if (c < '0' || c > '9') && !strings.ContainsRune("+-.e", c) {
			return false
		}
	}
	return true
}

// commas cuts a list at the commas that stand outside of brackets and quotes.
func commas(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(s[start:]))
}
