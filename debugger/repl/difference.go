package repl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ampdbg/debugger"
	"ampdbg/diag"
)

// cmdDiff compares the launch with another machine, and shows where they part.
func (r *Repl) cmdDiff(args string) error {
	if r.opt.Diff == nil {
		return errors.New("this session has no other machine to compare with")
	}
	d, err := r.opt.Diff(r.ctx, args)
	if err != nil {
		return err
	}
	r.difference = d
	for _, f := range d.Findings {
		fmt.Fprintf(r.out, "%s: %s: %s [%s]\n", f.Position(), f.Severity, f.Message, f.Rule())
	}
	fmt.Fprintln(r.out, strings.Join(d.Summary, "\n"))
	for _, n := range d.Notes {
		fmt.Fprintf(r.out, "note: %s\n", n)
	}
	for i := range d.Elements {
		e := &d.Elements[i]
		fmt.Fprintf(r.out, "%3d  %s\n", i+1, e.Text)
		if e.Suspect != "" {
			fmt.Fprintf(r.out, "     %s\n", e.Suspect)
		}
		fmt.Fprintf(r.out, "     %s\n", blame(e))
	}
	if len(d.Elements) > 0 {
		fmt.Fprintln(r.out, `"goto diff" goes to the write that left the first, "goto diff N" to that of another`)
	}
	return nil
}

// blame says who left an element.
func blame(e *debugger.DifferentElement) string {
	w := e.Last
	if w == nil {
		return "no thread writes it on the emulator"
	}
	place := ""
	if w.Pos.IsValid() {
		place = " at " + w.Pos.String()
	}
	count := ""
	if w.Count > 1 {
		count = fmt.Sprintf(", the last of %d writes", w.Count)
	}
	t := w.Thread
	return fmt.Sprintf("last %s by thread %d of tile %s, global %s%s: %s -> %s%s", w.Kind, t.Local, diag.Triple(t.Tile), diag.Triple(t.Global), place, w.Old, w.New, count)
}

// cmdGoto goes to the write that left an element that differs.
func (r *Repl) cmdGoto(args string) error {
	words := strings.Fields(args)
	n := 1
	if len(words) == 2 {
		var err error
		if n, err = strconv.Atoi(words[1]); err != nil {
			n = 0
		}
	}
	if len(words) < 1 || len(words) > 2 || words[0] != "diff" || n < 1 {
		return wrong("expected diff [N], found %q", args)
	}
	d := r.difference
	switch {
	case d == nil:
		return errors.New("nothing has been compared yet; diff does that")
	case len(d.Elements) == 0:
		return errors.New("the comparison found no element that differs")
	case n > len(d.Elements):
		return fmt.Errorf("diff showed %d elements, there is no number %d", len(d.Elements), n)
	}
	e := &d.Elements[n-1]
	before := r.s.Launch().Dispatch
	st, err := r.s.GoToWrite(r.ctx, r.focus, d, e)
	if l := r.s.Launch(); l.Dispatch != before {
		r.greetDispatch(l)
	}
	if err == nil && st.Reason == debugger.AtStep {
		fmt.Fprintf(r.out, "before the last write of %s: %s on %s, %s on %s\n", e.Name, e.Values[0], d.Sides[0], e.Values[1], d.Sides[1])
	}
	return r.stopped(st, err)
}
