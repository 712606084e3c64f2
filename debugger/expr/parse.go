package expr

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"ampdbg/spirv"
)

// Bounds of an expression.
const (
	maxDepth = 200
	maxNodes = 1 << 14
	maxTimes = 1 << 16 // elements that a list may write as <n times>
)

// Parse parses an expression.
func Parse(text string) (Node, error) {
	p := &parser{text: text}
	if err := p.lex(); err != nil {
		return nil, err
	}
	n, err := p.expression()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != endToken {
		if t.text == "," {
			return nil, p.bad(t, "expected one expression; a vector is written (1, 2) or vec2(1, 2)")
		}
		return nil, p.unexpected("an operator or the end")
	}
	return n, nil
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	wordToken
	numberToken
	charToken
	signToken
)

type token struct {
	kind tokenKind
	text string
	col  int
}

type parser struct {
	text   string
	tokens []token
	i      int
	depth  int
	nodes  int
}

func (p *parser) peek() token { return p.tokens[p.i] }

// ahead is the n-th token after the next one.
func (p *parser) ahead(n int) token { return p.tokens[min(p.i+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.i]
	if t.kind != endToken {
		p.i++
	}
	return t
}

func (p *parser) take(sign string) bool {
	if t := p.peek(); t.kind == signToken && t.text == sign {
		p.i++
		return true
	}
	return false
}

func (p *parser) bad(t token, format string, args ...any) error {
	return fmt.Errorf("%s: column %d: %s", strings.TrimSpace(p.text), t.col+1, fmt.Sprintf(format, args...))
}

func (p *parser) unexpected(want string) error {
	t := p.peek()
	found := strconv.Quote(t.text)
	if t.kind == endToken {
		found = "the end"
	}
	return p.bad(t, "expected %s, found %s", want, found)
}

func isWordStart(c byte) bool {
	return c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsName reports whether a text can stand for a variable in an expression.
func IsName(s string) bool {
	if s == "" || isDigit(s[0]) {
		return false
	}
	for i := range len(s) {
		if !isWordStart(s[i]) && !isDigit(s[i]) || s[i] == '$' {
			return false
		}
	}
	return true
}

// signs are the operators, longer ones first.
var signs = []string{
	"<<=", ">>=", "...", "&&", "||", "^^", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "++", "--",
	"+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?", ":", ",", ".", "(", ")", "[", "]", "{", "}", "@",
}

func (p *parser) lex() error {
	s := p.text
	word := func(i int) int {
		for i < len(s) && (isWordStart(s[i]) || isDigit(s[i])) {
			i++
		}
		return i
	}
	for i := 0; i < len(s); {
		c := s[i]
		ends := false // an operand ends before this
		if n := len(p.tokens); n > 0 {
			t := p.tokens[n-1]
			ends = t.kind != signToken || t.text == ")" || t.text == "]" || t.text == "}"
		}
		start := i
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case isWordStart(c), c == '%' && !ends && i+1 < len(s) && (isWordStart(s[i+1]) || isDigit(s[i+1])):
			i = word(i + 1)
			p.tokens = append(p.tokens, token{wordToken, s[start:i], start})
			continue
		case isDigit(c), c == '.' && i+1 < len(s) && isDigit(s[i+1]):
			hex := strings.HasPrefix(s[i:], "0x") || strings.HasPrefix(s[i:], "0X")
			for i < len(s) && (word(i) > i || s[i] == '.' || !hex && (s[i] == '+' || s[i] == '-') && (s[i-1] == 'e' || s[i-1] == 'E')) {
				i++
			}
			p.tokens = append(p.tokens, token{numberToken, s[start:i], start})
			continue
		case c == '\'':
			for i++; i < len(s) && s[i] != '\''; i++ {
				if s[i] == '\\' {
					i++
				}
			}
			if i >= len(s) {
				return p.bad(token{col: start}, "expected a second ' after the character")
			}
			i++
			p.tokens = append(p.tokens, token{charToken, s[start:i], start})
			continue
		}
		for _, sign := range signs {
			if strings.HasPrefix(s[i:], sign) {
				p.tokens = append(p.tokens, token{signToken, sign, i})
				i += len(sign)
				break
			}
		}
		if i == start {
			_, n := utf8.DecodeRuneInString(s[i:])
			return p.bad(token{col: i}, "%q is no part of an expression", s[i:i+n])
		}
	}
	p.tokens = append(p.tokens, token{endToken, "", len(s)})
	return nil
}

// precedence of binary operators; assignment and ?: are apart.
var precedence = map[string]int{
	"||": 1, "^^": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, ">": 8, "<=": 8, ">=": 8,
	"<<": 9, ">>": 9, "@": 10, "+": 11, "-": 11, "*": 12, "/": 12, "%": 12,
}

var assigns = map[string]bool{
	"=": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true, "&=": true, "|=": true, "^=": true, "<<=": true, ">>=": true,
}

func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return p.bad(p.peek(), "an expression nested more than %d deep", maxDepth)
	}
	if p.nodes++; p.nodes > maxNodes {
		return p.bad(p.peek(), "an expression of more than %d parts", maxNodes)
	}
	return nil
}

func (p *parser) expression() (Node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	n, err := p.binary(1)
	if err != nil {
		return nil, err
	}
	t := p.peek()
	switch {
	case p.take("?"):
		yes, err := p.expression()
		if err != nil {
			return nil, err
		}
		if !p.take(":") {
			return nil, p.unexpected("':'")
		}
		no, err := p.expression()
		if err != nil {
			return nil, err
		}
		return &Choose{at(t.col), n, yes, no}, nil
	case t.kind == signToken && assigns[t.text]:
		p.next()
		v, err := p.expression()
		if err != nil {
			return nil, err
		}
		return &Assign{at: at(t.col), Op: t.text, To: n, Value: v}, nil
	}
	return n, nil
}

func (p *parser) binary(min int) (Node, error) {
	n, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		level := precedence[t.text]
		if t.kind != signToken || level == 0 || level < min || p.times() > 0 {
			return n, nil
		}
		p.next()
		right, err := p.binary(level + 1)
		if err != nil {
			return nil, err
		}
		if t.text == "@" {
			n = &Run{at(t.col), n, right}
		} else {
			n = &Binary{at: at(t.col), Op: t.text, X: n, Y: right}
		}
	}
}

// times is n if "<n times>" comes next, as lists of equal elements are printed.
func (p *parser) times() int {
	if p.peek().text != "<" || p.ahead(1).kind != numberToken || p.ahead(2).text != "times" || p.ahead(3).text != ">" {
		return 0
	}
	n, _ := strconv.Atoi(p.ahead(1).text)
	return n
}

func (p *parser) unary() (Node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	t := p.peek()
	if t.kind == signToken {
		switch t.text {
		case "-", "+", "!", "~", "&", "*", "++", "--":
			p.next()
			n, err := p.unary()
			if err != nil {
				return nil, err
			}
			if len(t.text) == 2 {
				return step(t, n), nil
			}
			return &Unary{at: at(t.col), Op: t.text, Of: n}, nil
		case "(":
			if w := p.ahead(1); w.kind == wordToken && Types[w.text] != nil && p.ahead(2).text == ")" {
				p.i += 3
				n, err := p.unary()
				if err != nil {
					return nil, err
				}
				return &Cast{at: at(t.col), To: Types[w.text], Of: n}, nil
			}
		}
	}
	return p.postfix()
}

// step is ++ or -- of a node.
func step(t token, n Node) Node {
	return &Assign{at: at(t.col), Op: t.text[:1] + "=", To: n, Value: &Literal{at: at(t.col), Text: "1", Value: Of(Int, 1), plain: true}}
}

func (p *parser) postfix() (Node, error) {
	n, err := p.primary()
	if err != nil {
		return nil, err
	}
	for {
		if p.nodes++; p.nodes > maxNodes {
			return nil, p.bad(p.peek(), "an expression of more than %d parts", maxNodes)
		}
		t := p.peek()
		switch {
		case p.take("."), p.take("->"):
			w := p.peek()
			if w.kind != wordToken {
				return nil, p.unexpected("a member or a swizzle")
			}
			p.next()
			if !p.take("(") {
				n = &Member{at(t.col), n, w.text}
				continue
			}
			if w.text != "length" {
				return nil, p.bad(w, "values have no function %s(); there is length()", w.text)
			}
			if !p.take(")") {
				return nil, p.unexpected("')': length() takes no arguments")
			}
			n = &Length{at(t.col), n}
		case p.take("["):
			if p.take("]") {
				if n, err = p.array(n, t); err != nil {
					return nil, err
				}
				continue
			}
			by, err := p.list("]")
			if err != nil {
				return nil, err
			}
			n = &Index{at(t.col), n, by}
		case t.kind == signToken && t.text == "(":
			if n, err = p.array(n, t); err != nil {
				return nil, err
			}
		case p.take("++"), p.take("--"):
			n = step(t, n)
		default:
			return n, nil
		}
	}
}

// array makes a constructor of an array of what looks like an element, at the
// parenthesis behind it or behind its empty brackets.
func (p *parser) array(n Node, t token) (Node, error) {
	out := &Array{at: at(t.col)}
	if t.text == "[" {
		out.Dims = []Node{nil}
	}
	for {
		if i, ok := n.(*Index); ok && len(i.By) == 1 {
			out.Dims = append([]Node{i.By[0]}, out.Dims...)
			n = i.Of
			continue
		}
		break
	}
	for p.take("[") {
		if p.take("]") {
			out.Dims = append(out.Dims, nil)
			continue
		}
		by, err := p.list("]")
		if err != nil {
			return nil, err
		}
		out.Dims = append(out.Dims, by[0])
	}
	name, ok := n.(*Name)
	if !ok || len(out.Dims) == 0 {
		return nil, p.bad(t, "what stands before this cannot be called")
	}
	if !p.take("(") {
		return nil, p.unexpected("an index, or '(' and the elements of an array")
	}
	out.Elem = name.Text
	var err error
	out.Args, err = p.list(")")
	return out, err
}

// list parses expressions between commas up to a closing sign; only of ")" may
// there be none.
func (p *parser) list(end string) ([]Node, error) {
	var out []Node
	if end == ")" && p.take(end) {
		return nil, nil
	}
	for {
		n, err := p.expression()
		if err != nil {
			return nil, err
		}
		if out = append(out, n); p.take(end) {
			return out, nil
		}
		if !p.take(",") {
			return nil, p.unexpected("',' or '" + end + "'")
		}
	}
}

func (p *parser) primary() (Node, error) {
	t := p.peek()
	switch {
	case t.kind == numberToken:
		p.next()
		lit, err := number(t.text)
		if err != nil {
			return nil, p.bad(t, "%v", err)
		}
		lit.at = at(t.col)
		return lit, nil
	case t.kind == charToken:
		p.next()
		r, _, rest, err := strconv.UnquoteChar(t.text[1:len(t.text)-1], '\'')
		if err != nil || rest != "" {
			return nil, p.bad(t, "%s is no character", t.text)
		}
		return &Literal{at: at(t.col), Text: t.text, Value: Of(Int, uint64(r)), plain: true}, nil
	case t.kind == wordToken:
		p.next()
		if t.text == "true" || t.text == "false" {
			return &Literal{at: at(t.col), Text: t.text, Value: Of(Bool, bit(t.text == "true"))}, nil
		}
		if !p.take("(") {
			return &Name{at: at(t.col), Text: t.text}, nil
		}
		args, err := p.list(")")
		return &Call{at: at(t.col), Name: t.text, Args: args}, err
	case p.take("("):
		n, err := p.expression()
		if err != nil {
			return nil, err
		}
		if p.peek().text == "," {
			return p.elements(&List{at: at(t.col), Elems: []Element{{Value: n, Times: 1}}}, ")")
		}
		if !p.take(")") {
			return nil, p.unexpected("')'")
		}
		return n, nil
	case p.take("{"):
		return p.elements(&List{at: at(t.col), Braces: true}, "}")
	}
	return nil, p.unexpected("a value")
}

// elements parses the rest of a list.
func (p *parser) elements(l *List, end string) (Node, error) {
	for first := l.Elems == nil; !p.take(end); first = false {
		if !first && !p.take(",") {
			return nil, p.unexpected("',' or '" + end + "'")
		}
		if p.take("...") {
			if l.Rest = true; !p.take(end) {
				return nil, p.unexpected("'" + end + "'")
			}
			break
		}
		e := Element{Times: 1}
		if t := p.peek(); t.kind == wordToken && p.ahead(1).text == "=" {
			e.Name = t.text
			p.i += 2
		}
		n, err := p.expression()
		if err != nil {
			return nil, err
		}
		if e.Value = n; p.times() > 0 {
			if e.Times = p.times(); e.Times > maxTimes {
				return nil, p.bad(p.peek(), "more than %d elements", maxTimes)
			}
			p.i += 4
		}
		l.Elems = append(l.Elems, e)
	}
	return l, nil
}

var suffixes = map[string]*spirv.Type{
	"u": Uint, "l": Int64, "ll": Int64, "ul": Uint64, "ull": Uint64, "s": int16Type, "us": uint16Type,
}

// number reads a literal: decimal, hexadecimal, octal or binary, with the
// suffixes u, l, ul, s, us, f, lf, hf.
func number(s string) (*Literal, error) {
	lower := strings.ToLower(s)
	hex := strings.HasPrefix(lower, "0x")
	out := &Literal{Text: s}
	bad := fmt.Errorf("%q is no number", s)
	if !hex && strings.ContainsAny(lower, ".ef") && !strings.HasPrefix(lower, "0b") {
		body, t := lower, Float
		switch {
		case strings.HasSuffix(body, "lf"):
			body, t = body[:len(body)-2], Double
		case strings.HasSuffix(body, "hf"):
			body, t = body[:len(body)-2], Half
		case strings.HasSuffix(body, "f"):
			body = body[:len(body)-1]
		default:
			out.plain = true
		}
		v, ok := decimal(t, body)
		if !ok {
			return nil, bad
		}
		out.Value = Of(t, v)
		return out, nil
	}
	body := strings.TrimRight(lower, "uls")
	suffix := lower[len(body):]
	v, err := strconv.ParseUint(body, 0, 64)
	if err != nil {
		return nil, bad
	}
	t := Int
	if suffix != "" {
		if t = suffixes[suffix]; t == nil {
			return nil, bad
		}
	}
	out.plain = suffix == ""
	if t.Width == 32 {
		switch {
		case v > math.MaxInt64:
			t = Uint64
		case v > math.MaxUint32 && t.Signed:
			t = Int64
		case v > math.MaxUint32:
			t = Uint64
		case v > math.MaxInt32:
			t = Uint
		}
	} else if t.Width == 16 && v > math.MaxUint16 {
		return nil, fmt.Errorf("%s does not fit 16 bits", s)
	}
	out.Value = Of(t, v)
	return out, nil
}

// decimal rounds a decimal number to a floating-point type, once.
func decimal(t *spirv.Type, text string) (uint64, bool) {
	bits := 64
	if t.Width == 32 {
		bits = 32
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return fromFloat(t, f), true
}
