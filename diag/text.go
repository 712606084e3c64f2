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

// painter colours text, or leaves it alone.
type painter bool

func (p painter) paint(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p painter) dim(s string) string  { return p.paint("2", s) }
func (p painter) bold(s string) string { return p.paint("1", s) }
func (p painter) mark(s string) string { return p.paint("1;32", s) }
func (p painter) severity(s Severity) string {
	return p.paint([...]string{"1;31", "1;33", "1;36", "2"}[min(s, SeverityOff)], s.String())
}

// WriteText writes reports for a person. Each finding starts with a line
// "file:line:col: severity: message [rule]"; a race shows both accesses as
// equal halves. A report with a Coverage ends with the coverage line.
func WriteText(w io.Writer, reports []*Report, opt TextOptions) error {
	if opt.Width == 0 {
		opt.Width = 80
	}
	t := textWriter{TextOptions: opt, paint: painter(opt.Color)}
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
	_, err := io.WriteString(w, t.String())
	return err
}

type textWriter struct {
	strings.Builder
	TextOptions
	paint painter
}

func (t *textWriter) finding(f *Finding) {
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
		fmt.Fprintf(t, "\n  %s; the lowest threads are shown\n", plural(n, "time", "times"))
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
	painted := t.paint.severity(s) + ": "
	if p.IsValid() {
		painted = t.paint.bold(p.String()) + ": " + painted
	}
	t.WriteString(painted + strings.TrimPrefix(text, head) + "\n")
}

func (t *textWriter) access(f *Finding, a *Access) {
	object := a.Object
	if object == "" {
		object = f.Variable
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
	t.place(a.Pos, a.ID)
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
	t.WriteString("\n" + Wrap(fmt.Sprintf("%s (%s): %s", p.Who, plural(uint64(p.Count), "thread", "threads"), p.What), t.Width, "  ", "      ") + "\n")
	t.place(p.Pos, p.ID)
}

// place writes "at file:line:col (%id)" and the excerpt below it.
func (t *textWriter) place(p Pos, id uint32) {
	switch {
	case p.IsValid() && id != 0:
		fmt.Fprintf(t, "    at %s (%%%d)\n", t.paint.bold(p.String()), id)
	case p.IsValid():
		fmt.Fprintf(t, "    at %s\n", t.paint.bold(p.String()))
	case id != 0:
		fmt.Fprintf(t, "    at %%%d\n", id)
	}
	t.excerpt(p, "    ")
}

func (t *textWriter) note(n Note) {
	t.WriteByte('\n')
	t.WriteString(Wrap(n.Msg, t.Width, "  note: ", "      ") + "\n")
	if n.Pos.IsValid() {
		t.place(n.Pos, 0)
	}
}

func (t *textWriter) stack(frames []Frame, prefix string) {
	for _, f := range frames {
		t.WriteString(strings.TrimRight(prefix+f.Func+"  "+f.Pos.String(), " ") + "\n")
	}
}

func (t *textWriter) excerpt(p Pos, prefix string) {
	t.WriteString(excerpt(t.Sources, p, t.Width, prefix, t.paint))
}

func (t *textWriter) error(e *Error) {
	msg := e.Msg
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	// A cause may be a tool's report of several lines, which stays as it is.
	head, more, _ := strings.Cut(msg, "\n")
	t.headline(e.Pos, SeverityError, head)
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
				parts = append(parts, plural(n, name, name+"s"))
			}
		}
		found = strings.Join(parts, ", ")
	}
	t.WriteString(Wrap(found, t.Width, r.Name+": ", "    ") + "\n")
	t.WriteString(Wrap(r.Coverage.String(), t.Width, r.Name+": ", "    ") + "\n")
}
