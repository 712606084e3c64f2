package amber

import "strings"

// token is a word, the end of a line (text "\n") or the end of the script
// (text "").
type token struct {
	text string
	off  int
}

func (t token) isEnd() bool { return t.text == "" || t.text == "\n" }
func (t token) word() Word  { return Word{t.text, t.off} }

// lexer cuts a script into words. Comments, blanks and continued line ends
// vanish; the rest of a line's end is a token.
type lexer struct {
	src string
	pos int
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'
}

func (l *lexer) next() token {
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case isBlank(c):
			l.pos++
		case c == '\n':
			l.pos++
			return token{"\n", l.pos - 1}
		case c == '#':
			if n := strings.IndexByte(l.src[l.pos:], '\n'); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(l.src)
			}
		default:
			start := l.pos
			for l.pos < len(l.src) && !isBlank(l.src[l.pos]) && l.src[l.pos] != '\n' {
				l.pos++
			}
			text := l.src[start:l.pos]
			if text == `\` && l.skipLineEnd() {
				continue
			}
			return token{text, start}
		}
	}
	return token{"", len(l.src)}
}

// skipLineEnd passes a line end that follows at once, blanks allowed.
func (l *lexer) skipLineEnd() bool {
	p := l.pos
	for p < len(l.src) && isBlank(l.src[p]) {
		p++
	}
	if p < len(l.src) && l.src[p] != '\n' {
		return false
	}
	l.pos = min(p+1, len(l.src))
	return true
}

// textToEND takes raw lines up to a line that holds only END, which is passed
// too. ok is false if there is no such line; the text is then the rest.
func (l *lexer) textToEND() (text string, off int, ok bool) {
	off = l.pos
	for p := l.pos; p < len(l.src); {
		end := len(l.src)
		if n := strings.IndexByte(l.src[p:], '\n'); n >= 0 {
			end = p + n
		}
		if strings.Trim(l.src[p:end], " \t\v\f\r") == "END" {
			l.pos = end
			return l.src[off:p], off, true
		}
		p = end + 1
	}
	l.pos = len(l.src)
	return l.src[off:], off, false
}

func lineStarts(src string) []int {
	lines := []int{0}
	for i := 0; i < len(src); i++ {
		if src[i] == '\n' {
			lines = append(lines, i+1)
		}
	}
	return lines
}
