package repl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ampdbg/debugger"
	"ampdbg/diag"
)

func (r *Repl) cmdBreak(args string) error  { return r.setBreak(args, false) }
func (r *Repl) cmdTBreak(args string) error { return r.setBreak(args, true) }

// setBreak reads "[PLACE] [threads COND] [if COND]".
func (r *Repl) setBreak(args string, temp bool) error {
	place, c, err := cutCondition(args, "if")
	if err != nil {
		return err
	}
	place, t, err := cutCondition(place, "threads")
	if err != nil {
		return err
	}
	b, err := r.s.Break(place)
	if err != nil {
		return err
	}
	b.Temp = temp
	return r.finish(b, t, c)
}

// finish gives a new breakpoint its conditions, and tells of it; one whose
// conditions are wrong goes away again.
func (r *Repl) finish(b *debugger.Breakpoint, threads, cond *debugger.Expr) error {
	if err := r.s.SetConditions(b, threads, cond); err != nil {
		r.s.Delete(b.ID)
		return err
	}
	r.tellBreak(b)
	return nil
}

// cutWord cuts s before a word that stands alone.
func cutWord(s, word string) (before, after string, found bool) {
	s = " " + s + " "
	before, after, found = strings.Cut(s, " "+word+" ")
	return strings.TrimSpace(before), strings.TrimSpace(after), found
}

// cutCondition cuts s before a word that a condition follows, which is nil
// without the word.
func cutCondition(s, word string) (before string, cond *debugger.Expr, err error) {
	before, after, found := cutWord(s, word)
	if !found {
		return before, nil, nil
	}
	if after == "" {
		return before, nil, wrong("expected a condition after %q", word)
	}
	cond, err = debugger.ParseExpr(after)
	return before, cond, err
}

func (r *Repl) tellBreak(b *debugger.Breakpoint) {
	kind := "breakpoint"
	switch {
	case b.Watch != "":
		kind = "watchpoint"
	case b.Log != "":
		kind = "logpoint"
	case b.Temp:
		kind = "temporary breakpoint"
	}
	switch {
	case b.Problem != "":
		fmt.Fprintf(r.out, "%s %d waits: %s\n", kind, b.ID, b.Problem)
	case b.Watch != "":
		fmt.Fprintf(r.out, "%s %d (%s) on %s\n", kind, b.ID, b.Watch, b.Spec)
	default:
		copies := ""
		if b.Places > 1 {
			copies = fmt.Sprintf(", %d places", b.Places)
		}
		fmt.Fprintf(r.out, "%s %d at %s:%d%s\n", kind, b.ID, b.Pos.File, b.Pos.Line, copies)
	}
}

// breakpoint reads a breakpoint's number off args.
func (r *Repl) breakpoint(args string) (*debugger.Breakpoint, string, error) {
	first, rest, _ := strings.Cut(args, " ")
	id, err := strconv.Atoi(first)
	if err != nil {
		return nil, "", wrong("expected the number of a breakpoint, found %q", first)
	}
	b, err := r.s.Breakpoint(id)
	return b, strings.TrimSpace(rest), err
}

func (r *Repl) cmdCondition(args string) error {
	b, rest, err := r.breakpoint(args)
	if err != nil {
		return err
	}
	if rest == "" {
		fmt.Fprintf(r.out, "breakpoint %d is without a condition now\n", b.ID)
		return r.s.SetConditions(b, b.Threads, nil)
	}
	e, err := debugger.ParseExpr(rest)
	if err != nil {
		return err
	}
	if err := r.s.SetConditions(b, b.Threads, e); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "breakpoint %d stops if %s\n", b.ID, e.Text)
	return nil
}

func (r *Repl) cmdIgnore(args string) error {
	b, rest, err := r.breakpoint(args)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(rest, 10, 64)
	if err != nil {
		return wrong("expected how many hits to ignore, found %q", rest)
	}
	b.Hit = b.Hits + n + 1
	fmt.Fprintf(r.out, "breakpoint %d does not stop at the next %s\n", b.ID, diag.Count(n, "hit", "hits"))
	return nil
}

// cmdLog reads "PLACE, MESSAGE".
func (r *Repl) cmdLog(args string) error {
	place, text, ok := strings.Cut(args, ",")
	if !ok {
		return wrong("expected PLACE, MESSAGE with {expressions}")
	}
	place, c, err := cutCondition(place, "if")
	if err != nil {
		return err
	}
	text = unquote(strings.TrimSpace(text))
	if text == "" {
		return wrong("expected a MESSAGE after the comma")
	}
	b, err := r.s.Break(place)
	if err != nil {
		return err
	}
	if err := b.SetLog(text); err != nil {
		r.s.Delete(b.ID)
		return err
	}
	return r.finish(b, nil, c)
}

func unquote(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}

func (r *Repl) cmdDelete(args string) error {
	if args == "" {
		for _, b := range r.s.Breakpoints() {
			r.s.Delete(b.ID)
		}
		return nil
	}
	for _, w := range strings.Fields(args) {
		b, _, err := r.breakpoint(w)
		if err != nil {
			return err
		}
		r.s.Delete(b.ID)
	}
	return nil
}

func enabler(on bool) func(*Repl, string) error {
	return func(r *Repl, args string) error {
		if args == "" {
			for _, b := range r.s.Breakpoints() {
				b.Enabled = on
			}
			return nil
		}
		for _, w := range strings.Fields(args) {
			b, _, err := r.breakpoint(w)
			if err != nil {
				return err
			}
			b.Enabled = on
		}
		return nil
	}
}

func (r *Repl) cmdBreakpoints(string) error {
	return r.showBreakpoints(r.s.Breakpoints(), "no breakpoints")
}

// cmdWatchpoints lists the watchpoints alone.
func (r *Repl) cmdWatchpoints() error {
	list := slices.DeleteFunc(r.s.Breakpoints(), func(b *debugger.Breakpoint) bool { return b.Watch == "" })
	return r.showBreakpoints(list, "no watchpoints")
}

func (r *Repl) showBreakpoints(list []*debugger.Breakpoint, none string) error {
	if len(list) == 0 {
		fmt.Fprintln(r.out, none)
		return nil
	}
	t := newTable("", "num", "kind", "on", "hits", "what")
	for _, b := range list {
		kind, what := "break", b.Spec
		if b.Pos.Line > 0 {
			what = fmt.Sprintf("%s:%d", b.Pos.File, b.Pos.Line)
		}
		switch {
		case b.Watch != "":
			kind, what = "watch "+string(b.Watch), b.Spec
			if text := b.Range(); text != "" {
				what += " (" + text + ")"
			}
		case b.Log != "":
			kind, what = "log", what+", "+strconv.Quote(b.Log)
		case b.Temp:
			kind = "tbreak"
		}
		if b.Threads != nil {
			what += " threads " + b.Threads.Text
		}
		if b.Cond != nil {
			what += " if " + b.Cond.Text
		}
		if b.Hit > b.Hits+1 {
			what += fmt.Sprintf(" (stops at hit %d)", b.Hit)
		}
		if b.Problem != "" {
			what += " (waits: " + b.Problem + ")"
		}
		if b.CondFail != "" {
			what += " (condition: " + b.CondFail + ")"
		}
		on := "y"
		if !b.Enabled {
			on = "n"
		}
		t.row("", strconv.Itoa(b.ID), kind, on, fmt.Sprint(b.Hits), what)
	}
	t.write(r.out)
	return nil
}

func watcher(kind debugger.WatchKind) func(*Repl, string) error {
	return func(r *Repl, args string) error {
		kind := kind
		first, rest, _ := strings.Cut(args, " ")
		if k := debugger.WatchKind(strings.TrimPrefix(first, "-")); strings.HasPrefix(first, "-") {
			switch k {
			case debugger.WatchRead, debugger.WatchWrite, debugger.WatchAccess, debugger.WatchChange:
				kind, args = k, strings.TrimSpace(rest)
			default:
				if isWord(string(k)) {
					return wrong("no flag %s", first)
				}
			}
		}
		args, c, err := cutCondition(args, "if")
		if err != nil {
			return err
		}
		args, length, limited := cutWord(args, "bytes")
		size := int64(0)
		if limited {
			if size, err = strconv.ParseInt(length, 0, 32); err != nil || size < 1 {
				return wrong("expected a number of bytes, found %q", length)
			}
		}
		if args == "" {
			return wrong("expected what to watch, such as watchpoint sums[3]")
		}
		b, err := r.s.Watch(args, kind, size)
		if err != nil {
			return err
		}
		return r.finish(b, nil, c)
	}
}

func (r *Repl) cmdCatch(args string) error {
	words := strings.Fields(args)
	if len(words) == 0 {
		for _, n := range debugger.CatchNames() {
			on := "off"
			if r.s.Catching(n) {
				on = "on"
			}
			fmt.Fprintf(r.out, "%s %s\n", n, on)
		}
		return nil
	}
	on := true
	if len(words) > 1 {
		switch words[1] {
		case "on":
		case "off":
			on = false
		default:
			return wrong("expected on or off, found %q", words[1])
		}
	}
	if len(words) > 2 {
		return wrong("expected KIND and on or off, found %q", args)
	}
	return r.s.Catch(words[0], on)
}
