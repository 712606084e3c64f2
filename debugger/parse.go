package debugger

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ampdbg/spirv"
)

// nodeKind tells the nodes of an expression apart.
type nodeKind uint8

const (
	literalNode nodeKind = iota // lit
	nameNode                    // text
	memberNode                  // kids[0].text
	indexNode                   // kids[0][kids[1]]; of a texel also [kids[1], kids[2]...]
	sliceNode                   // kids[0] @ kids[1]: that many elements from there on
	callNode                    // text(kids...): a constructor or a function
	castNode                    // (text)kids[0]
	unaryNode                   // text kids[0]
	binaryNode                  // kids[0] text kids[1]
	chooseNode                  // kids[0] ? kids[1] : kids[2]
	assignNode                  // kids[0] text kids[1]: =, +=, ...
)

// node is a node of a parsed expression.
type node struct {
	kind nodeKind
	text string
	kids []*node
	lit  operand
	col  int // byte offset in the text
	hit  resolved
}

// Expr is a parsed expression.
type Expr struct {
	Text string
	root *node
}

// Assigns reports whether the expression is an assignment.
func (e *Expr) Assigns() bool { return e.root.kind == assignNode }

// maxExprDepth bounds the nesting of an expression.
const maxExprDepth = 200

// ParseExpr parses an expression in the syntax of GLSL and C: all operators,
// swizzles, members, indexing, constructors and casts; "e @ n" is the array of
// n elements from e on; %12 and %name are SPIR-V ids, $tile and the like are
// the debugger's own.
func ParseExpr(text string) (*Expr, error) {
	p := &parser{text: text}
	if err := p.lex(); err != nil {
		return nil, err
	}
	n, err := p.expression()
	if err != nil {
		return nil, err
	}
	if t := p.peek(); t.kind != endToken {
		return nil, p.unexpected("an operator or the end")
	}
	return &Expr{Text: strings.TrimSpace(text), root: n}, nil
}

type tokenKind uint8

const (
	endToken tokenKind = iota
	wordToken
	numberToken
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
}

func (p *parser) peek() token { return p.tokens[p.i] }

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

func (p *parser) unexpected(want string) error {
	t := p.peek()
	found := strconv.Quote(t.text)
	if t.kind == endToken {
		found = "the end"
	}
	return fmt.Errorf("%s: column %d: expected %s, found %s", strings.TrimSpace(p.text), t.col+1, want, found)
}

func isWordStart(c byte) bool {
	return c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// signs are the operators, longer ones first.
var signs = []string{
	"<<=", ">>=", "&&", "||", "^^", "==", "!=", "<=", ">=", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "::",
	"+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?", ":", ",", ".", "(", ")", "[", "]", "@",
}

func (p *parser) lex() error {
	s := p.text
	for i := 0; i < len(s); {
		c := s[i]
		operandEnds := len(p.tokens) > 0 && (p.tokens[len(p.tokens)-1].kind <= numberToken ||
			p.tokens[len(p.tokens)-1].text == ")" || p.tokens[len(p.tokens)-1].text == "]")
		switch {
		case c == ' ' || c == '\t':
			i++
			continue
		case isWordStart(c), c == '%' && !operandEnds && i+1 < len(s) && (isWordStart(s[i+1]) || isDigit(s[i+1])):
			j := i + 1
			for j < len(s) && (isWordStart(s[j]) || isDigit(s[j])) {
				j++
			}
			p.tokens = append(p.tokens, token{wordToken, s[i:j], i})
			i = j
			continue
		case isDigit(c), c == '.' && i+1 < len(s) && isDigit(s[i+1]):
			j := i + 1
			for j < len(s) && (isWordStart(s[j]) || isDigit(s[j]) || s[j] == '.' ||
				(s[j] == '+' || s[j] == '-') && (s[j-1] == 'e' || s[j-1] == 'E') && !strings.HasPrefix(s[i:], "0x")) {
				j++
			}
			p.tokens = append(p.tokens, token{numberToken, s[i:j], i})
			i = j
			continue
		}
		found := false
		for _, sign := range signs {
			if strings.HasPrefix(s[i:], sign) {
				p.tokens = append(p.tokens, token{signToken, sign, i})
				i += len(sign)
				found = true
				break
			}
		}
		if !found {
			return fmt.Errorf("%s: column %d: %q is no part of an expression", strings.TrimSpace(s), i+1, s[i:i+1])
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
	if p.depth++; p.depth > maxExprDepth {
		return fmt.Errorf("an expression nested more than %d deep", maxExprDepth)
	}
	return nil
}

func (p *parser) expression() (*node, error) {
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
		return &node{kind: chooseNode, kids: []*node{n, yes, no}, col: t.col}, nil
	case t.kind == signToken && assigns[t.text]:
		p.next()
		v, err := p.expression()
		if err != nil {
			return nil, err
		}
		return &node{kind: assignNode, text: t.text, kids: []*node{n, v}, col: t.col}, nil
	}
	return n, nil
}

func (p *parser) binary(min int) (*node, error) {
	n, err := p.unary()
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		level := precedence[t.text]
		if t.kind != signToken || level == 0 || level < min {
			return n, nil
		}
		p.next()
		right, err := p.binary(level + 1)
		if err != nil {
			return nil, err
		}
		kind := binaryNode
		if t.text == "@" {
			kind = sliceNode
		}
		n = &node{kind: kind, text: t.text, kids: []*node{n, right}, col: t.col}
	}
}

func (p *parser) unary() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	t := p.peek()
	if t.kind == signToken {
		switch t.text {
		case "-", "+", "!", "~", "&", "*":
			p.next()
			n, err := p.unary()
			if err != nil {
				return nil, err
			}
			return &node{kind: unaryNode, text: t.text, kids: []*node{n}, col: t.col}, nil
		case "(":
			if w := p.tokens[p.i+1]; w.kind == wordToken && namedTypes[w.text] != nil && p.tokens[p.i+2].text == ")" {
				p.i += 3
				n, err := p.unary()
				if err != nil {
					return nil, err
				}
				return &node{kind: castNode, text: w.text, kids: []*node{n}, col: t.col}, nil
			}
		}
	}
	return p.postfix()
}

func (p *parser) postfix() (*node, error) {
	n, err := p.primary()
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		switch {
		case p.take("."), p.take("->"):
			w := p.peek()
			if w.kind != wordToken {
				return nil, p.unexpected("a member or a swizzle")
			}
			p.next()
			n = &node{kind: memberNode, text: w.text, kids: []*node{n}, col: t.col}
		case p.take("["):
			n = &node{kind: indexNode, kids: []*node{n}, col: t.col}
			for {
				i, err := p.expression()
				if err != nil {
					return nil, err
				}
				if n.kids = append(n.kids, i); p.take("]") {
					break
				}
				if !p.take(",") {
					return nil, p.unexpected("',' or ']'")
				}
			}
		default:
			return n, nil
		}
	}
}

func (p *parser) primary() (*node, error) {
	t := p.peek()
	switch {
	case t.kind == numberToken:
		p.next()
		lit, err := number(t.text)
		if err != nil {
			return nil, fmt.Errorf("%s: column %d: %w", strings.TrimSpace(p.text), t.col+1, err)
		}
		return &node{kind: literalNode, text: t.text, lit: lit, col: t.col}, nil
	case t.kind == wordToken:
		p.next()
		if t.text == "true" || t.text == "false" {
			v := operand{t: boolType, bits: []uint64{0}}
			if t.text == "true" {
				v.bits[0] = 1
			}
			return &node{kind: literalNode, text: t.text, lit: v, col: t.col}, nil
		}
		if !p.take("(") {
			return &node{kind: nameNode, text: t.text, col: t.col}, nil
		}
		n := &node{kind: callNode, text: t.text, col: t.col}
		for !p.take(")") {
			if len(n.kids) > 0 && !p.take(",") {
				return nil, p.unexpected("',' or ')'")
			}
			arg, err := p.expression()
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, arg)
		}
		return n, nil
	case p.take("("):
		n, err := p.expression()
		if err != nil {
			return nil, err
		}
		if !p.take(")") {
			return nil, p.unexpected("')'")
		}
		return n, nil
	}
	return nil, p.unexpected("a value")
}

// number reads a literal: decimal, hexadecimal, octal or binary, with the
// suffixes u, l, f, lf, hf.
func number(s string) (operand, error) {
	lower := strings.ToLower(s)
	hex := strings.HasPrefix(lower, "0x")
	bad := fmt.Errorf("%q is no number", s)
	if !hex && strings.ContainsAny(lower, ".ef") {
		body, t := lower, floatType
		switch {
		case strings.HasSuffix(body, "lf"):
			body, t = body[:len(body)-2], doubleType
		case strings.HasSuffix(body, "hf"):
			body, t = body[:len(body)-2], namedTypes["half"]
		case strings.HasSuffix(body, "f"):
			body = body[:len(body)-1]
		}
		f, err := strconv.ParseFloat(body, 64)
		if err != nil && !math.IsInf(f, 0) {
			return operand{}, bad
		}
		return operand{t: t, bits: []uint64{fromFloat(t, f)}}, nil
	}
	body := strings.TrimRight(lower, "ul")
	suffix := lower[len(body):]
	v, err := strconv.ParseUint(strings.TrimSuffix(body, "_"), 0, 64)
	if err != nil {
		return operand{}, bad
	}
	t := intType
	switch {
	case suffix == "u":
		t = uintType
	case suffix == "l" || suffix == "ll":
		t = int64Type
	case suffix == "ul" || suffix == "ull":
		t = uint64Type
	case suffix != "":
		return operand{}, bad
	}
	if t.Width == 32 {
		switch {
		case v > math.MaxUint32 && t.Signed:
			t = int64Type
		case v > math.MaxUint32:
			t = uint64Type
		case v > math.MaxInt32:
			t = uintType
		}
	}
	return operand{t: t, bits: []uint64{v}}, nil
}

// literal makes an operand of a number.
func literal(t *spirv.Type, v ...uint64) operand { return operand{t: t, bits: v} }
