package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

var checkCommand = command{
	name:  "check",
	args:  "FILE...",
	short: "run the launch under every checker, report findings",
	long: `Runs launches on the emulator under every checker: data races in
tile_static, global and image memory; barriers that not all threads of a tile
reach; accesses out of bounds, misaligned, to read-only memory or through bad
pointers; uses of memory that no one wrote; operations without a defined
result; kernels that wait forever. Each bug is one finding, with the lowest
threads that show it.

A finding does not depend on how a race happened to go: two accesses race if
nothing orders them, whichever came first. "ampdbg explain" says more about
each kind.

FILE is what "ampdbg run" takes, and so are --grid, --bind, --push and --spec.

	ampdbg check reduce.amber
	ampdbg check --severity race/same-value=off --format sarif *.amber
	ampdbg check --repeat-seeds 8 --witness histogram.amber
	ampdbg check --repeat-seeds 4 --unordered 0.1 append.amber
	ampdbg check --what-if barrier@reduce.comp:14 reduce.amber
	ampdbg check --capture -- ./program --its --flags

The exit code is 1 if anything was found, also if all of it is warnings;
--severity turns kinds off. Accesses that could not be checked are counted,
with the reason, and make the exit code 3 if nothing was found.`,
	setup: func(fs *flag.FlagSet) func(*environment, []string) (int, error) {
		var opt checkOptions
		opt.register(fs)
		return func(env *environment, operands []string) (int, error) {
			if len(operands) == 0 {
				return 0, usagef("expected a FILE, found none")
			}
			if err := opt.check(); err != nil {
				return 0, err
			}
			if opt.capture {
				return opt.checkCaptured(env, operands)
			}
			files, err := expandCaptures(operands)
			if err != nil {
				return 0, err
			}
			return opt.all(env, files)
		}
	},
}

// checkOptions are the flags of check.
type checkOptions struct {
	racecheck.Options
	format    format
	launch    launch.LoadOptions
	grid      grid
	bind      repeated
	spec      repeated
	severity  repeated
	uninit    repeated
	unordered repeated
	same      sameValue
	onFinding onFinding
	workers   int
	seeds     int
	witness   bool
	whatIf    string
	timeout   time.Duration
	capture   bool   // the operands are a command
	keep      string // the folder of its captures
}

// sameValue is the value of --same-value.
type sameValue string

func (v *sameValue) String() string { return string(*v) }

func (v *sameValue) Set(s string) error {
	switch s {
	case "report", "unchanged", "uniform-writes":
		*v = sameValue(s)
		return nil
	}
	return errors.New("expected report, unchanged or uniform-writes")
}

// onFinding is the value of --on-finding.
type onFinding string

func (v *onFinding) String() string { return string(*v) }

func (v *onFinding) Set(s string) error {
	if s != "stop" && s != "continue" {
		return errors.New("expected continue or stop")
	}
	*v = onFinding(s)
	return nil
}

func (o *checkOptions) register(fs *flag.FlagSet) {
	o.format, o.same, o.onFinding = formatText, "report", "continue"
	fs.IntVar(&o.Warp, "warp", 0, "run warps of `N` lanes, 1 to 128; by default 4, or what the launch requires")
	registerSeed(fs, &o.Seed, "schedule: warps take turns by `N`; 0 is the canonical order, reverse its opposite")
	fs.IntVar(&o.workers, "workers", 0, "accepted as in \"ampdbg run\"; `N` changes nothing, since checkers see one tile after the other")
	fs.Uint64Var(&o.Steps, "steps", 0, "end a dispatch after `N` instructions of all threads together; by default 2^38")
	fs.BoolVar(&o.Robust, "robust", false, "give accesses out of bounds the behaviour of robustBufferAccess and do not report them")
	fs.Var(&o.format, "format", "how to write the report: `text|json|sarif|junit`")
	registerLaunch(fs, &o.launch, &o.grid, &o.bind, &o.spec)
	fs.Var((*duration)(&o.timeout), "timeout", "give a FILE up after `DURATION` (such as 10s); by default never")
	fs.Var(&o.severity, "severity", "give a kind of finding another severity: `KIND=error|warn|off`; KIND is a rule, code or class; may be given several times")
	fs.BoolVar(&o.AssumeLockstep, "assume-lockstep", false, "take threads of a warp to be ordered by running in lockstep")
	fs.Var(&o.same, "same-value", "races in which the same value is written: `report|unchanged|uniform-writes`: report them as a class; pass writes that leave memory as it was; pass two stores of the same bytes")
	fs.BoolVar(&o.Strict, "strict", false, "take the Vulkan memory model literally: private accesses, aliased bindings and half-fenced barriers are errors, and writes must be made available and visible")
	fs.Var(&o.onFinding, "on-finding", "`continue|stop`: stop at the first error; at a race, before its second access")
	fs.IntVar(&o.seeds, "repeat-seeds", 1, "check under `N` schedules, the canonical one, its reverse and random ones; say which show a finding, and what they leave otherwise")
	fs.Var(&o.unordered, "unordered", "with --repeat-seeds, take the elements of the buffer or image `NAME`, or SET.BINDING, as a set: their order may differ; may be given several times")
	fs.BoolVar(&o.witness, "witness", false, "for races, look for two schedules that leave different memory")
	fs.StringVar(&o.whatIf, "what-if", "", "check again with a full tile barrier before a source line, `barrier@FILE:LINE`, and say what changes")
	fs.BoolVar(&o.capture, "capture", false, "take the operands for a COMMAND with its arguments, and check the first dispatch of each kernel that it runs (see \"ampdbg capture\")")
	fs.StringVar(&o.keep, "keep", "", "with --capture, keep the launches in the folder `DIR`, which is new or empty")
	fs.Var(&o.uninit, "uninitialized", "take the contents of the buffer `NAME`, or at SET.BINDING, as not written; may be given several times")
}

func (o *checkOptions) check() error {
	if o.Warp < 0 || o.Warp > 128 {
		return usagef("--warp %d: expected 1 to 128 lanes", o.Warp)
	}
	if o.timeout < 0 {
		return usagef("--timeout %v: expected a positive duration", o.timeout)
	}
	if o.seeds < 1 {
		return usagef("--repeat-seeds %d: expected 1 or more", o.seeds)
	}
	if o.keep != "" && !o.capture {
		return usagef("--keep: nothing is captured without --capture")
	}
	if o.unordered != nil && o.seeds == 1 {
		return usagef("--unordered: nothing is compared without --repeat-seeds")
	}
	if o.whatIf != "" {
		if _, err := racecheck.ParseChange(o.whatIf); err != nil {
			return usagef("--what-if: %v", err)
		}
	}
	o.Severity = map[string]diag.Severity{}
	for _, s := range o.severity {
		kind, level, ok := strings.Cut(s, "=")
		if !ok {
			return usagef("--severity %s: expected KIND=error, KIND=warn or KIND=off", s)
		}
		if _, err := diag.Explain(kind); err != nil {
			return usagef("--severity %s: %v", s, err)
		}
		v, err := diag.ParseSeverity(level)
		if err != nil {
			return usagef("--severity %s: %v", s, err)
		}
		o.Severity[kind] = v
	}
	o.SameValue = map[sameValue]racecheck.SameValue{
		"report": racecheck.ReportSameValue, "unchanged": racecheck.Unchanged, "uniform-writes": racecheck.UniformWrites,
	}[o.same]
	o.StopOnFinding = o.onFinding == "stop"
	o.Unordered = o.unordered
	o.launch.Groups, o.launch.Binds, o.launch.Spec = o.grid, o.bind, o.spec
	return nil
}

// all checks the files one after the other.
func (o *checkOptions) all(env *environment, files []string) (int, error) {
	var reports []*diag.Report
	var sources []diag.Sources
	for _, file := range files {
		l, err := launch.Load(file, o.launch)
		if err != nil {
			reports = append(reports, &diag.Report{Name: file, Errors: diagErrors(err)})
			continue
		}
		if missing := emu.Lacks(l); missing != nil {
			reports = append(reports, &diag.Report{Name: l.Name, Errors: missing})
			continue
		}
		if err := o.known(l); err != nil {
			reports = append(reports, &diag.Report{Name: l.Name, Errors: diagErrors(err)})
			continue
		}
		if o.Uninitialized, err = uninitialized(l, o.uninit); err != nil {
			reports = append(reports, &diag.Report{Name: l.Name, Errors: diagErrors(err)})
			continue
		}
		inside, done := env.within(o.timeout)
		r, err := o.one(inside, l)
		done()
		if err != nil {
			return 0, err
		}
		sources = append(sources, launch.Sources(l, &o.launch))
		reports = append(reports, r)
	}
	for _, file := range files {
		sources = append(sources, launch.FileSources(&o.launch, file))
	}
	find := func(file string) (string, bool) {
		for _, s := range sources {
			if text, ok := s(file); ok {
				return text, true
			}
		}
		return "", false
	}
	return reportCode(reports), writeReports(env.stdout, o.format, reports, find)
}

// checkCaptured checks the dispatches of a program.
func (o *checkOptions) checkCaptured(env *environment, command []string) (code int, err error) {
	dir := o.keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "ampdbg-capture-"); err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir)
	} else if err := emptyFolder(dir); err != nil {
		return 0, err
	}
	c := captureOptions{maxBytes: "4GiB", out: dir, quiet: true}
	c.settings.Shots = 1024
	if err := c.check(); err != nil {
		return 0, err
	}
	folders, code, err := c.run(env, command)
	if err != nil || code != exitClean {
		return code, err
	}
	files, err := expandCaptures(folders)
	if err != nil {
		return 0, err
	}
	return o.all(env, files)
}

// known tells which name of --unordered means nothing in a launch.
func (o *checkOptions) known(l *launch.Launch) error {
	for _, name := range o.unordered {
		if _, err := l.Find(name); err != nil {
			return &diag.Error{Msg: "--unordered", Err: err}
		}
	}
	return nil
}

// one checks a launch. The error is a bug of this program.
func (o *checkOptions) one(env *environment, l *launch.Launch) (*diag.Report, error) {
	progress := newProgressLine(env.stderr, time.Now())
	opt := o.Options
	lines := newPrintfLines(env.stderr, progress)
	opt.Printf = lines.print
	opt.Progress = func(p emu.Progress) { lines.flush(); progress.update(time.Now(), p.Tiles, p.TilesTotal, p.Steps) }
	var failed diag.Folder
	used := false
	load := func() (*launch.Launch, error) {
		if !used {
			used = true
			return l, nil
		}
		return launch.Load(l.Name, o.launch)
	}
	r, base, err := racecheck.RepeatSeeds(env.ctx, load, opt, o.seeds, func(e *launch.ExpectResult) {
		if !e.OK() {
			failed.Add(expectFinding(e))
		}
	})
	lines.flush()
	expects := failed.Findings()
	if err == nil {
		var noted []diag.Finding
		if noted, err = racecheck.NoteWidths(env.ctx, load, opt, o.seeds, r.Steps, slices.Concat(r.Findings, expects)); err == nil {
			n := len(r.Findings)
			r.Findings, expects = noted[:n:n], noted[n:]
		}
	}
	if err == nil {
		err = o.more(env, load, opt, base, r)
	}
	progress.clear()
	report := &diag.Report{Name: l.Name}
	if r != nil {
		report.Findings, report.Coverage = diag.Fold(slices.Concat(r.Findings, expects)), &r.Coverage
	}
	if err != nil {
		report.Errors = diagErrors(interrupted(env.ctx, err))
	}
	return report, nil
}

// more does what --witness and --what-if ask for, and notes it on findings.
func (o *checkOptions) more(env *environment, load func() (*launch.Launch, error), opt racecheck.Options, base *launch.Launch, r *racecheck.Result) error {
	if o.witness {
		if err := addWitnesses(env, load, opt, r); err != nil {
			return err
		}
	}
	if o.whatIf == "" {
		return nil
	}
	change, err := racecheck.ParseChange(o.whatIf)
	if err != nil {
		return err
	}
	out, err := racecheck.Try(env.ctx, load, opt, change, base, r.Findings)
	if err != nil {
		return err
	}
	var all []diag.Finding
	for _, part := range []struct {
		list []diag.Finding
		what string
	}{{out.Gone, "goes away with "}, {out.Left, "stays with "}, {out.New, "comes with "}} {
		for _, f := range part.list {
			f.Notes = append(slices.Clone(f.Notes), diag.Note{Msg: part.what + o.whatIf})
			all = append(all, f)
		}
	}
	r.Findings = diag.Fold(all)
	if o.format == formatText {
		fmt.Fprintf(env.stdout, "with %s: %s\n\n", o.whatIf, out)
	}
	return nil
}

// addWitnesses notes on each race two schedules that leave different memory.
func addWitnesses(env *environment, load func() (*launch.Launch, error), opt racecheck.Options, r *racecheck.Result) error {
	var races []diag.Finding
	var at []int
	for i, f := range r.Findings {
		if f.Code == diag.Race {
			races, at = append(races, f), append(at, i)
		}
	}
	if races == nil {
		return nil
	}
	found, err := racecheck.FindWitnesses(env.ctx, load, opt, witnessTries, races)
	if err != nil {
		return err
	}
	for i, w := range found {
		msg := fmt.Sprintf("no witness was found, and the race stands: what was tried (%s) leaves the same memory, but other schedules, devices and inputs need not",
			racecheck.WitnessesTried(opt, witnessTries, &races[i]))
		if w != nil {
			msg = "witness: " + w.String()
		}
		f := &r.Findings[at[i]]
		f.Notes = append(slices.Clone(f.Notes), diag.Note{Msg: msg})
	}
	return nil
}

// witnessTries is how many seeds --witness tries.
const witnessTries = 32
