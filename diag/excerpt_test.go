package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		pos  Pos
		want string
	}{
		{"identifier", "a = foo1 + 2;", Pos{Line: 1, Col: 5}, "1 | a = foo1 + 2;\n  |     ^~~~\n"},
		{"operator", "a = b;", Pos{Line: 1, Col: 3}, "1 | a = b;\n  |   ^\n"},
		{"range", "a = b + c;", Pos{Line: 1, Col: 5, EndLine: 1, EndCol: 10}, "1 | a = b + c;\n  |     ^~~~~\n"},
		{"range over lines", "f(a,\nb)", Pos{Line: 1, Col: 3, EndLine: 2, EndCol: 2}, "1 | f(a,\n  |   ^~\n"},
		{"tab", "\tx\ty", Pos{Line: 1, Col: 4}, "1 |     x   y\n  |         ^\n"},
		{"no column", "abc\r\ndef", Pos{Line: 1}, "1 | abc\n"},
		{"end of line", "abc", Pos{Line: 1, Col: 4}, "1 | abc\n  |    ^\n"},
		{"past the line", "abc", Pos{Line: 1, Col: 9}, "1 | abc\n"},
		{"no such line", "abc", Pos{Line: 2, Col: 1}, ""},
		{"control characters", "a\x1b[31m", Pos{Line: 1, Col: 1}, "1 | a·[31m\n  | ^\n"},
		{"long", "0123456789012345678901234567890123456789", Pos{Line: 1, Col: 26, EndLine: 1, EndCol: 27}, "1 | …67890123456789…\n  |           ^\n"},
	} {
		got := excerptOf(c.text, c.pos, 20, "")
		if got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

func excerptOf(text string, p Pos, width int, prefix string) string {
	var b strings.Builder
	w := NewWriter(&b, false)
	excerpt(w, func(string) (string, bool) { return text, true }, p, width, prefix)
	return b.String()
}

// FuzzExcerpt: any text and any position give lines of at most the width, and
// no panic.
func FuzzExcerpt(f *testing.F) {
	f.Add("a\tb\n\xff", 1, 2, 1, 3, 20)
	f.Add("0123456789012345678901234567890", 1, 28, 2, 1, 9)
	f.Fuzz(func(t *testing.T, text string, line, col, endLine, endCol, width int) {
		width = 20 + width&63
		got := excerptOf(text, Pos{File: "f", Line: line, Col: col, EndLine: endLine, EndCol: endCol}, width, "  ")
		n := 0
		for _, r := range got {
			if n++; r == '\n' {
				n = 0
			}
			if n > width {
				t.Fatalf("wider than %d:\n%s", width, got)
			}
		}
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
	})
}
