package amber

import (
	"fmt"
	"strconv"
	"strings"

	"ampdbg/diag"
)

// maxErrors is where the parser stops reporting and gives up.
const maxErrors = 20

// Parse reads a script. file is its name for positions. The errors are in file
// order, at most 20; those of class diag.Unsupported name something that the
// script may say but that is not compute (graphics, ray tracing). The script
// holds what could be read, and is whole if there are no errors.
func Parse(file string, src []byte) (*Script, []*diag.Error) {
	p := &parser{lexer: lexer{src: string(src)}}
	p.script = &Script{File: file, lines: lineStarts(p.src)}
	if !p.header() {
		return p.script, p.errs
	}
	p.advance()
	for p.tok.text != "" && !p.stopped {
		p.statement(func() { p.topLevel() })
	}
	return p.script, p.errs
}

type parser struct {
	lexer
	tok     token // the token being looked at
	prev    int   // the end of the word before it
	script  *Script
	errs    []*diag.Error
	stopped bool
	block   func() // skips the rest of the block that the failing statement opened, or nil
}

// bailout ends the statement being parsed.
type bailout struct{}

// header checks for the #!amber line and tells other formats apart.
func (p *parser) header() bool {
	first := p.script.Pos
	for line := range strings.Lines(p.src) {
		if strings.HasPrefix(strings.TrimSpace(line), "#!amber") {
			return true
		}
	}
	l := lexer{src: p.src}
	tok := l.next()
	for tok.text == "\n" {
		tok = l.next()
	}
	if strings.HasPrefix(tok.text, "[") {
		p.errs = append(p.errs, &diag.Error{Class: diag.Unsupported, Pos: first(tok.off), Msg: "unsupported: VkScript (an AmberScript starts with the line #!amber)"})
	} else {
		p.errs = append(p.errs, &diag.Error{Pos: first(0), Msg: "expected the line #!amber at the start of the script"})
	}
	return false
}

// statement runs one statement's parser; an error in it skips the rest of the
// line, and of the block that it opened.
func (p *parser) statement(parse func()) {
	p.block = nil
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(bailout); !ok {
				panic(e)
			}
			p.skipLine()
			if p.block != nil {
				p.block()
				p.block = nil
			}
		}
	}()
	parse()
}

func (p *parser) advance() token {
	t := p.tok
	if !t.isEnd() {
		p.prev = t.off + len(t.text)
	}
	p.tok = p.next()
	return t
}

func (p *parser) skipLine() {
	for !p.tok.isEnd() {
		p.advance()
	}
}

// skipBlock passes lines up to the END that closes the current block. Blocks
// inside start with one of the keywords in nested.
func (p *parser) skipBlock(nested ...string) {
	depth := 1
	for p.tok.text != "" {
		if p.tok.text == "\n" {
			p.advance()
			continue
		}
		first := p.advance().text
		if first == "END" {
			depth--
		}
		for _, n := range nested {
			if first == n {
				depth++
			}
		}
		p.skipLine()
		if depth == 0 {
			return
		}
	}
}

func (p *parser) report(class diag.ErrorClass, off, end int, msg string) {
	if p.stopped {
		return
	}
	pos := p.script.Pos(off)
	pos.EndLine, pos.EndCol = pos.Line, pos.Col+end-off
	p.errs = append(p.errs, &diag.Error{Class: class, Pos: pos, Msg: msg})
	if len(p.errs) >= maxErrors {
		p.stopped = true
	}
}

// failAt reports an error at a word and ends the statement.
func (p *parser) failAt(w Word, format string, args ...any) {
	p.report(diag.BadInput, w.Off, w.Off+len(w.Text), fmt.Sprintf(format, args...))
	panic(bailout{})
}

// expected reports that the current token is not what the grammar wants.
func (p *parser) expected(what string) {
	found, off, end := fmt.Sprintf("%q", p.tok.text), p.tok.off, p.tok.off+len(p.tok.text)
	if p.tok.isEnd() { // a comment may lie between
		found, off, end = "the end of the line", p.prev, p.prev
	}
	p.report(diag.BadInput, off, end, fmt.Sprintf("expected %s, found %s", what, found))
	panic(bailout{})
}

// unsupported reports a construct that is not compute.
func (p *parser) unsupported(w Word, what string) {
	p.report(diag.Unsupported, w.Off, w.Off+len(w.Text), "unsupported: "+what)
}

// word takes the next word of the line; what says what it should be.
func (p *parser) word(what string) Word {
	if p.tok.isEnd() {
		p.expected(what)
	}
	return p.advance().word()
}

// oneOf takes a word that must be among choices.
func (p *parser) oneOf(choices ...string) Word {
	for _, c := range choices {
		if p.tok.text == c {
			return p.advance().word()
		}
	}
	p.expected(strings.Join(choices, " or "))
	return Word{}
}

// accept takes the word if it comes next.
func (p *parser) accept(text string) bool {
	if p.tok.text == text {
		p.advance()
		return true
	}
	return false
}

// integer takes an integer of any sign.
func (p *parser) integer(what string) Number {
	if !p.atInteger() {
		p.expected(what)
	}
	w := p.advance().word()
	v, _ := parseInteger(w.Text)
	return Number{w, v}
}

// count takes an integer from low to 2³²-1.
func (p *parser) count(what string, low int64) Number {
	n := p.integer(what)
	if n.Value < low || n.Value > 1<<32-1 {
		p.failAt(n.Word, "expected %s from %d to 4294967295, found %s", what, low, n.Text)
	}
	return n
}

func (p *parser) atInteger() bool {
	_, err := parseInteger(p.tok.text)
	return err == nil
}

func parseInteger(s string) (int64, error) {
	if h, ok := strings.CutPrefix(s, "0x"); ok {
		return strconv.ParseInt(h, 16, 64)
	}
	return strconv.ParseInt(s, 10, 64)
}

// looksNumeric tells values from keywords: 1, -1, .5, -.5, 0x1f, nan, inf.
func looksNumeric(s string) bool {
	s = strings.TrimPrefix(s, "-")
	s = strings.TrimPrefix(s, "+")
	if s == "" {
		return false
	}
	if '0' <= s[0] && s[0] <= '9' {
		return true
	}
	if s[0] == '.' && len(s) > 1 && '0' <= s[1] && s[1] <= '9' {
		return true
	}
	return strings.EqualFold(s, "nan") || strings.EqualFold(s, "inf")
}

// value takes a number of any kind; it is interpreted later by its type.
func (p *parser) value(what string) Word {
	if !looksNumeric(p.tok.text) {
		p.expected(what)
	}
	return p.advance().word()
}

// endOfLine demands that the statement is over.
func (p *parser) endOfLine() {
	if !p.tok.isEnd() {
		p.expected("the end of the line")
	}
}

// lines calls parse at the first word of each line up to END. Errors in a line
// do not end the block.
func (p *parser) lines(open Word, parse func()) {
	for !p.stopped {
		switch p.tok.text {
		case "\n":
			p.advance()
		case "":
			p.report(diag.BadInput, open.Off, open.Off+len(open.Text), fmt.Sprintf("%s has no END", open.Text))
			return
		case "END":
			p.advance()
			p.statement(p.endOfLine)
			return
		default:
			p.statement(parse)
		}
	}
}

// wordsToEND takes all words up to END, over line ends.
func (p *parser) wordsToEND(open Word, take func()) {
	for {
		switch p.tok.text {
		case "\n":
			p.advance()
		case "":
			p.failAt(open, "%s has no END", open.Text)
		case "END":
			p.advance()
			return
		default:
			take()
		}
	}
}
