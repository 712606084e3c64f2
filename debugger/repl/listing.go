package repl

import (
	"fmt"
	"strconv"
	"strings"

	"ampdbg/debugger"
	"ampdbg/diag"
)

// cmdList lists source lines: around a line, a file's line, a range, or on
// from the last ones.
func (r *Repl) cmdList(args string) error {
	at, err := r.at()
	if err != nil {
		return err
	}
	file := r.listed.file
	if file == "" || args != "" {
		th, _ := at.Thread(r.focus)
		file = th.Pos.File
	}
	first := r.listed.next
	if first < 1 {
		first = 1
	}
	last := first + 9
	if args != "" {
		from, to, isRange := strings.Cut(args, ",")
		loc, err := debugger.ParseLocation(from)
		if err != nil {
			return err
		}
		n := 0
		if l, ok := loc.(debugger.FileLine); !ok {
			pos, err := at.Locate(loc)
			if err != nil {
				return err
			}
			file, n = pos.File, pos.Line
		} else if n = l.Line; l.File != "" {
			file = l.File
		}
		first, last = max(n-5, 1), max(n-5, 1)+9
		if isRange {
			first = n
			if last, err = strconv.Atoi(strings.TrimSpace(to)); err != nil {
				return wrong("expected LINE,LAST, found %q", args)
			}
			if last < first {
				return wrong("expected a LAST that is not before LINE, found %q", args)
			}
		}
	}
	file, lines, err := at.List(file, first, last)
	if err != nil {
		return err
	}
	here := diag.Pos{}
	if fs, err := at.Frames(r.focus); err == nil {
		here = fs[r.frame].Pos
	}
	for _, l := range lines {
		mark := "  "
		isHere := here.File == file && here.Line == l.Number
		switch {
		case isHere && l.Break > 0:
			mark = "=*"
		case isHere:
			mark = "=>"
		case l.Break > 0:
			mark = " *"
		}
		count := ""
		if l.Count > 0 {
			count = fmt.Sprintf("%d", l.Count)
			if l.Active > 0 && l.Active != l.Count {
				count = fmt.Sprintf("%d/%d", l.Active, l.Count)
			}
		}
		fmt.Fprintln(r.out, strings.TrimRight(fmt.Sprintf("%s %4d %6s  %s", mark, l.Number, count, strings.ReplaceAll(l.Text, "\t", "    ")), " "))
	}
	r.listed = listing{file: file, next: lines[len(lines)-1].Number + 1}
	return nil
}

func (r *Repl) cmdDisassemble(args string) error {
	n, err := count(args, 6)
	if err != nil {
		return err
	}
	at, err := r.at()
	if err != nil {
		return err
	}
	list, err := at.Disassembly(r.focus, r.frame, n)
	if err != nil {
		return err
	}
	last := 0
	for _, in := range list {
		if in.Pos.Line > 0 && in.Pos.Line != last {
			last = in.Pos.Line
			fmt.Fprintf(r.out, "%s:%d: %s\n", in.Pos.File, last, strings.TrimSpace(r.sourceText(in.Pos)))
		}
		mark := "  "
		if in.Here {
			mark = "=>"
		}
		text, _, _ := strings.Cut(in.Text, "\n")
		fmt.Fprintf(r.out, "%s word %d\t%s\n", mark, in.Word, text)
	}
	return nil
}

// infoWords is what info tells of, by the word after it. The first name of each
// is the one that is listed and completed; a beginning of a name will do, and the
// first that has it is meant.
var infoWords = []struct {
	names []string
	tell  func(r *Repl, rest string) error
}{
	{[]string{"breakpoints"}, func(r *Repl, _ string) error { return r.cmdBreakpoints("") }},
	{[]string{"watchpoints"}, func(r *Repl, _ string) error { return r.cmdWatchpoints() }},
	{[]string{"locals", "args"}, func(r *Repl, _ string) error { return r.cmdLocals("") }},
	{[]string{"globals", "variables", "buffers", "images"}, func(r *Repl, _ string) error { return r.cmdGlobals("") }},
	{[]string{"threads"}, func(r *Repl, rest string) error { return r.cmdThreads(rest) }},
	{[]string{"lanes", "warp"}, func(r *Repl, _ string) error { return r.cmdLanes("") }},
	{[]string{"findings"}, func(r *Repl, _ string) error { return r.cmdFindings("") }},
	{[]string{"functions"}, func(r *Repl, _ string) error { return r.list((*debugger.Stopped).Functions) }},
	{[]string{"files", "sources"}, func(r *Repl, _ string) error { return r.list((*debugger.Stopped).Files) }},
	{[]string{"stack", "frame"}, func(r *Repl, _ string) error { return r.cmdBacktrace("") }},
	{[]string{"history"}, func(r *Repl, _ string) error { return r.cmdHistory("") }},
	{[]string{"display"}, func(r *Repl, _ string) error {
		for _, d := range r.displays {
			fmt.Fprintf(r.out, "%d: %s\n", d.id, d.expr.Text)
		}
		return nil
	}},
	{[]string{"line", "source", "program"}, func(r *Repl, _ string) error { r.where("", nil); return nil }},
}

// infoNames are the words that info is told of.
func infoNames() (names []string) {
	for _, w := range infoWords {
		names = append(names, w.names[0])
	}
	return names
}

// cmdInfo answers "info WHAT" for those used to gdb.
func (r *Repl) cmdInfo(args string) error {
	what, rest, _ := strings.Cut(args, " ")
	if what == "" {
		return r.cmdLaunch("")
	}
	for _, whole := range []bool{true, false} {
		for _, w := range infoWords {
			for _, n := range w.names {
				if n == what || !whole && strings.HasPrefix(n, what) {
					return w.tell(r, rest)
				}
			}
		}
	}
	names := infoNames()
	last := len(names) - 1
	return wrong("expected %s or %s, found %q", strings.Join(names[:last], ", "), names[last], what)
}

// list writes names, one a line.
func (r *Repl) list(of func(*debugger.Stopped) ([]string, error)) error {
	at, err := r.at()
	if err != nil {
		return err
	}
	names, err := of(at)
	if err == nil {
		fmt.Fprintln(r.out, strings.Join(names, "\n"))
	}
	return err
}

func (r *Repl) cmdLaunch(string) error {
	l := r.s.Launch()
	if l.Dispatch == 0 {
		return fmt.Errorf("%s has no dispatch", l.Name)
	}
	r.greetDispatch(l)
	fmt.Fprintf(r.out, "%d of %s started, %d ended, %d thread-instructions\n", l.Started,
		diag.Count(uint64(l.Tiles[0])*uint64(l.Tiles[1])*uint64(l.Tiles[2]), "tile", "tiles"), l.Done, l.Steps)
	if l.Exited {
		fmt.Fprintln(r.out, "the launch has ended")
	}
	return nil
}

// cmdHistory shows what is kept of the past.
func (r *Repl) cmdHistory(string) error {
	at, err := r.at()
	if err != nil {
		return err
	}
	h, err := at.History()
	if err != nil {
		return err
	}
	if l := r.s.Launch(); l.Dispatch < h.Dispatch {
		fmt.Fprintf(r.out, "at the end of the launch, after dispatch %d, %d thread-instructions after its start\n", l.Dispatch, h.Steps)
	} else {
		fmt.Fprintf(r.out, "in dispatch %d, after %s of warps there, %d thread-instructions after the start of the launch\n", h.Dispatch, diag.Count(h.Turn, "turn", "turns"), h.Steps)
	}
	where := func(c debugger.Checkpoints) string {
		if c.First == c.Last {
			return fmt.Sprintf("%d in dispatch %d", c.Count, c.First)
		}
		return fmt.Sprintf("%d in dispatches %d to %d", c.Count, c.First, c.Last)
	}
	fmt.Fprintf(r.out, "checkpoints: %s", where(h.Before))
	if h.After.Count > 0 {
		fmt.Fprintf(r.out, "; later ones: %s", where(h.After))
	}
	fmt.Fprintf(r.out, "; %d KiB, at most %d MiB\n", (h.Bytes+1023)>>10, h.Limit>>20)
	if h.Changes+h.Later > 0 {
		fmt.Fprintf(r.out, "%s, made again whenever the past is gone through again", diag.Count(h.Changes, "change", "changes"))
		if h.Later > 0 {
			fmt.Fprintf(r.out, ", and %d later", h.Later)
		}
		fmt.Fprintln(r.out)
	}
	return nil
}

func (r *Repl) cmdFindings(string) error {
	list := r.s.Findings()
	if len(list) == 0 {
		fmt.Fprintln(r.out, "nothing found so far")
		return nil
	}
	return diag.WriteText(r.out, []*diag.Report{{Findings: list}}, diag.TextOptions{Width: r.opt.Width, Sources: r.opt.Sources})
}

func (r *Repl) cmdSource(args string) error {
	if args == "" {
		return wrong("expected the name of a script")
	}
	if r.opt.ReadFile == nil {
		return fmt.Errorf("no files can be read here")
	}
	text, err := r.opt.ReadFile(args)
	if err != nil {
		return err
	}
	return r.Script(r.ctx, args, strings.NewReader(string(text)))
}

func (r *Repl) cmdQuit(string) error {
	r.quit = true
	return nil
}
