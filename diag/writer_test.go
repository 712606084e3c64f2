package diag

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWriterEscapes(t *testing.T) {
	for _, c := range []struct{ in, want, printable string }{
		{"plain, ünïcode, 漢字, 👩‍💻\n\tindented", "plain, ünïcode, 漢字, 👩‍💻\n\tindented", `plain, ünïcode, 漢字, 👩‍💻\n\tindented`},
		{"\x1b[31mred\x1b]0;title\a", `\u001b[31mred\u001b]0;title\u0007`, `\u001b[31mred\u001b]0;title\u0007`},
		{"a\rb\x00\x7f", `a\u000db\u0000\u007f`, `a\u000db\u0000\u007f`},
		{"csi \u009b31m nel \u0085", `csi \u009b31m nel \u0085`, `csi \u009b31m nel \u0085`},
		{"\x9b31m \xff\xfe \xe2\x82", `\x9b31m \xff\xfe \xe2\x82`, `\x9b31m \xff\xfe \xe2\x82`},
		{"a\u202eb\u2066c\u2028d\ufeff", `a\u202eb\u2066c\u2028d\ufeff`, `a\u202eb\u2066c\u2028d\ufeff`},
		{"tag \U000e0041", `tag \udb40\udc41`, `tag \udb40\udc41`},
		{"\ufffd stays", "\ufffd stays", "\ufffd stays"},
	} {
		if got := Printable(c.in); got != c.printable {
			t.Errorf("Printable(%q) = %q, want %q", c.in, got, c.printable)
		}
		for size := 1; size <= len(c.in); size++ {
			var b strings.Builder
			w := NewWriter(&b, true)
			for rest := c.in; rest != ""; {
				n := min(size, len(rest))
				if k, err := w.WriteString(rest[:n]); k != n || err != nil {
					t.Fatal(k, err)
				}
				rest = rest[n:]
			}
			w.Flush()
			if b.String() != c.want {
				t.Errorf("%q in parts of %d gives %q, want %q", c.in, size, b.String(), c.want)
			}
		}
	}
}

func TestStylesAreNotForText(t *testing.T) {
	var b strings.Builder
	w := NewBuffer(NewWriter(&b, false), true)
	w.WriteString("half a rune \xe2\x82")
	w.Style("1;31", "bold\x1b[0m")
	w.Style("1", "")
	if b.Len() > 0 {
		t.Errorf("%q came before Flush", b.String())
	}
	w.Flush()
	if want := `half a rune \xe2\x82` + "\x1b[1;31mbold" + `\u001b[0m` + "\x1b[0m"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// hostile is text that takes a terminal over, in every place of a report that
// comes from outside.
func hostile() *Report {
	evil := "\x1b[2J\a\u009b\u202e\nclean: no findings\n"
	pos := Pos{File: "k" + evil, Line: 3, Col: 2}
	stack := []Frame{{Func: "f" + evil, Pos: pos}, {Func: "main", Pos: pos}}
	th := Thread{}
	return &Report{
		Name: "name" + evil,
		Findings: []Finding{{
			Code: Race, Class: RaceIntraTile, Message: "race on " + evil, Variable: Element{Name: "v" + evil, Path: "." + evil, Members: "." + evil}, Space: evil, Kernel: evil, Pos: pos,
			Accesses: []Access{{Kind: "write", Object: evil, Thread: th, Pos: pos, Old: evil, New: evil, Stack: stack}, {Kind: "read", Pos: pos}},
			Parties:  []Party{{Who: evil, What: evil, Count: 1, Pos: pos}},
			Notes:    []Note{{Pos: pos, Msg: evil}}, Stack: stack,
		}},
		Errors:   []*Error{{Pos: pos, Msg: "bad " + evil}},
		Coverage: &Coverage{Checked: 1, Unchecked: []Unchecked{{Count: 1, Why: evil}}},
	}
}

// TestHostileTextIsHarmless: no report in any format, with colours or without,
// holds a character that a terminal acts on, and no text from outside begins a
// line.
func TestHostileTextIsHarmless(t *testing.T) {
	write := map[string]func(w *Writer) error{
		"text": func(w *Writer) error {
			return WriteText(w, []*Report{hostile()}, TextOptions{Sources: func(string) (string, bool) { return "\n\n\x1b[2J evil\u202e", true }})
		},
		"json":  func(w *Writer) error { return WriteJSON(w, []*Report{hostile()}) },
		"sarif": func(w *Writer) error { return WriteSARIF(w, []*Report{hostile()}, "") },
		"junit": func(w *Writer) error { return WriteJUnit(w, []*Report{hostile()}) },
	}
	for name, do := range write {
		var b strings.Builder
		w := NewWriter(&b, false)
		if err := do(w); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		for _, r := range b.String() {
			if r != '\n' && r != utf8.RuneError && escaped(r) {
				t.Errorf("%s holds %q:\n%q", name, r, b.String())
				break
			}
		}
		if name == "text" && strings.Contains(b.String(), "\nclean") {
			t.Errorf("text from outside begins a line:\n%s", b.String())
		}
		if name == "json" {
			var doc struct{ Reports []struct{ Name string } }
			if err := json.Unmarshal([]byte(b.String()), &doc); err != nil || doc.Reports[0].Name != hostile().Name {
				t.Errorf("%v, name %q", err, doc.Reports[0].Name)
			}
		}
	}
}

// FuzzWriter: whatever is written, in whatever parts, comes out as text that a
// terminal only shows, and a rune or byte is never lost.
func FuzzWriter(f *testing.F) {
	f.Add("a\x1b[31m\xff\u202e\n", 3)
	f.Add("\xe2\x82\xac\xf0\x9f", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		var b strings.Builder
		w := NewBuffer(&b, true)
		for rest := text; rest != ""; {
			n := min(max(size, 1), len(rest))
			w.WriteString(rest[:n])
			rest = rest[n:]
		}
		w.Flush()
		got := b.String()
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		plain := true
		for _, r := range text {
			plain = plain && (isLayout(r) || !escaped(r))
		}
		for _, r := range got {
			if escaped(r) && !isLayout(r) && r != utf8.RuneError {
				t.Fatalf("%q passes: %q", r, got)
			}
		}
		if plain && got != text {
			t.Fatalf("%q became %q", text, got)
		}
		if strings.ContainsAny(Printable(text), "\n\t") {
			t.Fatal("more than a line")
		}
	})
}
