package diag

import (
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer is the one way of text to a person: what does not print is written as
// an escape, so that no module, script, compiler or file name can move a
// cursor, ring a bell or pass text off as something else. Colours take the
// side door of Style.
//
// Line feeds and tabs pass. What must stay on its line as well goes through
// Printable first.
type Writer struct {
	out   io.Writer
	color bool
	hold  bool   // keep until Flush
	buf   []byte // escaped
	rest  []byte // the beginning of a rune that the last Write ended in
	err   error  // the first
}

// NewWriter makes a Writer that passes on at once what it is given. Style
// colours if color is set. Of another Writer it takes the destination.
func NewWriter(w io.Writer, color bool) *Writer {
	if u, ok := w.(*Writer); ok {
		w = exact{u}
	}
	return &Writer{out: w, color: color}
}

// Exact is a way past w, for text that has to arrive as it is and does not go
// to a terminal.
func (w *Writer) Exact() io.Writer { return exact{w} }

// exact writes to a Writer's destination.
type exact struct{ to *Writer }

func (e exact) Write(p []byte) (int, error) {
	n, err := e.to.out.Write(p)
	if e.to.err == nil {
		e.to.err = err
	}
	return n, err
}

// NewBuffer makes a Writer likewise that keeps what it is given until Flush.
func NewBuffer(w io.Writer, color bool) *Writer {
	b := NewWriter(w, color)
	b.hold = true
	return b
}

// Unwrap is where the text goes.
func (w *Writer) Unwrap() io.Writer {
	if e, ok := w.out.(exact); ok {
		return e.to.Unwrap()
	}
	return w.out
}

// Err is the first error of writing, that of a Writer on this one included.
func (w *Writer) Err() error { return w.err }

// Write implements io.Writer. A rune may be spread over several calls.
func (w *Writer) Write(p []byte) (int, error) {
	text := p
	if len(w.rest) > 0 {
		text = append(w.rest, p...)
		w.rest = nil
	}
	n := len(text)
	for k := max(0, n-utf8.UTFMax+1); k < n; k++ {
		if utf8.RuneStart(text[k]) && !utf8.FullRune(text[k:]) {
			w.rest, text = append([]byte(nil), text[k:]...), text[:k]
			break
		}
	}
	w.buf = appendEscaped(w.buf, string(text), isLayout)
	return len(p), w.pass()
}

// WriteString is Write.
func (w *Writer) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

// WriteByte is Write. It gives no error: the next Write or Flush does.
func (w *Writer) WriteByte(c byte) error {
	_, err := w.Write([]byte{c})
	return err
}

// Style writes s in the style that the parameters of an SGR sequence (ECMA-48)
// name, such as "1;31". They must not come from outside.
func (w *Writer) Style(sgr, s string) {
	w.settle()
	s = string(appendEscaped(nil, s, isLayout))
	if w.color && s != "" {
		s = "\x1b[" + sgr + "m" + s + "\x1b[0m"
	}
	w.buf = append(w.buf, s...)
	w.pass()
}

// Flush passes on what is held back.
func (w *Writer) Flush() error {
	w.settle()
	w.send()
	return w.err
}

// settle takes a rune that has not been finished for what it is: bytes.
func (w *Writer) settle() {
	w.buf = appendEscaped(w.buf, string(w.rest), isLayout)
	w.rest = nil
}

// held is how much a Writer keeps at most.
const held = 1 << 16

func (w *Writer) pass() error {
	if !w.hold || len(w.buf) > held {
		w.send()
	}
	return w.err
}

func (w *Writer) send() {
	if len(w.buf) == 0 {
		return
	}
	if w.err == nil {
		_, w.err = w.out.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// Printable is s on one line: with escapes for all that does not print, line
// feeds and tabs included.
func Printable(s string) string {
	for _, r := range s {
		if escaped(r) {
			return string(appendEscaped(nil, s, nil))
		}
	}
	return s
}

func isLayout(r rune) bool { return r == '\n' || r == '\t' }

// escaped reports whether a rune changes how a terminal shows others: controls
// of C0 and C1, line and paragraph separators, and formatting characters, of
// which those for writing direction reorder text (Unicode Technical Report
// 36, "Bidirectional Text Spoofing"); and what is no character at all.
func escaped(r rune) bool {
	switch {
	case r < 0x20 || 0x7f <= r && r < 0xa0:
		return true
	case r < 0x300:
		return r == 0xad // soft hyphen
	case r == utf8.RuneError:
		return true
	case r == 0x200c || r == 0x200d:
		return false // joiners: words of several scripts, and emoji, need them
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// appendEscaped appends s with escapes as JSON has them, so that text in a
// string of a JSON document stays the same text. Bytes that are no UTF-8
// become \x and two digits: no such document has them.
func appendEscaped(b []byte, s string, passes func(rune) bool) []byte {
	const digits = "0123456789abcdef"
	unit := func(v uint16) {
		b = append(b, '\\', 'u', digits[v>>12], digits[v>>8&15], digits[v>>4&15], digits[v&15])
	}
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(b, '\\', 'x', digits[s[0]>>4], digits[s[0]&15])
		case !escaped(r) || r == utf8.RuneError || passes != nil && passes(r):
			b = append(b, s[:n]...)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			unit(uint16(hi))
			unit(uint16(lo))
		default:
			unit(uint16(r))
		}
		s = s[n:]
	}
	return b
}

// printable makes several strings what Printable gives for them.
func printable(parts ...*string) {
	for _, p := range parts {
		*p = Printable(*p)
	}
}

// printable is f with all its texts on one line.
func (f Finding) printable() Finding {
	printable(&f.Message, &f.Variable.Name, &f.Variable.Path, &f.Variable.Members, &f.Space, &f.Kernel)
	f.Accesses = mapped(f.Accesses, func(a *Access) {
		printable(&a.Kind, &a.Object, &a.Old, &a.New)
		a.Stack = printableStack(a.Stack)
	})
	f.Parties = mapped(f.Parties, func(p *Party) { printable(&p.Who, &p.What) })
	f.Notes = mapped(f.Notes, func(n *Note) { printable(&n.Msg) })
	f.Stack = printableStack(f.Stack)
	return f
}

func printableStack(frames []Frame) []Frame {
	return mapped(frames, func(f *Frame) { printable(&f.Func) })
}

// mapped is a copy of list with change applied to each element.
func mapped[T any](list []T, change func(*T)) []T {
	out := append([]T(nil), list...)
	for i := range out {
		change(&out[i])
	}
	return out
}
