package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/warp"
)

var runCommand = command{
	name:  "run",
	args:  "FILE",
	short: "run the launch; check its EXPECTs",
	long: `Runs a launch on the emulator, or on a GPU, and checks its expectations.

FILE is an AmberScript (.amber), or a bare module: a SPIR-V binary (.spv),
SPIR-V assembly (.spvasm) or GLSL (.comp, compiled by an installed
glslangValidator or glslc). A bare module takes its grid, buffers and push
constants from --grid, --bind and --push:

	--grid 4x2                          4 by 2 tiles
	--bind 0.0=float[16]:1,2,3          a buffer; what is not given is 0
	--bind 0.1='uniform vec4<float>:1,2,3,4'
	--bind 0.2='uint32[64]:fill 7'
	--bind 0.3='uint32[64]:series 0 1'  from 0 in steps of 1
	--bind 0.4='uint8[]:file data.bin'
	--bind '0.5=uint64:&0.0+16'         the device address of byte 16 of 0.0
	--bind 0.6='image R32_UINT 8x8:fill 1'
	--bind 0.7='sampler linear clamp_to_edge'
	--push 'int32:4;float:1,2'          one behind the other by std430's rules

Binding one place again adds an element to its descriptor array.

Faults of a kernel are reported as findings; "ampdbg explain" says more about
each kind. An access out of bounds or a deadlock ends the launch. After a
barrier that not all threads reach, those that came go on.

With --on gpu the launch runs on a Vulkan device:

	ampdbg run --on gpu --repeat 10 matmul.amber
	ampdbg run --on gpu --device 1 --validate --timeout 10s reduce.amber

There a kernel's faults show only as writes just outside of buffers, as wrong
results, or as a device that is lost or does not end. Features that the launch
needs and the device lacks are named, with exit code 3.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		var opt runOptions
		opt.register(fs)
		return func(env *environment, operands []string) (int, error) {
			operands, err := expandCaptures(operands)
			if err != nil {
				return 0, err
			}
			if len(operands) != 1 {
				return 0, usagef("expected one FILE, found %d", len(operands))
			}
			if err := opt.check(); err != nil {
				return 0, err
			}
			if opt.on != "gpu" {
				var done func()
				env, done = env.within(opt.device.timeout)
				defer done()
			}
			l, err := opt.load(operands[0])
			if err != nil {
				return opt.finish(env, &diag.Report{Name: operands[0], Errors: diagErrors(err)}, launch.FileSources(&opt.launch, operands[0]))
			}
			if opt.on == "gpu" {
				return opt.runGPU(env, l)
			}
			return opt.run(env, l)
		}
	},
}

// runOptions are the flags of run.
type runOptions struct {
	warp, workers int
	seed, steps   uint64
	robust        bool
	format        format
	launch        launch.LoadOptions
	grid          grid
	bind, spec    repeated
	dump          resources
	out           string
	on            onMachine
	device        deviceOptions
	repeat        int
}

// repeated is the value of a flag that may be given several times.
type repeated []string

func (r *repeated) String() string     { return "" }
func (r *repeated) Set(s string) error { *r = append(*r, s); return nil }

// grid is the value of --grid: tiles in x, y, z.
type grid [3]uint32

func (g *grid) String() string { return "" }

func (g *grid) Set(s string) error {
	parts := strings.Split(s, "x")
	if len(parts) > 3 {
		return fmt.Errorf("expected X, XxY or XxYxZ tiles")
	}
	*g = grid{1, 1, 1}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return fmt.Errorf("expected X, XxY or XxYxZ tiles, such as 4x4")
		}
		g[i] = uint32(n)
	}
	return nil
}

func (o *runOptions) register(fs *flag.FlagSet) {
	o.format, o.on = formatText, "emulator"
	fs.Var(&o.on, "on", "the machine that runs the launch: `emulator|gpu`")
	o.device.register(fs)
	fs.IntVar(&o.repeat, "repeat", 1, "on a GPU, run each dispatch `N` times from the same memory, and print the shortest, middle and longest time")
	fs.IntVar(&o.warp, "warp", 0, "run warps of `N` lanes, 1 to 128; by default 4, or what the launch requires")
	registerSeed(fs, &o.seed, "schedule: warps take turns by `N`; 0 is the canonical order, reverse its opposite")
	fs.IntVar(&o.workers, "workers", 0, "run up to `N` tiles at once; 0 is one for each processor")
	fs.Uint64Var(&o.steps, "steps", 0, "end a dispatch after `N` instructions of all threads together; by default 2^38")
	fs.BoolVar(&o.robust, "robust", false, "give accesses out of bounds the behaviour of robustBufferAccess instead of ending the run")
	fs.Var(&o.format, "format", "how to write the report: `text|json|sarif|junit`")
	registerLaunch(fs, &o.launch, &o.grid, &o.bind, &o.spec)
	fs.Var(&o.dump, "dump", "print the buffer or image at `SET.BINDING`, or of that name, after the run; may be given several times")
	fs.StringVar(&o.out, "out", "", "write the one dumped buffer to `FILE` instead: raw, or as a NumPy array if it ends in .npy")
}

func (o *runOptions) check() error {
	switch {
	case o.warp < 0 || o.warp > warp.MaxLanes:
		return usagef("--warp %d: expected 1 to %d lanes", o.warp, warp.MaxLanes)
	case o.workers < 0:
		return usagef("--workers %d: expected 0 or more", o.workers)
	case o.format != formatText && len(o.dump) > 0 && o.out == "":
		return usagef("--dump prints text; with --format %s it needs --out FILE", o.format)
	case o.out != "" && len(o.dump) != 1:
		return usagef("--out needs exactly one --dump SET.BINDING, found %d", len(o.dump))
	}
	return o.checkMachine()
}

// load makes the launch of a script or of a bare module.
func (o *runOptions) load(file string) (*launch.Launch, error) {
	o.launch.Groups, o.launch.Binds, o.launch.Spec = o.grid, o.bind, o.spec
	return launch.Load(file, o.launch)
}

// run carries a launch out, and reports.
func (o *runOptions) run(env *environment, l *launch.Launch) (int, error) {
	for _, r := range o.dump {
		if _, err := r.find(l); err != nil {
			return 0, err
		}
	}
	if missing := emu.Lacks(l); missing != nil {
		return o.finish(env, &diag.Report{Name: l.Name, Errors: missing}, launch.FileSources(&o.launch, l.Name))
	}
	said := env.stderr
	if o.format == formatText {
		said = env.stdout
		for _, n := range l.Notes {
			fmt.Fprintln(env.stderr, (&diag.Error{Pos: n.Pos, Msg: "note: " + n.Text}).Error())
		}
	}
	progress := newProgressLine(env.stderr, time.Now())
	lines := newPrintfLines(said, progress)
	workers := o.workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ex := &emu.Emulator{Options: emu.Options{
		Warp: o.warp, Workers: workers, Seed: o.seed, Steps: o.steps, Robust: o.robust,
		Printf:   lines.print,
		Progress: func(p emu.Progress) { lines.flush(); progress.update(time.Now(), p.Tiles, p.TilesTotal, p.Steps) },
	}}
	var failed diag.Folder
	summary, err := l.Execute(env.ctx, ex, func(r *launch.ExpectResult) {
		if !r.OK() {
			failed.Add(expectFinding(r))
		}
	})
	lines.flush()
	progress.clear()
	var stopped *emu.StoppedError
	report := &diag.Report{Name: l.Name, Findings: diag.Fold(append(ex.Findings(), failed.Findings()...))}
	if err != nil && !errors.As(err, &stopped) {
		report.Errors = diagErrors(interrupted(env.ctx, err))
	}
	code, err := o.finish(env, report, launch.Sources(l, &o.launch))
	if err != nil {
		return 0, err
	}
	if o.format == formatText {
		fmt.Fprintln(env.stdout, summaryLine(l, summary, stopped != nil, len(report.Errors) > 0))
	}
	return code, o.output(env.stdout, l)
}

// setIn sets the lines of a text in, from the second on.
func setIn(text string) string { return strings.ReplaceAll(text, "\n", "\n    ") }

// finish writes the report and gives the exit code.
func (o *runOptions) finish(env *environment, r *diag.Report, sources diag.Sources) (int, error) {
	reports := []*diag.Report{r}
	w := env.stdout
	if o.format == formatText && len(r.Errors) > 0 && len(r.Findings) == 0 {
		w = env.stderr
	}
	return reportCode(reports), writeReports(w, o.format, reports, sources)
}

// output prints or saves what --dump asks for.
func (o *runOptions) output(w io.Writer, l *launch.Launch) error {
	for _, r := range o.dump {
		if o.out != "" {
			return r.save(o.out, l)
		}
		if err := r.print(w, l); err != nil {
			return err
		}
	}
	return nil
}

// expectFinding makes a finding of a failed EXPECT.
func expectFinding(r *launch.ExpectResult) diag.Finding {
	f := diag.Finding{
		Code: diag.ExpectFailed, Severity: diag.DefaultSeverity(diag.ExpectFailed, ""), Pos: r.Expect.Pos,
		Message:  fmt.Sprintf("%s: expected %s, found %s", r.Where, r.Expected, r.Found),
		Variable: diag.Element{Name: r.Expect.Subject.Name()},
	}
	if r.Failed > 1 {
		f.Notes = []diag.Note{{Msg: fmt.Sprintf("%d more of %d differ", r.Failed-1, r.Checked)}}
	}
	return f
}

// diagErrors makes an error, or those that it joins, part of a report. It
// panics at a bug.
func diagErrors(err error) []*diag.Error {
	panicAtBug(err)
	var d *diag.Error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var out []*diag.Error
		for _, e := range joined.Unwrap() {
			out = append(out, diagErrors(e)...)
		}
		return out
	}
	if errors.As(err, &d) {
		return []*diag.Error{d}
	}
	return []*diag.Error{{Msg: err.Error()}}
}

// summaryLine is the last line of a report as text: what was done.
func summaryLine(l *launch.Launch, s launch.Summary, fault, failed bool) string {
	line := fmt.Sprintf("%s: %s run", l.Name, diag.Count(s.Dispatches, "dispatch", "dispatches"))
	if s.Empty > 0 {
		line += fmt.Sprintf(", %d without a tile", s.Empty)
	}
	switch {
	case failed:
		return line + ", then ended by an error"
	case fault:
		return fmt.Sprintf("%s, stopped by a fault of the kernel in dispatch %d", line, s.Dispatches+s.Empty+1)
	case s.Failed > 0:
		return fmt.Sprintf("%s, %d of %d expectations failed", line, s.Failed, s.Expects)
	case s.Expects == 0:
		return line + ", nothing was expected"
	}
	return line + ", " + diag.Count(s.Expects, "expectation holds", "expectations hold")
}
