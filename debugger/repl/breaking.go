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
func (r *Repl) setBreak(args string, temporary bool) error {
	place, set, err := settings(args)
	if err != nil {
		return err
	}
	at, err := r.breakAt(place)
	if err != nil {
		return err
	}
	b, err := r.s.AddBreakpoint(debugger.Breakpoint{At: at, Temporary: temporary, Settings: set})
	if err != nil {
		return err
	}
	r.tellPoint(b)
	return nil
}

// breakAt reads where to set a point: a location, or nothing for where the focus
// is.
func (r *Repl) breakAt(place string) (debugger.Location, error) {
	if place != "" {
		return r.location(place)
	}
	th, err := r.thread()
	if err != nil {
		return nil, err
	}
	if th.Pos.Line == 0 {
		return nil, fmt.Errorf("the focused thread is %s: name a place", th.Status)
	}
	return debugger.FileLine{File: th.Pos.File, Line: th.Pos.Line}, nil
}

// settings takes "[threads COND] [if COND]" off the end of arguments.
func settings(args string) (rest string, set debugger.Settings, err error) {
	if args, set.Condition, err = cutCondition(args, "if"); err == nil {
		rest, set.Threads, err = cutCondition(args, "threads")
	}
	return rest, set, err
}

// cutWord cuts s before a word that stands alone.
func cutWord(s, word string) (before, after string, found bool) {
	s = " " + s + " "
	before, after, found = strings.Cut(s, " "+word+" ")
	return strings.TrimSpace(before), strings.TrimSpace(after), found
}

// cutCondition cuts s before a word that a condition follows; that is empty
// without the word.
func cutCondition(s, word string) (before, cond string, err error) {
	before, cond, found := cutWord(s, word)
	if found && cond == "" {
		err = wrong("expected a condition after %q", word)
	}
	return before, cond, err
}

// tellPoint tells of a point that has been set.
func (r *Repl) tellPoint(p debugger.Point) {
	kind, what := "", ""
	placed := func(name string, pos diag.Pos, places int) {
		kind, what = name, fmt.Sprintf("at %s:%d", pos.File, pos.Line)
		if places > 1 {
			what += fmt.Sprintf(", %d places", places)
		}
	}
	c := p.Common()
	number := fmt.Sprint(c.ID)
	switch p := p.(type) {
	case debugger.Breakpoint:
		placed("breakpoint", p.Pos, p.Places)
		if p.Temporary {
			kind = "temporary breakpoint"
		}
	case debugger.Logpoint:
		placed("logpoint", p.Pos, p.Places)
	case debugger.Watchpoint:
		kind, what = "watchpoint", "on "+p.Expr
		number += fmt.Sprintf(" (%s)", p.Kind)
	}
	if c.Problem != "" {
		fmt.Fprintf(r.out, "%s %d waits: %s\n", kind, c.ID, c.Problem)
		return
	}
	fmt.Fprintf(r.out, "%s %s %s\n", kind, number, what)
}

// point reads a point's number off args.
func (r *Repl) point(args string) (p debugger.Common, rest string, err error) {
	first, rest, _ := strings.Cut(args, " ")
	id, err := strconv.Atoi(first)
	if err != nil {
		return p, "", wrong("expected the number of a breakpoint, found %q", first)
	}
	found, err := r.s.Point(id)
	if err == nil {
		p = found.Common()
	}
	return p, strings.TrimSpace(rest), err
}

func (r *Repl) cmdCondition(args string) error {
	p, rest, err := r.point(args)
	if err != nil {
		return err
	}
	p.Settings.Condition = rest
	if _, err := r.s.Configure(p.ID, p.Settings); err != nil {
		return err
	}
	if rest == "" {
		fmt.Fprintf(r.out, "breakpoint %d is without a condition now\n", p.ID)
	} else {
		fmt.Fprintf(r.out, "breakpoint %d stops if %s\n", p.ID, rest)
	}
	return nil
}

func (r *Repl) cmdIgnore(args string) error {
	p, rest, err := r.point(args)
	if err != nil {
		return err
	}
	if p.Settings.Ignore, err = strconv.ParseUint(rest, 10, 64); err != nil {
		return wrong("expected how many hits to ignore, found %q", rest)
	}
	if _, err := r.s.Configure(p.ID, p.Settings); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "breakpoint %d does not stop at the next %s\n", p.ID, diag.Count(p.Settings.Ignore, "hit", "hits"))
	return nil
}

// cmdLog reads "PLACE, MESSAGE".
func (r *Repl) cmdLog(args string) error {
	place, text, ok := strings.Cut(args, ",")
	if !ok {
		return wrong("expected PLACE, MESSAGE with {expressions}")
	}
	place, set, err := settings(place)
	if err != nil {
		return err
	}
	text = unquote(strings.TrimSpace(text))
	if text == "" {
		return wrong("expected a MESSAGE after the comma")
	}
	at, err := r.breakAt(place)
	if err != nil {
		return err
	}
	l, err := r.s.AddLogpoint(debugger.Logpoint{At: at, Message: text, Settings: set})
	if err != nil {
		return err
	}
	r.tellPoint(l)
	return nil
}

func unquote(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}

// points reads the numbers of points; without any it gives all.
func (r *Repl) points(args string) (list []debugger.Common, err error) {
	if args == "" {
		for _, p := range r.s.Points() {
			list = append(list, p.Common())
		}
	}
	for _, w := range strings.Fields(args) {
		p, _, err := r.point(w)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func (r *Repl) cmdDelete(args string) error {
	list, err := r.points(args)
	for _, p := range list {
		if err == nil {
			err = r.s.Delete(p.ID)
		}
	}
	return err
}

func enabler(on bool) func(*Repl, string) error {
	return func(r *Repl, args string) error {
		list, err := r.points(args)
		for _, p := range list {
			if err == nil {
				p.Settings.Disabled = !on
				_, err = r.s.Configure(p.ID, p.Settings)
			}
		}
		return err
	}
}

func (r *Repl) cmdBreakpoints(string) error { return r.showPoints(r.s.Points(), "no breakpoints") }

// cmdWatchpoints lists the watchpoints alone.
func (r *Repl) cmdWatchpoints() error {
	list := slices.DeleteFunc(r.s.Points(), func(p debugger.Point) bool { _, is := p.(debugger.Watchpoint); return !is })
	return r.showPoints(list, "no watchpoints")
}

func (r *Repl) showPoints(list []debugger.Point, none string) error {
	if len(list) == 0 {
		fmt.Fprintln(r.out, none)
		return nil
	}
	place := func(at debugger.Location, pos diag.Pos) string {
		if pos.Line > 0 {
			return fmt.Sprintf("%s:%d", pos.File, pos.Line)
		}
		return at.String()
	}
	t := newTable("", "num", "kind", "on", "hits", "what")
	for _, p := range list {
		kind, what := "break", ""
		switch p := p.(type) {
		case debugger.Breakpoint:
			what = place(p.At, p.Pos)
			if p.Temporary {
				kind = "tbreak"
			}
		case debugger.Logpoint:
			kind, what = "log", place(p.At, p.Pos)+", "+strconv.Quote(p.Message)
		case debugger.Watchpoint:
			kind, what = "watch "+string(p.Kind), p.Expr+watched(p)
		}
		c := p.Common()
		if c.Threads != "" {
			what += " threads " + c.Threads
		}
		if c.Condition != "" {
			what += " if " + c.Condition
		}
		if c.Ignore > 0 {
			what += fmt.Sprintf(" (stops at hit %d)", c.Hits+c.Ignore+1)
		}
		if c.Problem != "" {
			what += " (waits: " + c.Problem + ")"
		}
		if c.CondFail != "" {
			what += " (condition: " + c.CondFail + ")"
		}
		on := "y"
		if c.Disabled {
			on = "n"
		}
		t.row("", strconv.Itoa(c.ID), kind, on, fmt.Sprint(c.Hits), what)
	}
	t.write(r.out)
	return nil
}

// watched says what a watchpoint watches beyond what its expression does.
func watched(w debugger.Watchpoint) string {
	switch {
	case w.Private:
		return fmt.Sprintf(" (of thread %d of tile %d)", w.Thread.Local, w.Thread.Tile)
	case w.Tile >= 0:
		return fmt.Sprintf(" (%d bytes, in tile %d)", w.Size, w.Tile)
	case w.Size > 0:
		return fmt.Sprintf(" (%d bytes)", w.Size)
	}
	return ""
}

// watchKinds are the flags of watch: those of its own, and Delve's.
var watchKinds = map[string]debugger.WatchKind{
	"-change": debugger.WatchChange, "-write": debugger.WatchWrite, "-read": debugger.WatchRead, "-access": debugger.WatchAccess,
	"-w": debugger.WatchWrite, "-r": debugger.WatchRead, "-rw": debugger.WatchAccess,
}

func watcher(kind debugger.WatchKind) func(*Repl, string) error {
	return func(r *Repl, args string) error {
		w := debugger.Watchpoint{Kind: kind, Thread: r.focus, Frame: r.frame}
		if first, rest, _ := strings.Cut(args, " "); strings.HasPrefix(first, "-") {
			if k, ok := watchKinds[first]; ok {
				w.Kind, args = k, strings.TrimSpace(rest)
			} else if isWord(strings.TrimLeft(first, "-")) {
				return wrong("no flag %s", first)
			}
		}
		args, set, err := settings(args)
		if err != nil {
			return err
		}
		w.Settings = set
		text, length, limited := cutWord(args, "bytes")
		if limited {
			if w.Bytes, err = strconv.ParseInt(length, 0, 32); err != nil || w.Bytes < 1 {
				return wrong("expected a number of bytes, found %q", length)
			}
		}
		if text == "" {
			return wrong("expected what to watch, such as watch sums[3]")
		}
		if _, err := r.at(); err != nil {
			return err
		}
		w.Expr = text
		if w, err = r.s.AddWatchpoint(w); err != nil {
			return err
		}
		r.tellPoint(w)
		return nil
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
