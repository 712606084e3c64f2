package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"ampdbg/diff/survey"
	"ampdbg/emu"
	"ampdbg/gpu/isolate"
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

Where the driver dies of an operation, the table says so. The exit code is 1
if a result is outside of its bound.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		var o surveyOptions
		fs.StringVar(&o.device, "device", "", "measure the GPU `N|NAME`, or emulator; by default the first that is no CPU")
		fs.StringVar(&o.only, "only", "", "measure the operation `NAME/BITS` alone, and write its row")
		return func(env *environment, operands []string) (int, error) {
			if len(operands) > 0 {
				return 0, usagef("expected no operands, found %q", operands[0])
			}
			return o.run(env)
		}
	},
}

type surveyOptions struct{ device, only string }

// run measures the operations, and writes a row for each as it is done.
func (o *surveyOptions) run(env *environment) (code int, err error) {
	ops := survey.Operations()
	if o.only != "" {
		var ids []string
		for _, op := range ops {
			ids = append(ids, op.ID())
		}
		i := slices.Index(ids, o.only)
		if i < 0 {
			return 0, usagef("%s: expected one of: %s", o.only, strings.Join(ids, ", "))
		}
		ops = ops[i : i+1]
	}
	var ex launch.Executor = &emu.Emulator{Options: emu.Options{Warp: 64}}
	if o.device != "emulator" {
		a, err := env.gpus.Open(env.ctx, o.device, isolate.Options{})
		if err != nil {
			return 0, interrupted(env.ctx, err)
		}
		defer closeDevice(a, &err)
		ex = a
	}
	if o.only == "" {
		fmt.Fprint(env.stdout, survey.TableHead)
	}
	for _, op := range ops {
		row, err := survey.Measure(env.ctx, ex, op)
		if err != nil {
			return 0, interrupted(env.ctx, err)
		}
		if !row.Inside() {
			code = exitFindings
		}
		fmt.Fprint(env.stdout, row.String())
	}
	return code, nil
}
