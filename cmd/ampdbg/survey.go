package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"ampdbg/diff/survey"
	"ampdbg/emu"
	"ampdbg/gpu"
	"ampdbg/launch"
)

var surveyCommand = command{
	name:  "survey",
	short: "measure how exact a device's float operations are",
	long: `Runs every float operation on 65,536 operands of a device, compares with the
exact results, and writes a Markdown table: the largest error, the operands
that gave it, and whether all results are inside the bound that Vulkan sets.

	ampdbg survey > table.md
	ampdbg survey --device emulator
	ampdbg survey --only FDiv/32

The operations run in a second process, since some drivers' compilers die of
some; the table then says so, and the rest follows in another one. The exit
code is 1 if a result is outside of its bound.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		var o surveyOptions
		fs.StringVar(&o.device, "device", "", "measure the GPU `N|NAME`, or emulator; by default the first that is no CPU")
		fs.StringVar(&o.only, "only", "", "measure the operation `NAME/BITS` alone, in this process, and write its row")
		fs.StringVar(&o.from, "from", "", "measure the operation `NAME/BITS` and those after it, in this process, and write their rows")
		return func(env *environment, operands []string) (int, error) {
			if len(operands) > 0 {
				return 0, usagef("expected no operands, found %q", operands[0])
			}
			if o.only != "" || o.from != "" {
				return o.here(env)
			}
			return o.all(env)
		}
	},
}

type surveyOptions struct{ device, only, from string }

// here measures the operations of --only or --from in this process.
func (o *surveyOptions) here(env *environment) (code int, err error) {
	ops := survey.Operations()
	first := slices.IndexFunc(ops, func(op *survey.Operation) bool { return op.ID() == o.only || op.ID() == o.from })
	if first < 0 {
		var ids []string
		for _, op := range ops {
			ids = append(ids, op.ID())
		}
		return 0, usagef("%s: expected one of: %s", o.only+o.from, strings.Join(ids, ", "))
	}
	ops = ops[first:]
	if o.only != "" {
		ops = ops[:1]
	}
	var ex launch.Executor = &emu.Emulator{Options: emu.Options{Warp: 64}}
	if o.device != "emulator" {
		a, err := gpu.Open(o.device, gpu.Options{})
		if err != nil {
			return 0, err
		}
		defer closeDevice(a, &err)
		ex = a
	}
	for _, op := range ops {
		row, err := survey.Measure(env.ctx, ex, op)
		if err != nil {
			return 0, interrupted(err)
		}
		if !row.Inside() {
			code = exitFindings
		}
		fmt.Fprint(env.stdout, row.String())
	}
	return code, nil
}

// all measures all operations in other processes: in the next one from where
// one died.
func (o *surveyOptions) all(env *environment) (int, error) {
	if o.device != "emulator" {
		// What keeps all operations from running is said once.
		a, err := gpu.Open(o.device, gpu.Options{})
		if err != nil {
			return 0, err
		}
		if err := a.Close(); err != nil {
			return 0, err
		}
	}
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	code := exitClean
	fmt.Fprint(env.stdout, survey.TableHead)
	ops := survey.Operations()
	for len(ops) > 0 {
		out, err := exec.CommandContext(env.ctx, program, "survey", "--device", o.device, "--from", ops[0].ID()).Output()
		if env.ctx.Err() != nil {
			return 0, interrupted(env.ctx.Err())
		}
		out = out[:bytes.LastIndexByte(out, '\n')+1] // whole rows
		if _, err := env.stdout.Write(out); err != nil {
			return 0, err
		}
		if bytes.Contains(out, []byte("**no**")) {
			code = exitFindings
		}
		ops = ops[min(bytes.Count(out, []byte{'\n'}), len(ops)):]
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return 0, err
		}
		if len(ops) == 0 {
			break
		}
		row := survey.Row{Operation: ops[0], Lacking: "the process ended without a word"}
		switch {
		case exit != nil && exit.ExitCode() < 0:
			row.Lacking = "the driver dies of it (" + exit.Error() + ")"
		case exit != nil:
			row.Lacking, _, _ = strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		}
		fmt.Fprint(env.stdout, row.String())
		ops = ops[1:]
	}
	return code, nil
}
