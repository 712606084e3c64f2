package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"ampdbg/diag"
	"ampdbg/gpu/isolate"
)

// command is one entry of the command table.
type command struct {
	name  string
	args  string // operands, for the usage line
	short string // one line
	long  string // paragraphs for the command's help and docs/commands.md
	// setup registers the flags and gives the function that does the work
	// once they are parsed. That function returns the exit code; if it returns
	// an error, the error is printed and decides the exit code.
	setup func(fs *flag.FlagSet) func(env *environment, operands []string) (int, error)
}

// environment is what a command may touch of the outside.
type environment struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr *diag.Writer  // which escape what a terminal would act on
	gpus           *isolate.Host // reaches the devices
}

// commands is the table, in the order of the help text.
func commands() []command {
	return []command{
		runCommand,
		debugCommand,
		checkCommand,
		diffCommand,
		captureCommand,
		surveyCommand,
		devicesCommand,
		disasmCommand,
		explainCommand,
		demoCommand,
	}
}

// errUsage marks errors in the command line, after which the usage is named.
type errUsage struct{ error }

func usagef(format string, args ...any) error { return errUsage{fmt.Errorf(format, args...)} }

// run executes one command line and returns the exit code. A panic is a bug
// of this program and is reported as such, with the Go stack.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	env := &environment{
		stdin: stdin, stdout: diag.NewWriter(stdout, useColor(stdout)), stderr: diag.NewWriter(stderr, useColor(stderr)),
		gpus: &isolate.Host{},
	}
	defer func() {
		if b := diag.Recovered(recover()); b != nil {
			fmt.Fprintf(env.stderr, "this is a bug in ampdbg: %v\n\n%s", b.Cause, b.Stack)
			code = exitBug
		}
	}()
	ctx, done := withinMemory(ctx, stderr)
	defer done()
	env.ctx = ctx
	defer env.gpus.Close()
	if len(args) == 0 {
		fmt.Fprint(env.stderr, usage())
		return exitBadInput
	}
	name, args := args[0], args[1:]
	if name == "help" || name == "-h" || name == "-help" || name == "--help" {
		return env.written("help", help(env, args))
	}
	c := lookup(name)
	if c == nil {
		fmt.Fprintf(env.stderr, "ampdbg: no command %q; expected one of: %s\n", name, strings.Join(names(), ", "))
		return exitBadInput
	}
	return env.written(name, c.run(env, args))
}

// written tells of output that could not be written, and gives the exit code
// after it: a report that nobody got is not taken for a clean one.
func (env *environment) written(command string, code int) int {
	err := env.stdout.Err()
	if err == nil {
		return code
	}
	fmt.Fprintf(env.stderr, "ampdbg %s: cannot write the output: %v\n", command, err)
	if code == exitClean {
		return exitInconclusive
	}
	return code
}

func (c *command) run(env *environment, args []string) int {
	fs := c.flagSet()
	do := c.setup(fs)
	operands, err := parseInterleaved(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(env.stdout, c.help())
		return exitClean
	}
	code := exitBadInput
	if err != nil {
		err = errUsage{err}
	} else {
		code, err = do(env, operands)
		if w := env.stdout.Err(); w != nil && errors.Is(err, w) {
			err = nil // which is told at the end
		}
	}
	panicAtBug(err)
	if err != nil {
		fmt.Fprintf(env.stderr, "ampdbg %s: %s\n", c.name, setIn(err.Error()))
		var u errUsage
		if errors.As(err, &u) {
			fmt.Fprintf(env.stderr, "usage: %s\n", c.usageLine())
		}
		code = errorCode(err)
		if f := askedFormat(args); f != formatText && fs.Lookup("format") != nil {
			writeReports(env.stdout, f, []*diag.Report{{Name: strings.Join(operands, " "), Errors: diagErrors(err)}}, nil)
		}
	}
	return code
}

// askedFormat is the format that a command line asks for, which may be wrong
// elsewhere.
func askedFormat(args []string) format {
	f := formatText
	for i, arg := range args {
		name, value, ok := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		if name != "-format" && name != "format" || !strings.HasPrefix(arg, "-") {
			continue
		}
		if !ok && i+1 < len(args) {
			value = args[i+1]
		}
		f.Set(value)
	}
	return f
}

func (c *command) flagSet() *flag.FlagSet {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// parseInterleaved parses args with flags before, between and after the
// operands, which it returns. What follows "--" is operands.
func parseInterleaved(fs *flag.FlagSet, args []string) ([]string, error) {
	var operands []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		rest := fs.Args()
		if len(rest) == 0 {
			return operands, nil
		}
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" {
			return append(operands, rest...), nil
		}
		operands = append(operands, rest[0])
		args = rest[1:]
	}
}

func lookup(name string) *command {
	for _, c := range commands() {
		if c.name == name {
			return &c
		}
	}
	return nil
}

func names() []string {
	var out []string
	for _, c := range commands() {
		out = append(out, c.name)
	}
	return out
}
