package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWrapKeepsTogether(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"the lanes of a warp 14 apart", "the lanes of a\nwarp 14 apart"},
		{"an index into data[i + 1] here", "an index into\ndata[i + 1] here"},
		{`the buffer of "a name" is short`, "the buffer of\n\"a name\" is\nshort"},
		{"the float of value -1.5 here", "the float of\nvalue -1.5 here"},
		{"f(a, b, c) and more of it", "f(a, b, c) and\nmore of it"},
		{"never ( closed and so it goes on", "never ( closed\nand so it goes\non"},
		{"1 2 3 4 5 6 7 8 9 10 11 12", "1 2 3 4 5 6 7 8\n9 10 11 12"},
	} {
		if got := Wrap(c.in, 16, "", ""); got != c.want {
			t.Errorf("%q:\n%s\nwant:\n%s", c.in, got, c.want)
		}
	}
}

// FuzzWrap: lines are at most as wide as asked, but for parts that are wider by
// themselves, and no word is lost.
func FuzzWrap(f *testing.F) {
	f.Add("data[i + 1] at line 14 (\"a b\" c)", 12)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 10 + width&127
		got := Wrap(text, width, "> ", "  ")
		if a, b := strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(strings.TrimPrefix(got, "> ")), " "); a != b {
			t.Fatalf("%q became %q", a, b)
		}
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > max(width, 2*maxPart+2) && len(parts(strings.Fields(line[2:]))) > 1 {
				t.Fatalf("a line of %d columns: %q", n, line)
			}
		}
	})
}
