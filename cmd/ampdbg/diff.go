package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"

	"ampdbg/diag"
	"ampdbg/diff"
	"ampdbg/emu"
	"ampdbg/gpu"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/warp"
)

var diffCommand = command{
	name:  "diff",
	args:  "FILE...",
	short: "run the launch on the emulator and a GPU, compare",
	long: `Runs launches on two machines and compares every buffer and image after
each dispatch. Where numbers differ by more than is allowed, it names the first
of them, with both values, how far they are apart, and the thread and source
line that wrote it last on the emulator, with the values that the thread gave
it. A race, or a read of memory that no one wrote, that touches a number is
reported first: then the difference is a consequence.

	ampdbg diff matmul.amber                        the emulator and a GPU
	ampdbg diff --device 1 --against 0 matmul.amber two GPUs
	ampdbg diff --out DIR matmul.amber              run on a GPU, keep the results
	ampdbg diff --device emulator --against DIR matmul.amber
	ampdbg diff --table *.amber                     a row for each launch
	ampdbg diff capture                             what "ampdbg capture" took

Integers must be equal. What floats may differ by follows from the operations
of the module that can reach a buffer: nothing where all of them are exact, or
else the bound that Vulkan gives for each; --ulp, --abs and --rel set it. The
report says which operation is the loosest. Where the module has subgroup
operations, the emulator runs warps of the device's size.

FILE is what "ampdbg run" takes, and so are --grid, --bind, --push and --spec.
The exit code is 1 if the results differ or the kernel is at fault, 3 if a
machine cannot run the launch, or if numbers differ that depend on a branch, an
index or a conversion which inexact numbers decide.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		var opt diffOptions
		opt.register(fs)
		return func(env *environment, operands []string) (int, error) {
			files, err := expandCaptures(operands)
			if err != nil {
				return 0, err
			}
			if err := opt.check(files); err != nil {
				return 0, err
			}
			return opt.all(env, files)
		}
	},
}

// diffOptions are the flags of diff.
type diffOptions struct {
	device       deviceOptions
	against, out string
	override     diff.Override
	show, warp   int
	seed, steps  uint64
	format       format
	table        bool
	png          string
	columns      int
	launch       launch.LoadOptions
	grid         grid
	bind, spec   repeated
	captured     bool // a captured dispatch is compared with what its device left
}

// distance is the value of --ulp, --abs and --rel.
type distance struct{ to *float64 }

func (d distance) String() string { return "" }

func (d distance) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || x < 0 {
		return errors.New("expected a number that is not negative")
	}
	*d.to = x
	return nil
}

func (o *diffOptions) register(fs *flag.FlagSet) {
	o.format, o.override = formatText, diff.NoOverride
	o.device.register(fs)
	fs.StringVar(&o.against, "against", "", "compare with `MACHINE`, the reference: emulator (the default), the number or name of a device, or a folder that --out made")
	fs.StringVar(&o.out, "out", "", "keep what the device leaves in the folder `DIR`, and compare only if --against is given too")
	fs.Var(distance{&o.override.ULP}, "ulp", "floats may be `N` units in the last place apart")
	fs.Var(distance{&o.override.Abs}, "abs", "floats may be `X` apart")
	fs.Var(distance{&o.override.Rel}, "rel", "floats may be `X` times the larger one apart")
	fs.IntVar(&o.show, "show", 8, "report up to `N` differing numbers of each buffer")
	fs.IntVar(&o.warp, "warp", 0, "on the emulator, run warps of `N` lanes, 1 to 128; by default 4, or the device's where subgroup operations tell")
	registerSeed(fs, &o.seed, "on the emulator, warps take turns by `N`; 0 is the canonical order, reverse its opposite")
	fs.Uint64Var(&o.steps, "steps", 0, "on the emulator, end a dispatch after `N` instructions of all threads together; by default 2^38")
	fs.Var(&o.format, "format", "how to write the report: `text|json|sarif|junit`")
	fs.BoolVar(&o.table, "table", false, "write a Markdown table with a row for each launch instead of reports")
	fs.StringVar(&o.png, "png", "", "draw where the first buffer that differs does, to `FILE`")
	fs.IntVar(&o.columns, "columns", 0, "the picture has `N` numbers in a row; by default as the grid of threads")
	registerLaunch(fs, &o.launch, &o.grid, &o.bind, &o.spec)
}

func (o *diffOptions) check(files []string) error {
	if o.against == "" && o.out == "" {
		o.against = "emulator"
		o.captured = o.device.selector == ""
	}
	switch {
	case len(files) == 0:
		return usagef("expected a FILE, found none")
	case len(files) > 1 && (o.out != "" || o.png != ""):
		return usagef("--out and --png need one FILE, found %d", len(files))
	case len(files) > 1 && o.savedResults():
		return usagef("saved results are of one FILE, found %d", len(files))
	case o.warp < 0 || o.warp > warp.MaxLanes:
		return usagef("--warp %d: expected 1 to %d lanes", o.warp, warp.MaxLanes)
	case o.show < 1:
		return usagef("--show %d: expected 1 or more", o.show)
	case o.columns < 0:
		return usagef("--columns %d: expected 1 or more", o.columns)
	case o.table && o.format != formatText:
		return usagef("--table writes text; --format %s does not go with it", o.format)
	case o.device.timeout < 0:
		return usagef("--timeout %v: expected a positive duration", o.device.timeout)
	case o.device.selector == o.against && o.against != "":
		return usagef("--device and --against both name %s", o.against)
	}
	o.launch.Groups, o.launch.Binds, o.launch.Spec = o.grid, o.bind, o.spec
	return nil
}

// savedResults reports whether --against names a folder.
func (o *diffOptions) savedResults() bool {
	info, err := os.Stat(o.against)
	return err == nil && info.IsDir()
}

// all compares the files one after the other.
func (o *diffOptions) all(env *environment, files []string) (int, error) {
	var reports []*diag.Report
	var sources []diag.Sources
	var rows []diff.Row
	for _, file := range files {
		outcome, l, err := o.one(env, file)
		if env.ctx.Err() != nil && err == nil {
			err = context.Cause(env.ctx)
		}
		err = interrupted(env.ctx, err)
		panicAtBug(err)
		rows = append(rows, diff.NewRow(file, outcome, err))
		r := &diag.Report{Name: file}
		if outcome != nil {
			r = outcome.Report()
		}
		if err != nil {
			r.Errors = append(r.Errors, diagErrors(err)...)
		}
		reports = append(reports, r)
		sources = append(sources, launch.FileSources(&o.launch, file))
		if l != nil {
			sources = append(sources, launch.Sources(l, &o.launch))
		}
		if o.format == formatText && !o.table {
			if err := o.text(env, r, outcome, l, err != nil); err != nil {
				return 0, err
			}
		}
	}
	switch {
	case o.table:
		fmt.Fprint(env.stdout, diff.Table(rows))
	case o.format != formatText:
		if err := writeReports(env.stdout, o.format, reports, diag.FirstOf(sources...)); err != nil {
			return 0, err
		}
	}
	return reportCode(reports), nil
}

// text writes the report of one launch, and what was compared, unless that
// failed.
func (o *diffOptions) text(env *environment, r *diag.Report, outcome *diff.Outcome, l *launch.Launch, failed bool) error {
	sources := launch.FileSources(&o.launch, r.Name)
	if l != nil {
		sources = launch.Sources(l, &o.launch)
	}
	w := env.stdout
	if failed && len(r.Findings) == 0 {
		w = env.stderr
	}
	if err := writeReports(w, formatText, []*diag.Report{r}, sources); err != nil || failed {
		return err
	}
	if outcome == nil {
		_, err := fmt.Fprintf(env.stdout, "%s: results kept in %s\n", r.Name, o.out)
		return err
	}
	_, err := fmt.Fprintln(env.stdout, strings.Join(outcome.Lines(), "\n"))
	return err
}

// one compares one launch; the outcome is nil if results were only saved.
func (o *diffOptions) one(env *environment, file string) (outcome *diff.Outcome, l *launch.Launch, err error) {
	var messages []diag.Finding
	if o.out != "" {
		side, done, err := o.side(env, file, o.device.selector, &messages)
		if err != nil {
			return nil, nil, err
		}
		err = diff.Record(env.ctx, side, o.out, nil)
		done(&err)
		if err != nil || o.against == "" {
			return nil, side.Launch, err
		}
	}
	var sides [2]*diff.Side
	selectors := []string{o.against, o.device.selector}
	if results := resultsOf(file); o.captured && results != "" {
		selectors[1] = results
	}
	for i, selector := range selectors {
		side, done, err := o.side(env, file, selector, &messages)
		if err != nil {
			return nil, nil, err
		}
		defer done(&err)
		sides[i] = side
	}
	l = sides[0].Launch
	outcome, err = diff.Compare(env.ctx, sides, diff.Options{
		Override: o.override, Show: o.show, Steps: o.steps, Timeout: o.device.timeout, Late: timedOut(o.device.timeout),
	})
	if outcome != nil {
		outcome.Findings = append(outcome.Findings, messages...)
		if drawErr := o.draw(env, outcome); drawErr != nil {
			err = errors.Join(err, drawErr)
		}
	}
	return outcome, l, err
}

// side loads a launch for the machine that a selector names. done gives the
// machine back.
func (o *diffOptions) side(env *environment, file, selector string, messages *[]diag.Finding) (side *diff.Side, done func(*error), err error) {
	l, err := launch.Load(file, o.launch)
	if err != nil {
		return nil, nil, err
	}
	done = func(*error) {}
	switch info, statErr := os.Stat(selector); {
	case selector == "emulator":
		if missing := emu.Lacks(l); missing != nil {
			var list []error
			for _, e := range missing {
				list = append(list, e)
			}
			return nil, nil, errors.Join(list...)
		}
		return diff.EmulatorSide(l, emu.Options{Warp: o.warp, Seed: o.seed, Steps: o.steps, Workers: runtime.GOMAXPROCS(0)}), done, nil
	case selector != "" && statErr == nil && info.IsDir():
		side, err = diff.SavedSide(l, selector)
		return side, done, err
	}
	d := o.device
	d.selector = selector
	a, err := d.open(env, l, gpu.Options{OnResult: func(d *launch.Dispatch, r *gpu.Result) {
		*messages = append(*messages, messageFindings(r.Messages, d.Pos)...)
	}})
	if err != nil {
		return nil, nil, err
	}
	return diff.GPUSide(l, a), func(err *error) { closeDevice(a, err) }, nil
}

// draw writes the picture that --png asks for.
func (o *diffOptions) draw(env *environment, outcome *diff.Outcome) error {
	if o.png == "" {
		return nil
	}
	for _, m := range outcome.Memories {
		if m.Same() {
			continue
		}
		return host.WriteFile(o.png, func(w io.Writer) error { return diff.Draw(w, m, outcome.Dispatch, o.columns) })
	}
	if err := os.Remove(o.png); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fmt.Fprintf(env.stderr, "nothing differs, so there is no %s\n", o.png)
	return nil
}
