package diag

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// TextOptions says how WriteText writes.
type TextOptions struct {
	Color   bool    // ANSI colours
	Width   int     // columns; 0 is 80
	Sources Sources // for excerpts; nil: none
}

// The styles, as Writer.Style takes them.
const (
	styleDim  = "2"
	styleBold = "1"
	styleMark = "1;32"
)

// style is that of a severity's name.
func (s Severity) style() string {
	return [...]string{"1;31", "1;33", "1;36", "2"}[min(s, SeverityOff)]
}

// WriteText writes reports for a person. Each finding starts with a line
// "file:line:col: severity: message [rule]"; a race shows both accesses as
// equal halves. A report with a Coverage ends with the coverage line. All of
// it goes through a Writer: w itself if it is one, whose colours then count.
func WriteText(w io.Writer, reports []*Report, opt TextOptions) error {
	if opt.Width == 0 {
		opt.Width = 80
	}
	if u, ok := w.(*Writer); ok {
		opt.Color = u.color
		if err := u.Flush(); err != nil {
			return err
		}
	}
	t := textWriter{NewBuffer(w, opt.Color), opt}
	for _, r := range reports {
		for i := range r.Findings {
			t.finding(&r.Findings[i])
			t.WriteByte('\n')
		}
		for _, e := range r.Errors {
			t.error(e)
		}
		if r.Coverage != nil {
			t.summary(r)
		}
	}
	return t.Flush()
}

type textWriter struct {
	*Writer
	TextOptions
}

// findingText is one finding as WriteText writes it, without excerpts.
func findingText(f *Finding) string {
	var b strings.Builder
	t := textWriter{NewWriter(&b, false), TextOptions{Width: 80}}
	t.finding(f)
	return b.String()
}

func (t *textWriter) finding(f *Finding) {
	shown := f.printable()
	f = &shown
	t.headline(f.Position(), f.Severity, fmt.Sprintf("%s [%s]", f.Message, f.Rule()))
	if !f.shownBySide() {
		t.excerpt(f.Position(), "  ")
	}
	for i := range f.Accesses {
		t.access(f, &f.Accesses[i])
	}
	for i := range f.Parties {
		t.party(&f.Parties[i])
	}
	for _, n := range f.Notes {
		t.note(n)
	}
	if len(f.Stack) > 1 || len(f.Stack) == 1 && f.Stack[0].Pos != f.Position() {
		t.WriteString("\n  kernel stack:\n")
		t.stack(f.Stack, "    ")
	}
	if n := f.Times(); n > 1 {
		which := "the lowest threads are shown"
		if f.Code == Race {
			which = "the lowest threads seen are shown" // not every pair is looked at
		}
		fmt.Fprintf(t, "\n  %s; %s\n", Count(n, "time", "times"), which)
	}
}

// shownBySide reports whether an access or a party shows the main place.
func (f *Finding) shownBySide() bool {
	at := f.Position()
	return slices.ContainsFunc(f.Accesses, func(a Access) bool { return a.Pos == at }) ||
		slices.ContainsFunc(f.Parties, func(p Party) bool { return p.Pos == at })
}

// headline writes "pos: severity: message", wrapped.
func (t *textWriter) headline(p Pos, s Severity, msg string) {
	head := s.String() + ": "
	if p.IsValid() {
		head = p.String() + ": " + head
	}
	text := Wrap(msg, t.Width, head, "    ")
	if p.IsValid() {
		t.Style(styleBold, p.String())
		t.WriteString(": ")
	}
	t.Style(s.style(), s.String())
	t.WriteString(": " + strings.TrimPrefix(text, head) + "\n")
}

func (t *textWriter) access(f *Finding, a *Access) {
	object := a.Object
	if object == "" {
		object = f.Variable.String()
	}
	what := a.Kind
	if object != "" {
		what += " of "
		if f.Space != "" {
			what += f.Space + " "
		}
		what += object
	}
	t.WriteString("\n" + Wrap(what+" by "+a.Thread.String(), t.Width, "  ", "      ") + "\n")
	t.place(a.Pos, idName(a.ID, a.Name))
	switch {
	case a.Old != "" && a.New != "":
		t.WriteString(Wrap("was "+a.Old+", wrote "+a.New, t.Width, "    ", "      ") + "\n")
	case a.New != "":
		t.WriteString(Wrap("wrote "+a.New, t.Width, "    ", "      ") + "\n")
	case a.Old != "":
		t.WriteString(Wrap("read "+a.Old, t.Width, "    ", "      ") + "\n")
	}
	if len(a.Stack) > 1 {
		t.WriteString("    called from:\n")
		t.stack(a.Stack[1:], "      ")
	}
}

func (t *textWriter) party(p *Party) {
	t.WriteString("\n" + Wrap(fmt.Sprintf("%s (%s): %s", p.Who, Count(p.Count, "thread", "threads"), p.What), t.Width, "  ", "      ") + "\n")
	t.place(p.Pos, idName(p.ID, p.Name))
}

// place writes "at file:line:col (%id)" and the excerpt below it.
func (t *textWriter) place(p Pos, id string) {
	if p.IsValid() || id != "" {
		t.WriteString("    at ")
		t.Style(styleBold, p.String())
		switch {
		case !p.IsValid():
			t.WriteString(id)
		case id != "":
			t.WriteString(" (" + id + ")")
		}
		t.WriteByte('\n')
	}
	t.excerpt(p, "    ")
}

func (t *textWriter) note(n Note) {
	t.WriteByte('\n')
	t.WriteString(Wrap(n.Msg, t.Width, "  note: ", "      ") + "\n")
	if n.Pos.IsValid() {
		t.place(n.Pos, "")
	}
}

func (t *textWriter) stack(frames []Frame, prefix string) {
	for _, f := range frames {
		t.WriteString(strings.TrimRight(prefix+f.Func+"  "+f.Pos.String(), " ") + "\n")
	}
}

func (t *textWriter) excerpt(p Pos, prefix string) {
	excerpt(t.Writer, t.Sources, p, t.Width, prefix)
}

func (t *textWriter) error(e *Error) {
	msg := e.Msg
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	// A cause may be a tool's report of several lines, which stays as it is.
	head, more, _ := strings.Cut(msg, "\n")
	t.headline(e.Pos, SeverityError, Printable(head))
	if more != "" {
		t.WriteString(indent(strings.TrimRight(more, "\n"), "    ") + "\n")
	}
	t.excerpt(e.Pos, "  ")
}

// summary writes the last lines of a report: what was found, and what was
// checked.
func (t *textWriter) summary(r *Report) {
	count := [SeverityOff]uint64{}
	for i := range r.Findings {
		if s := r.Findings[i].Severity; s < SeverityOff {
			count[s]++
		}
	}
	found := "no findings"
	if len(r.Findings) > 0 {
		var parts []string
		for s, n := range count {
			if n > 0 {
				name := Severity(s).String()
				parts = append(parts, Count(n, name, name+"s"))
			}
		}
		found = strings.Join(parts, ", ")
	}
	t.WriteString(Wrap(found, t.Width, Printable(r.Name)+": ", "    ") + "\n")
	t.WriteString(Wrap(r.Coverage.String(), t.Width, Printable(r.Name)+": ", "    ") + "\n")
}
