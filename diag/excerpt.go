package diag

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tabWidth is the number of columns a tab takes in an excerpt.
const tabWidth = 4

// excerpt writes the source line of p with its number, and a second line with
// carets under p's range, each at most width columns wide and starting with
// prefix. It writes nothing if the line is not to be had.
func excerpt(w *Writer, sources Sources, p Pos, width int, prefix string) {
	if sources == nil || p.Line <= 0 {
		return
	}
	text, ok := sources(p.File)
	if !ok {
		return
	}
	line, ok := lineOf(text, p.Line)
	if !ok {
		return
	}
	number := fmt.Sprint(p.Line)
	gutter := strings.Repeat(" ", len(number))
	shown, from, to := mark(line, p)
	shown, from, to = window(shown, from, to, width-utf8.RuneCountInString(prefix)-len(number)-3)
	w.WriteString(prefix)
	w.Style(styleDim, number+" | ")
	w.WriteString(strings.TrimRight(string(shown), " ") + "\n")
	if from >= 0 {
		w.WriteString(prefix)
		w.Style(styleDim, gutter+" | ")
		w.WriteString(strings.Repeat(" ", from))
		w.Style(styleMark, "^"+strings.Repeat("~", max(to-from-1, 0)))
		w.WriteByte('\n')
	}
}

// lineOf gives line n of text, counting from 1, without its line break.
func lineOf(text string, n int) (string, bool) {
	for ; n > 1; n-- {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return "", false
		}
		text = text[i+1:]
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r"), true
}

// mark expands the tabs of line, replaces control characters, and finds the
// columns [from, to) of p in the result; from is -1 if p has no column in it.
func mark(line string, p Pos) (shown []rune, from, to int) {
	end := p.EndCol
	switch {
	case p.EndLine > p.Line:
		end = len(line) + 1
	case p.EndLine != p.Line || end <= p.Col:
		end = p.Col + wordLength(line, p.Col)
	}
	from, to = -1, -1
	for i, r := range line {
		if i+1 >= p.Col && from < 0 && p.Col > 0 {
			from = len(shown)
		}
		if i+1 >= end && to < 0 {
			to = len(shown)
		}
		switch {
		case r == '\t':
			shown = append(shown, ' ')
			for len(shown)%tabWidth != 0 {
				shown = append(shown, ' ')
			}
		case escaped(r):
			shown = append(shown, '·')
		default:
			shown = append(shown, r)
		}
	}
	if from < 0 && p.Col == len(line)+1 {
		from = len(shown)
		shown = append(shown, ' ') // room for the caret
	}
	if to < 0 {
		to = len(shown)
	}
	return shown, from, to
}

// wordLength is the length in bytes of the identifier at byte column col, at
// least 1.
func wordLength(line string, col int) int {
	n := 0
	for i := col - 1; i >= 0 && i < len(line) && isWord(line[i]); i++ {
		n++
	}
	return max(n, 1)
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// window cuts line to at most width columns around [from, to), with "…" where
// something was cut off.
func window(line []rune, from, to, width int) ([]rune, int, int) {
	width = max(width, 10)
	if from >= 0 {
		to = min(to, from+width-2)
	}
	if len(line) <= width {
		return line, from, to
	}
	start := 0
	if from >= 0 && max(to, from+1) > width-1 {
		start = min(max(to, from+1)-width+1+width/4, from-1, len(line)-width)
		start = max(start, 0)
	}
	cut := append([]rune(nil), line[start:min(start+width, len(line))]...)
	if start > 0 {
		cut[0] = '…'
	}
	if start+width < len(line) {
		cut[len(cut)-1] = '…'
	}
	if from >= 0 {
		from, to = from-start, min(to-start, width)
	}
	return cut, from, to
}
