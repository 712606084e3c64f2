package amber

import (
	"math"
	"strconv"
	"strings"

	"ampdbg/diag"
)

func (p *parser) repeat() {
	r := &Repeat{at: at(p.tok.off)}
	open := p.advance().word()
	p.block = func() { p.skipBlock() }
	r.Count = p.count("a number of repetitions", 1)
	p.endOfLine()
	p.lines(open, func() {
		key := p.tok
		if s := p.command(); s != nil {
			r.Body = append(r.Body, s)
		} else if p.tok.off == key.off {
			p.expected("RUN, COPY, EXPECT, CLEAR or END")
		}
		p.endOfLine()
	})
	p.add(r)
}

// command parses a command that may stand in REPEAT. It gives nil, with the
// token still there, if the current token starts none; and nil with tokens
// taken if the command is unsupported and reported.
func (p *parser) command() Stmt {
	switch p.tok.text {
	case "RUN":
		return p.run()
	case "COPY":
		c := &Copy{at: at(p.advance().off)}
		c.From = p.word("the name of a buffer")
		p.oneOf("TO")
		c.To = p.word("the name of a buffer")
		return c
	case "CLEAR", "CLEAR_COLOR":
		c := &Clear{at: at(p.tok.off)}
		c.Color = p.advance().text == "CLEAR_COLOR"
		c.Pipeline = p.word("a pipeline's name")
		for c.Color && len(c.Values) < 4 {
			c.Values = append(c.Values, p.value("a colour component"))
		}
		return c
	case "CLEAR_DEPTH", "CLEAR_STENCIL":
		key := p.advance().word()
		p.unsupported(key, "graphics pipelines ("+key.Text+")")
		p.skipLine()
		return nil
	case "EXPECT":
		return p.expect()
	}
	return nil
}

func (p *parser) run() Stmt {
	r := &Run{at: at(p.advance().off)}
	r.Timed = p.accept("TIMED_EXECUTION")
	r.Pipeline = p.word("a pipeline's name")
	if strings.HasPrefix(p.tok.text, "DRAW_") {
		p.unsupported(p.tok.word(), "graphics pipelines ("+p.tok.text+")")
		p.skipLine()
		return nil
	}
	if p.tok.text == "RAYGEN" {
		p.unsupported(p.tok.word(), "ray-tracing pipelines (RAYGEN)")
		p.skipLine()
		return nil
	}
	for i, axis := range []string{"x", "y", "z"} {
		r.Groups[i] = p.count("a number of tiles in "+axis, 0)
	}
	return r
}

var comparators = []string{"EQ", "NE", "LT", "LE", "GT", "GE"}

func (p *parser) expect() *Expect {
	e := &Expect{at: at(p.advance().off)}
	e.Buffer = p.word("the name of a buffer")
	switch p.tok.text {
	case "EQ_BUFFER", "RMSE_BUFFER", "EQ_HISTOGRAM_EMD_BUFFER":
		e.Op = p.advance().word()
		e.Other = p.word("the name of a buffer")
		if e.Op.Text != "EQ_BUFFER" {
			p.oneOf("TOLERANCE")
			e.Tolerance = []Tolerance{p.tolerance()}
			if e.Tolerance[0].Percent {
				p.failAt(e.Tolerance[0].Word, "the tolerance of %s is not a percentage", e.Op.Text)
			}
		}
		return e
	case "IDX":
		p.advance()
	default:
		p.expected("IDX, EQ_BUFFER, RMSE_BUFFER or EQ_HISTOGRAM_EMD_BUFFER")
	}
	e.Index = []Number{p.count("a byte offset or an x coordinate", 0)}
	if p.atInteger() {
		e.Index = append(e.Index, p.count("a y coordinate", 0))
		if p.tok.text != "SIZE" {
			p.expected("SIZE")
		}
	}
	if p.tok.text == "SIZE" {
		if len(e.Index) == 1 {
			p.expected("a y coordinate before SIZE")
		}
		p.advance()
		e.Size = []Number{p.count("a width", 1), p.count("a height", 1)}
	}
	if p.tok.text == "TOLERANCE" {
		p.tolerances(e)
	}
	if e.Size != nil {
		p.expectColour(e)
		return e
	}
	if !contains(comparators, p.tok.text) {
		p.expected("EQ, NE, LT, LE, GT, GE or TOLERANCE")
	}
	e.Op = p.advance().word()
	if e.Tolerance != nil && e.Op.Text != "EQ" {
		p.failAt(e.Op, "TOLERANCE goes with EQ, not with %s", e.Op.Text)
	}
	e.Values = append(e.Values, p.value("a number"))
	for !p.tok.isEnd() {
		e.Values = append(e.Values, p.value("a number or the end of the line"))
	}
	return e
}

// expectColour parses EQ_RGB r g b and EQ_RGBA r g b a.
func (p *parser) expectColour(e *Expect) {
	if p.tok.text != "EQ_RGB" && p.tok.text != "EQ_RGBA" {
		p.expected("EQ_RGB or EQ_RGBA")
	}
	e.Op = p.advance().word()
	for range len(e.Op.Text) - len("EQ_") {
		e.Values = append(e.Values, p.value("a colour component from 0 to 255"))
	}
	if p.tok.text == "TOLERANCE" && e.Tolerance == nil {
		p.tolerances(e)
	}
}

func (p *parser) tolerances(e *Expect) {
	p.oneOf("TOLERANCE")
	e.Tolerance = append(e.Tolerance, p.tolerance())
	for looksNumeric(p.tok.text) {
		if len(e.Tolerance) == 4 {
			p.expected("a comparison after four tolerances")
		}
		e.Tolerance = append(e.Tolerance, p.tolerance())
	}
}

// tolerance parses a number, with % at its end or as the next word.
func (p *parser) tolerance() Tolerance {
	t := Tolerance{Word: p.value("a tolerance")}
	text, percent := strings.CutSuffix(t.Text, "%")
	t.Percent = percent || p.accept("%")
	var err error
	if t.Value, err = strconv.ParseFloat(text, 64); err != nil || t.Value < 0 || math.IsNaN(t.Value) {
		p.report(diag.BadInput, t.Off, t.Off+len(t.Text), "expected a tolerance of at least 0, found "+strconv.Quote(t.Text))
		panic(bailout{})
	}
	return t
}
