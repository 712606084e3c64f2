package spirv

import (
	"fmt"
	"strings"

	"ampdbg/diag"
)

// token is one word of assembly text: text[start:end], quotes included.
type token struct{ start, end int }

// asmText is assembly text cut into words. Words are separated by white space
// and by comments, which run from ; to the end of the line. A string in
// quotes, and a character after a backslash, is part of its word.
type asmText struct {
	name   string
	text   string
	tokens []token
}

func lex(name, text string) *asmText {
	t := &asmText{name: name, text: text}
	for at := 0; at < len(text); {
		switch c := text[at]; {
		case isSpace(c):
			at++
		case c == ';':
			if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
				at += n
			} else {
				at = len(text)
			}
		default:
			end := wordEnd(text, at)
			t.tokens = append(t.tokens, token{at, end})
			at = end
		}
	}
	return t
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// wordEnd finds the end of the word that starts at at.
func wordEnd(text string, at int) int {
	quoted, escaped := false, false
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case c == '\\':
			escaped = !escaped
			continue
		case escaped || c != '"' && quoted:
		case c == '"':
			quoted = !quoted
		case isSpace(c) || c == ';':
			return at
		}
		escaped = false
	}
	return at
}

// word gives token i, "" past the end.
func (t *asmText) word(i int) string {
	if i >= len(t.tokens) {
		return ""
	}
	return t.text[t.tokens[i].start:t.tokens[i].end]
}

// startsInst reports whether an instruction starts at token i: an opcode, or
// "%id = " and an opcode.
func (t *asmText) startsInst(i int) bool {
	w := t.word(i)
	return isOpcodeWord(w) ||
		w != "" && w[0] == '%' && t.word(i+1) == "=" && isOpcodeWord(t.word(i+2))
}

func isOpcodeWord(w string) bool {
	return len(w) >= 3 && w[:2] == "Op" && w[2] >= 'A' && w[2] <= 'Z'
}

// pos gives the place of token i, or of the end of the text.
func (t *asmText) pos(i int) diag.Pos {
	at, end := len(t.text), len(t.text)
	if i < len(t.tokens) {
		at, end = t.tokens[i].start, t.tokens[i].end
	}
	line, col := lineCol(t.text[:at])
	p := diag.Pos{File: t.name, Line: line, Col: col}
	if lines, last := lineCol(t.text[at:end]); lines == 1 && end > at {
		p.EndLine, p.EndCol = line, col+last-1
	}
	return p
}

// lineCol gives the line and the column, in bytes from 1, where text ends.
func lineCol(text string) (line, col int) {
	return strings.Count(text, "\n") + 1, len(text) - strings.LastIndexByte(text, '\n')
}

// errorf makes an error at token i.
func (t *asmText) errorf(i int, format string, args ...any) *diag.Error {
	return &diag.Error{Class: diag.BadInput, Pos: t.pos(i), Msg: fmt.Sprintf(format, args...)}
}

// found names token i in an error.
func (t *asmText) found(i int) string {
	switch {
	case i >= len(t.tokens):
		return "found the end of the text"
	case t.startsInst(i):
		return fmt.Sprintf("found the next instruction (%s)", t.word(i))
	}
	w := t.word(i)
	if len(w) > 60 {
		w = w[:57] + "..."
	}
	return fmt.Sprintf("found %q", w)
}

// headerVersion reads "; Version: 1.3" from the comments that precede the
// first instruction, 0 if there is none.
func (t *asmText) headerVersion() Version {
	end := len(t.text)
	if len(t.tokens) > 0 {
		end = t.tokens[0].start
	}
	for line := range strings.Lines(t.text[:end]) {
		var major, minor int
		line = strings.TrimSpace(line)
		if n, _ := fmt.Sscanf(line, "; Version: %d.%d", &major, &minor); n == 2 {
			if v := MakeVersion(major, minor); v >= minVersion && v <= maxVersion {
				return v
			}
		}
	}
	return 0
}
