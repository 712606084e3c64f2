// Package repl is the terminal front end of a debugging session: it reads
// commands, from a terminal or a script, and writes what the session answers.
// It sees nothing but the session.
//
// The commands are one table (see commands): it dispatches, resolves aliases and
// abbreviations, completes, and makes the help texts and
// docs/debugger-commands.md.
package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"ampdbg/debugger"
	"ampdbg/diag"
)

// Options say how to talk.
type Options struct {
	Color bool
	Width int // columns of the output; 0: 80
	// Columns is asked for the width before each command, as a terminal may be
	// resized; 0, or without it: Width.
	Columns func() int
	// Sources finds source texts for reports of findings; may be nil.
	Sources diag.Sources
	// ReadFile and CreateFile open the files that commands name; nil: those
	// commands fail.
	ReadFile   func(name string) ([]byte, error)
	CreateFile func(name string) (io.WriteCloser, error)
	// Diff compares the launch, as the emulator runs it, with what another
	// machine makes of it; nil: there is none. The machine is a GPU by its
	// number or a part of its name, or a folder of saved results; empty: the
	// default GPU.
	Diff func(ctx context.Context, machine string) (*debugger.Difference, error)
}

// Repl is a dialogue with a session.
type Repl struct {
	s   *debugger.Session
	out *diag.Writer
	opt Options
	ctx context.Context // of the command that is being done
	// The focus: the thread, and its frame, that commands are about where they
	// name no other.
	focus    debugger.ThreadID
	frame    int
	displays []display
	lastDisp int
	lastLine string // repeated by an empty line
	listed   listing
	quit     bool
	budget   bool // was used up
	faulty   bool // the kernel, by what was found so far
	dispatch int  // that was described last

	difference *debugger.Difference // that diff found last
}

// display is an expression written at every stop.
type display struct {
	id     int
	expr   *debugger.Expr
	format debugger.Format
}

// listing is where list goes on.
type listing struct {
	file string
	next int
}

// New makes a dialogue about s that writes to w.
func New(s *debugger.Session, w io.Writer, opt Options) *Repl {
	if opt.Width == 0 {
		opt.Width = 80
	}
	return &Repl{s: s, out: diag.NewBuffer(w, opt.Color), opt: opt}
}

// ScriptError is a command of a script that failed.
type ScriptError struct {
	Name string
	Line int
	Err  error
}

func (e *ScriptError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Name, e.Line, e.Err) }

func (e *ScriptError) Unwrap() error { return e.Err }

// Script executes commands, one a line, after writing each as it would stand
// in a terminal. It ends at quit, or with a *ScriptError at the first command
// that fails, or in which ctx ends. Lines that begin with # are comments.
func (r *Repl) Script(ctx context.Context, name string, in io.Reader) error {
	defer r.out.Flush()
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxLine)
	n := 1
	for ; !r.quit && sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fmt.Fprintf(r.out, "%s%s\n", prompt, line)
		r.out.Flush() // before what the kernel prints
		err := r.Do(ctx, line)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return &ScriptError{name, n, err}
		}
	}
	if errors.Is(sc.Err(), bufio.ErrTooLong) {
		return &ScriptError{name, n, fmt.Errorf("the line has more than %d MiB", maxLine>>20)}
	}
	return sc.Err()
}

// maxLine is the most bytes that a line of a script may have.
const maxLine = 1 << 20

// prompt is what stands before a command.
const prompt = "(ampdbg) "

// Greet writes what is being debugged.
func (r *Repl) Greet() {
	l := r.s.Launch()
	if l.Dispatch == 0 {
		fmt.Fprintf(r.out, "%s: no dispatch to debug\n", l.Name)
	} else {
		r.greetDispatch(l)
	}
	r.out.Flush()
}

func (r *Repl) greetDispatch(l debugger.Launch) {
	r.dispatch = l.Dispatch
	what := l.Entry
	if l.Pipeline != "" {
		what = fmt.Sprintf("%s (%s)", l.Pipeline, l.Entry)
	}
	threads := diag.Size(l.TileSize) + " threads"
	if l.TileSize == [3]uint32{1, 1, 1} {
		threads = "1 thread"
	}
	fmt.Fprintf(r.out, "%s: dispatch %d, %s: %s of %s, warps of %d\n", l.Name, l.Dispatch, what,
		diag.Count(uint64(l.Tiles[0])*uint64(l.Tiles[1])*uint64(l.Tiles[2]), "tile", "tiles"), threads, l.Warp)
	if l.Asm {
		fmt.Fprintln(r.out, "The module has no line information: the disassembly is the source.")
	}
}

// Do executes one command line. When ctx ends, what runs halts.
func (r *Repl) Do(ctx context.Context, line string) error {
	defer r.out.Flush()
	r.ctx = ctx
	if r.opt.Columns != nil {
		if n := r.opt.Columns(); n > 0 {
			r.opt.Width = n
		}
	}
	line = strings.TrimSpace(line)
	name, args := splitCommand(line)
	c, err := lookup(name)
	if err != nil {
		return err
	}
	r.lastLine = ""
	if c.repeats {
		r.lastLine = line
	}
	if c.again != "" {
		r.lastLine = c.again
	}
	if c.args == "" && args != "" {
		return fmt.Errorf("%s takes no arguments, found %q", c.names[0], args)
	}
	err = c.run(r, args)
	var bad *usageError
	if errors.As(err, &bad) {
		return fmt.Errorf("%w; usage: %s %s", err, c.names[0], c.args)
	}
	return err
}

// at is the session as it stands still.
func (r *Repl) at() (*debugger.Stopped, error) {
	at, ok := r.s.Stopped()
	if !ok {
		return nil, errors.New("nothing runs: the launch has no dispatch")
	}
	// A command that failed on its way may have left the focus' dispatch.
	if _, err := at.Thread(r.focus); err != nil {
		r.focus, r.frame = debugger.ThreadID{}, 0
	}
	return at, nil
}

// thread describes the focused thread.
func (r *Repl) thread() (debugger.Thread, error) {
	at, err := r.at()
	if err != nil {
		return debugger.Thread{}, err
	}
	return at.Thread(r.focus)
}

// location reads a location. A line alone is of the focused thread's file.
func (r *Repl) location(text string) (debugger.Location, error) {
	loc, err := debugger.ParseLocation(text)
	if l, ok := loc.(debugger.FileLine); ok && l.File == "" {
		if th, err := r.thread(); err == nil {
			l.File = th.Pos.File
		}
		return l, nil
	}
	return loc, err
}

// usageError is about arguments that are not what a command takes.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

// wrong makes an error about a command's arguments, which goes with its usage.
func wrong(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// splitCommand takes the command's name off a line. A format may follow it
// directly: "p/x 1".
func splitCommand(line string) (name, args string) {
	i := strings.IndexFunc(line, func(c rune) bool { return c == ' ' || c == '\t' || c == '/' })
	if i < 0 {
		return line, ""
	}
	if i == 0 {
		return line[:1], strings.TrimSpace(line[1:])
	}
	return line[:i], strings.TrimSpace(line[i:])
}

// lookup finds a command by name, alias, or the beginning of a name that no
// other has.
func lookup(name string) (*command, error) {
	list := commands()
	for i := range list {
		for _, n := range list[i].names {
			if n == name {
				return &list[i], nil
			}
		}
	}
	var found []*command
	for i := range list {
		if name != "" && strings.HasPrefix(list[i].names[0], name) {
			found = append(found, &list[i])
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, fmt.Errorf("no command %q; help lists them", name)
	}
	var names []string
	for _, c := range found {
		names = append(names, c.names[0])
	}
	return nil, fmt.Errorf("%q may be any of: %s", name, strings.Join(names, ", "))
}

// Quit reports whether the user has asked to leave.
func (r *Repl) Quit() bool { return r.quit }

// Clean reports whether the kernel has been found at fault in nothing so far,
// and its budget was enough. What was found counts even if the session has gone
// back to before it.
func (r *Repl) Clean() (clean, complete bool) {
	r.judge(r.s.Findings())
	return !r.faulty, !r.budget
}

// judge notes whether the kernel is at fault by what has been found.
func (r *Repl) judge(list []diag.Finding) {
	for _, f := range list {
		r.faulty = r.faulty || f.Severity < diag.SeverityNote
	}
	r.faulty = r.faulty || len(r.s.Failed()) > 0
}
