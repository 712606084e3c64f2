package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
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

Each operation runs in a process of its own, because some drivers' compilers
die of some; the table then says so. The exit code is 1 if a result is outside
of its bound.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		var o surveyOptions
		fs.StringVar(&o.device, "device", "", "measure the GPU `N|NAME`, or emulator; by default the first that is no CPU")
		fs.StringVar(&o.only, "only", "", "measure the operation `NAME/BITS` alone, in this process, and write its row")
		return func(env *environment, operands []string) (int, error) {
			if len(operands) > 0 {
				return 0, usagef("expected no operands, found %q", operands[0])
			}
			if o.only != "" {
				return o.one(env)
			}
			return o.all(env)
		}
	},
}

type surveyOptions struct{ device, only string }

// one measures the operation of --only.
func (o *surveyOptions) one(env *environment) (code int, err error) {
	for _, op := range survey.Operations() {
		if op.ID() != o.only {
			continue
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
		row, err := survey.Measure(env.ctx, ex, op)
		if err != nil {
			return 0, interrupted(err)
		}
		fmt.Fprint(env.stdout, row.String())
		if !row.Inside() {
			return exitFindings, nil
		}
		return exitClean, nil
	}
	var ids []string
	for _, op := range survey.Operations() {
		ids = append(ids, op.ID())
	}
	return 0, usagef("--only %s: expected one of: %s", o.only, strings.Join(ids, ", "))
}

// all measures each operation in a process of its own.
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
	for _, op := range survey.Operations() {
		cmd := exec.CommandContext(env.ctx, program, "survey", "--device", o.device, "--only", op.ID())
		out, err := cmd.Output()
		var exit *exec.ExitError
		switch {
		case env.ctx.Err() != nil:
			return 0, interrupted(env.ctx.Err())
		case err == nil:
		case errors.As(err, &exit) && exit.ExitCode() == exitFindings && len(out) > 0:
			code = exitFindings
		case errors.As(err, &exit) && exit.ExitCode() < 0:
			row := survey.Row{Operation: op, Lacking: "the driver dies of it (" + exit.Error() + ")"}
			out = []byte(row.String())
		case errors.As(err, &exit):
			message, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
			row := survey.Row{Operation: op, Lacking: message}
			out = []byte(row.String())
		default:
			return 0, err
		}
		if _, err := env.stdout.Write(out); err != nil {
			return 0, err
		}
	}
	return code, nil
}
