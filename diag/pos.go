package diag

import (
	"fmt"
	"strings"
)

// Pos is a place in a source text. The zero Pos is "no position". Line and
// Col count from 1; 0 means unknown. EndLine and EndCol, where not 0, close a
// half-open range.
type Pos struct {
	File            string
	Line, Col       int
	EndLine, EndCol int
}

// IsValid reports whether p names at least a file or a line.
func (p Pos) IsValid() bool { return p.File != "" || p.Line != 0 }

// String gives file:line:col on one line, leaving out what is unknown.
func (p Pos) String() string {
	var b strings.Builder
	b.WriteString(Printable(p.File))
	if p.Line > 0 {
		if b.Len() > 0 {
			b.WriteByte(':')
		}
		fmt.Fprint(&b, p.Line)
		if p.Col > 0 {
			fmt.Fprintf(&b, ":%d", p.Col)
		}
	}
	return b.String()
}
