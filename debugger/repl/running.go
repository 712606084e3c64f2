package repl

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ampdbg/debugger"
	"ampdbg/diag"
)

// stopped takes the focus to a stop, and writes that with what is displayed at
// each.
func (r *Repl) stopped(st *debugger.Stop, err error) error {
	if err != nil {
		return err
	}
	r.focus, r.frame = st.Thread, 0
	r.budget = r.budget || st.Reason == debugger.AtBudget
	if st.Finding != nil {
		r.judge([]diag.Finding{*st.Finding})
	}
	r.judge(r.s.Findings())
	if l := r.s.Launch(); l.Dispatch != r.dispatch && st.Reason != debugger.AtExit {
		r.greetDispatch(l)
	}
	if st.Reason == debugger.AtFinding && st.Finding != nil {
		report := &diag.Report{Findings: []diag.Finding{*st.Finding}}
		diag.WriteText(r.out, []*diag.Report{report}, diag.TextOptions{Width: r.opt.Width, Sources: r.opt.Sources})
	}
	if st.Watch != nil {
		r.watchHit(st)
	}
	for _, f := range st.Failed {
		fmt.Fprintln(r.out, f)
	}
	switch st.Reason {
	case debugger.AtExit:
		fmt.Fprintln(r.out, st.Text)
		for _, f := range r.s.Failed() {
			fmt.Fprintln(r.out, f)
		}
		if list := r.s.Findings(); len(list) > 0 {
			fmt.Fprintf(r.out, "%s; \"info findings\" shows them\n", diag.Count(len(list), "finding", "findings"))
		}
		return nil
	case debugger.AtEnd:
		fmt.Fprintln(r.out, st.Text+"; continue goes on with the launch")
		return nil
	}
	head := ""
	switch st.Reason {
	case debugger.AtBreakpoint:
		head = number("breakpoint", st.Breakpoints) + ": "
	case debugger.AtHalt:
		head = "halted: "
	case debugger.AtHeld, debugger.AtBudget, debugger.AtHistoryEnd, debugger.AtStart:
		head = st.Text + ": "
	default:
		if st.Text != "" {
			head = st.Text + ": "
		}
	}
	if st.Reason == debugger.AtBreakpoint && st.Text != "" {
		fmt.Fprintln(r.out, st.Text)
	}
	r.where(head, st)
	if st.From != nil {
		if from, err := r.threadAt(*st.From); err == nil {
			fmt.Fprintf(r.out, "the focus was on thread %d of tile %s\n", from.ID.Local, diag.Triple(from.Tile))
		}
	}
	r.showDisplays()
	return nil
}

// where writes the focus' place: who, where, the source line.
func (r *Repl) where(head string, st *debugger.Stop) {
	th, err := r.thread()
	if err != nil {
		fmt.Fprintln(r.out, head+err.Error())
		return
	}
	place := th.Func
	if th.Pos.Line > 0 {
		place = fmt.Sprintf("%s:%d in %s", th.Pos.File, th.Pos.Line, th.Func)
	}
	count := ""
	if st != nil && st.Active > 0 {
		count = fmt.Sprintf(", %d active", st.Active)
	}
	status := ""
	if th.Status != debugger.Active {
		status = ", " + string(th.Status)
	}
	if place == "" {
		fmt.Fprintf(r.out, "%s%s%s\n", head, who(th), status)
		return
	}
	fmt.Fprintf(r.out, "%s%s\n%s%s%s\n", head, place, who(th), status, count)
	r.sourceLine(th.Pos)
	r.listed = listing{file: th.Pos.File, next: th.Pos.Line - 4}
}

func (r *Repl) sourceLine(p diag.Pos) {
	if text := r.sourceText(p); text != "" {
		fmt.Fprintf(r.out, "=> %d\t%s\n", p.Line, text)
	}
}

// sourceText is a line of source, empty if it is not to be had.
func (r *Repl) sourceText(p diag.Pos) string {
	at, err := r.at()
	if err != nil {
		return ""
	}
	text, _ := at.SourceLine(p)
	return text
}

// threadAt describes a thread.
func (r *Repl) threadAt(id debugger.ThreadID) (debugger.Thread, error) {
	at, err := r.at()
	if err != nil {
		return debugger.Thread{}, err
	}
	return at.Thread(id)
}

// who names a thread.
func who(th debugger.Thread) string {
	return fmt.Sprintf("thread %d of tile %s, global %s, lane %d of warp %d", th.ID.Local, diag.Triple(th.Tile), diag.Triple(th.Global), th.Lane, th.Warp)
}

func (r *Repl) watchHit(st *debugger.Stop) {
	h := st.Watch
	change := ""
	switch {
	case h.New != "" && h.New == h.Old:
		change = fmt.Sprintf(": %s, unchanged", h.Old)
	case h.New != "":
		change = fmt.Sprintf(": %s -> %s", h.Old, h.New)
	case h.Old != "":
		change = ": " + h.Old
	}
	what := h.Kind
	if what == "COPY" {
		what = fmt.Sprintf("COPY (%s)", h.Pos)
	}
	watch := ""
	if st.Breakpoints[0] != 0 {
		watch = number("watchpoint", st.Breakpoints) + ": "
	}
	// After an atomic or a change of a variable the focus is on the next line.
	line := ""
	if h.Pos.Line > 0 && what == h.Kind && h.Pos != st.Pos {
		line = fmt.Sprintf(", at %s:%d", h.Pos.File, h.Pos.Line)
	}
	more := ""
	if h.More > 0 {
		more = fmt.Sprintf(", and by %s of the warp", diag.Count(h.More, "more thread", "more threads"))
	}
	fmt.Fprintf(r.out, "%s%s of %s%s%s%s\n", watch, what, h.Object, change, line, more)
}

// number names breakpoints by their numbers.
func number(kind string, ids []int) string {
	var list []string
	for _, id := range ids {
		list = append(list, strconv.Itoa(id))
	}
	return kind + " " + strings.Join(list, ", ")
}

// scopeAndCount reads "[thread|warp|tile|grid] [N]".
func scopeAndCount(args string) (debugger.Scope, int, error) {
	scope, n := debugger.ThreadScope, 1
	words := strings.Fields(args)
	if len(words) > 0 {
		switch w := words[0]; w {
		case "thread", "warp", "tile", "grid":
			scope, words = debugger.Scope(w), words[1:]
		}
	}
	if len(words) > 0 {
		k, err := strconv.Atoi(words[0])
		if err != nil || k < 1 || len(words) > 1 {
			return "", 0, wrong("expected [thread|warp|tile|grid] [COUNT], found %q", args)
		}
		n = k
	}
	return scope, n, nil
}

// stepper makes the command of a kind of step.
func stepper(kind debugger.StepKind) func(*Repl, string) error {
	return stepping(kind, (*debugger.Session).Step)
}

// reverser makes the command of a kind of step backwards.
func reverser(kind debugger.StepKind) func(*Repl, string) error {
	return stepping(kind, (*debugger.Session).ReverseStep)
}

// stepping makes the command of a step of the focus, there or back.
func stepping(kind debugger.StepKind, do func(*debugger.Session, context.Context, debugger.Step) (*debugger.Stop, error)) func(*Repl, string) error {
	return func(r *Repl, args string) error {
		scope, n, err := scopeAndCount(args)
		if err != nil {
			return err
		}
		return r.stopped(do(r.s, r.ctx, debugger.Step{Kind: kind, Scope: scope, Thread: r.focus, Frame: r.frame, Count: n}))
	}
}

func count(args string, otherwise int) (int, error) {
	if args == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(args)
	if err != nil || n < 1 {
		return 0, wrong("expected a count, found %q", args)
	}
	return n, nil
}

func (r *Repl) cmdContinue(args string) error {
	n, err := count(args, 1)
	if err != nil {
		return err
	}
	var st *debugger.Stop
	for range n {
		if st, err = r.s.Continue(r.ctx, r.focus); err != nil {
			break
		}
		r.focus, r.frame = st.Thread, 0
		if st.Reason != debugger.AtBreakpoint && st.Reason != debugger.AtWatchpoint {
			break
		}
	}
	return r.stopped(st, err)
}

func (r *Repl) cmdReverseContinue(string) error {
	return r.stopped(r.s.ReverseContinue(r.ctx, r.focus))
}

// cmdRewind reads "[dispatch [N]]".
func (r *Repl) cmdRewind(args string) error {
	n := 1
	switch words := strings.Fields(args); {
	case len(words) == 0:
	case len(words) == 1 && words[0] == "dispatch":
		n = r.s.Launch().Dispatch
	default:
		k, err := strconv.Atoi(words[len(words)-1])
		if err != nil || len(words) > 2 || len(words) == 2 && words[0] != "dispatch" {
			return wrong("expected nothing, \"dispatch\" or \"dispatch N\", found %q", args)
		}
		n = k
	}
	return r.stopped(r.s.Rewind(r.ctx, r.focus, n))
}

func (r *Repl) cmdLastWrite(args string) error {
	if args == "" {
		return wrong("expected what was written, such as lastwrite sums[3]")
	}
	return r.stopped(r.s.LastWrite(r.ctx, r.focus, r.frame, args))
}

func (r *Repl) cmdRestart(string) error {
	st, err := r.s.Restart()
	if err != nil {
		return err
	}
	r.focus, r.frame = st.Thread, 0
	r.Greet()
	return nil
}

func (r *Repl) cmdUntil(args string) error {
	scope := debugger.ThreadScope
	first, rest, _ := strings.Cut(args, " ")
	switch first {
	case "thread", "warp", "tile", "grid":
		scope, args = debugger.Scope(first), strings.TrimSpace(rest)
	}
	var to debugger.Location
	if args == "" {
		th, err := r.thread()
		if err != nil {
			return err
		}
		if th.Pos.Line == 0 {
			return wrong("expected a place, such as until 12")
		}
		to = debugger.FileLine{File: th.Pos.File, Line: th.Pos.Line}
	} else {
		var err error
		if to, err = r.location(args); err != nil {
			return err
		}
	}
	return r.stopped(r.s.Step(r.ctx, debugger.Step{Kind: debugger.StepTo, Scope: scope, Thread: r.focus, Frame: r.frame, To: to}))
}

// cmdRev runs a command backwards, as Delve's rev does.
func (r *Repl) cmdRev(args string) error {
	if args == "" {
		return wrong("expected a command to do backwards")
	}
	name, rest := splitCommand(args)
	c, err := lookup(name)
	if err != nil {
		return err
	}
	back := map[string]string{
		"continue": "reverse-continue", "step": "reverse-step", "next": "reverse-next", "finish": "reverse-finish", "stepi": "reverse-stepi",
	}[c.names[0]]
	if back == "" {
		return wrong("expected continue, step, next, finish or stepi, found %q", name)
	}
	if c, err = lookup(back); err != nil {
		return err
	}
	return c.run(r, rest)
}

// cmdFirst shows the first access of the finding that the run stopped at.
func (r *Repl) cmdFirst(string) error { return r.stopped(r.s.FirstAccess(r.ctx, r.focus)) }
