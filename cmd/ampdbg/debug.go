package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"golang.org/x/term"

	"ampdbg/debugger"
	"ampdbg/debugger/repl"
	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/host"
	"ampdbg/launch"
)

var debugCommand = command{
	name:  "debug",
	args:  "FILE",
	short: "step through the launch, forwards and backwards",
	long: `Debugs a launch on the emulator: by source line, for single threads, warps or
whole tiles, with one expression across all threads, and backwards in time.

FILE is as for run: an AmberScript, or a bare module with its grid and
bindings. Its dispatches run one after the other, each stopping where a
breakpoint, a watchpoint or a finding says so.

Commands come from the terminal, from the files named by -x, one after the
other, or, where the standard input is no terminal, from there. A script ends
at its first command that fails. "help" lists the commands;
docs/debugger-commands.md describes them, docs/debugging.md walks through a
bug.

	ampdbg debug kernel.amber
	ampdbg debug -x session.txt kernel.amber
	echo 'break 19; ...' | ampdbg debug kernel.amber

The exit code is 1 if the kernel was found at fault, or an expectation of the
launch failed, before the end of the session; 2 if a script's command
failed; 3 if a script was interrupted.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		var opt debugOptions
		opt.register(fs)
		return func(env *environment, operands []string) (int, error) {
			operands, err := expandCaptures(operands)
			if err != nil {
				return 0, err
			}
			if len(operands) != 1 {
				return 0, usagef("expected one FILE, found %d", len(operands))
			}
			return opt.run(env, operands[0])
		}
	},
}

// debugOptions are the flags of debug.
type debugOptions struct {
	runOptions
	scripts repeated
	asm     bool
	history int
	uninit  repeated
}

func (o *debugOptions) register(fs *flag.FlagSet) {
	// Of the flags of run, those that say what to launch and how to emulate it.
	var run flag.FlagSet
	o.runOptions.register(&run)
	for _, name := range []string{"warp", "seed", "steps", "robust", "entry", "grid", "bind", "push", "spec", "target-env", "confine", "memory", "timeout"} {
		f := run.Lookup(name)
		fs.Var(f.Value, f.Name, f.Usage)
	}
	fs.Var(&o.scripts, "x", "run the commands in `SCRIPT`; may be given several times")
	fs.BoolVar(&o.asm, "asm", false, "debug the disassembly, even where there is a source")
	fs.Var(&o.uninit, "uninitialized", "for \"catch uninit\", take the contents of the buffer `NAME`, or at SET.BINDING, as not written; may be given several times")
	fs.IntVar(&o.history, "history", debugger.DefaultHistory>>20, "the most memory that checkpoints may take, in `MiB`")
}

func (o *debugOptions) run(env *environment, file string) (int, error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	if o.history < 1 || o.history > 1<<40 {
		return 0, usagef("--history %d: expected 1 MiB or more", o.history)
	}
	l, err := o.load(file)
	if err != nil {
		return o.finish(env, &diag.Report{Name: file, Errors: diagErrors(err)}, launch.FileSources(&o.launch, file))
	}
	if missing := emu.Lacks(l); missing != nil {
		return o.finish(env, &diag.Report{Name: l.Name, Errors: missing}, launch.FileSources(&o.launch, file))
	}
	uninit, err := uninitialized(l, o.uninit)
	if err != nil {
		return o.finish(env, &diag.Report{Name: l.Name, Errors: diagErrors(err)}, launch.FileSources(&o.launch, file))
	}
	sources := launch.Sources(l, &o.launch)
	s, err := debugger.New(l, debugger.Options{
		Warp: o.warp, Seed: o.seed, Steps: o.steps, Robust: o.robust, Asm: o.asm, History: o.history << 20, Uninitialized: uninit,
		Sources: sources,
	})
	if err != nil {
		return o.finish(env, &diag.Report{Name: l.Name, Errors: diagErrors(err)}, sources)
	}
	s.Listen(func(e debugger.Event) {
		if out, ok := e.(debugger.OutputEvent); ok {
			fmt.Fprintln(env.stdout, setIn(out.Text))
		}
	})
	inside, done := env.within(o.device.timeout)
	defer done()
	r := repl.New(s, env.stdout, repl.Options{
		Color: useColor(env.stdout), Width: columns(env.stdout), Sources: sources,
		Columns:    func() int { return columns(env.stdout) },
		ReadFile:   func(name string) ([]byte, error) { return host.ReadFile(name, host.MaxText) },
		CreateFile: func(name string) (io.WriteCloser, error) { return host.Create(name) },
		Diff: func(ctx context.Context, machine string) (*debugger.Difference, error) {
			d, err := o.compare(ctx, env, s, file, machine)
			panicAtBug(err)
			return d, err
		},
	})
	r.Greet()
	nothing := s.Launch().Dispatch == 0
	err = o.commands(env, inside, s, r)
	var bad *repl.ScriptError
	switch {
	case errors.As(err, &bad):
		fmt.Fprintf(env.stderr, "ampdbg debug: %v\n", err)
		return exitBadInput, nil
	case err != nil:
		return 0, err
	}
	clean, complete := r.Clean()
	switch {
	case !clean:
		return exitFindings, nil
	case !complete || nothing:
		return exitInconclusive, nil
	}
	return exitClean, nil
}

// commands runs the scripts, and the commands of the standard input. Scripts are
// run inside, which may end earlier.
func (o *debugOptions) commands(env, inside *environment, s *debugger.Session, r *repl.Repl) error {
	terminal := false
	if f, ok := env.stdin.(*os.File); ok {
		terminal = term.IsTerminal(int(f.Fd())) && isTerminal(env.stdout)
	}
	for _, name := range o.scripts {
		text, err := readFile(name, untilDone{inside.ctx, env.stdin})
		if err != nil {
			return err
		}
		if err := r.Script(inside.ctx, name, bytes.NewReader(text)); err != nil || r.Quit() {
			return o.interrupted(inside, s, err)
		}
	}
	if terminal {
		defer o.leave(env)()
		return r.Terminal(inside.ctx, historyFile(), onInterrupt)
	}
	if len(o.scripts) > 0 {
		return nil
	}
	return o.interrupted(inside, s, r.Script(inside.ctx, "stdin", untilDone{inside.ctx, env.stdin}))
}

// interrupted says where a script was when its context ended.
func (o *debugOptions) interrupted(env *environment, s *debugger.Session, err error) error {
	if env.ctx.Err() == nil {
		return err
	}
	at := &launch.Interrupted{Err: context.Cause(env.ctx)}
	var script *repl.ScriptError
	if errors.As(err, &script) {
		at.Pos = diag.Pos{File: script.Name, Line: script.Line}
	}
	if l := s.Launch(); l.Dispatch > 0 {
		at.Where = fmt.Sprintf("dispatch %d had taken %d steps, and %d of its tiles had ended", l.Dispatch, l.Steps, l.Done)
	}
	return interrupted(env.ctx, at)
}

// leave has a signal that asks the process to end do so while a person is asked
// for commands, and leaves the terminal as it was.
func (o *debugOptions) leave(env *environment) (done func()) {
	atPrompt.Store(true)
	fd := int(os.Stdin.Fd())
	state, stateErr := term.GetState(fd)
	stop := context.AfterFunc(env.ctx, func() {
		if stateErr == nil {
			term.Restore(fd, state)
		}
		fmt.Fprintf(env.stderr, "\nampdbg debug: %v\n", context.Cause(env.ctx))
		host.Abandon()
		os.Exit(exitInconclusive)
	})
	return func() {
		stop()
		atPrompt.Store(false)
	}
}

// columns is the width of the terminal that w is, 0 if it is none.
func columns(w io.Writer) int {
	if f := fileOf(w); f != nil {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil {
			return n
		}
	}
	return 0
}

// onInterrupt makes a context that Ctrl-C ends, too, until done is called.
func onInterrupt(ctx context.Context) (inside context.Context, done context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt)
}

// historyFile is where the commands of earlier sessions are kept.
func historyFile() string {
	if name, ok := os.LookupEnv("AMPDBG_HISTORY"); ok {
		return name
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "ampdbg", "history")
}
