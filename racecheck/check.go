package racecheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"ampdbg/diag"
	"ampdbg/emu"
	"ampdbg/host"
	"ampdbg/launch"
	"ampdbg/spirv"
	"ampdbg/tilemem"
	"ampdbg/warp"
)

// Result is what checking a launch gave.
type Result struct {
	Findings []diag.Finding // folded and sorted
	Coverage diag.Coverage
	Summary  launch.Summary
	Steps    uint64 // thread-instructions that the dispatches executed
	// Stopped says that the launch ended early: at a fault, a deadlock, or the
	// first finding (Options.StopOnFinding).
	Stopped bool
}

// Checker runs dispatches on the emulator under all checks. It implements
// launch.Executor.
type Checker struct {
	opt      Options
	emu      *emu.Emulator
	obs      *observer
	begun    func(m *emu.Machine)
	earlier  diag.Folder    // what earlier dispatches gave
	findings []diag.Finding // of the one that runs
	latest   []diag.Finding // of the one that ran last
	checked  uint64
	steps    uint64
	missed   map[string]uint64
	// undefined are the reasons for which operations of the run had no defined result.
	undefined uint32
	stopped   bool
	traced    []string // see diag.Coverage
	looked    map[kernelKey]bool
	// index is the latest faulty index: the access that follows it is often out
	// of bounds too.
	index struct {
		w     *warp.Warp
		tile  int // which w is of now: warps are used again
		line  diag.Pos
		lane  int
		lanes warp.Mask
	}
	again bool     // a dispatch runs once more, to say more of its races
	saved contents // of the memories, as the dispatch found them
}

// errStopped ends a launch at its first finding.
var errStopped = errors.New("stopped at the first finding")

// kernelKey is an entry point of a module.
type kernelKey struct {
	module *spirv.Module
	entry  string
}

// NewChecker makes a checker.
func NewChecker(opt Options) *Checker {
	c := &Checker{opt: opt, missed: map[string]uint64{}, looked: map[kernelKey]bool{}}
	c.obs = &observer{opt: &c.opt, stop: opt.StopOnFinding}
	if opt.Printf != nil {
		opt.Printf = func(t diag.Thread, text string) {
			if !c.again {
				c.opt.Printf(t, text)
			}
		}
	}
	c.emu = &emu.Emulator{Options: emu.Options{
		Warp: opt.Warp, Seed: opt.Seed, Steps: opt.Steps, Robust: opt.Robust, Checks: true, Undefined: &c.undefined, Engine: opt.Engine,
		Printf: opt.Printf, Progress: opt.Progress,
		Observe: c.begin,
		OnFault: func(m *emu.Machine, w *warp.Warp, f *warp.Fault) bool { return c.fault(m, w, f) },
	}}
	return c
}

func (c *Checker) begin(m *emu.Machine) ([]emu.Observer, error) {
	if err := c.need(m); err != nil {
		return nil, err
	}
	c.undefined = 0
	c.index.w = nil
	c.obs.begin(m)
	c.saved.save(m)
	if k := (kernelKey{m.Dispatch.Module, m.Entry.Name}); !c.looked[k] {
		c.looked[k] = true
		for _, why := range traced(m, c.obs.d.clocks) {
			if !slices.Contains(c.traced, why) {
				c.traced = append(c.traced, why)
			}
		}
	}
	if c.begun != nil {
		c.begun(m)
	}
	return []emu.Observer{c.obs}, nil
}

// need asks for the memory that it takes to check a dispatch: of what may be
// written a shadow, which is four times as large, and a copy.
func (c *Checker) need(m *emu.Machine) error {
	// What is kept of the dispatch before is not needed any more.
	c.obs.forget()
	clear(c.saved.copy)
	return ask(m)
}

func ask(m *emu.Machine) error {
	var n int64
	for _, mem := range m.Memories {
		if mem.Space != tilemem.PushConstant && m.Written(mem) {
			n += shadowCost * mem.Size
			if mem.Data != nil {
				n += mem.Size
			}
		}
	}
	return placed(host.Need(n, "checking the memory that the dispatch writes"), m.Dispatch)
}

// shadowCost is how many bytes are kept of a byte that is checked.
const shadowCost = int64(unsafe.Sizeof(word{}) / 4)

// placed gives an error the place of a dispatch.
func placed(err error, d *launch.Dispatch) error {
	var e *diag.Error
	if errors.As(err, &e) && !e.Pos.IsValid() {
		at := *e
		at.Pos = d.Pos
		return &at
	}
	return err
}

// Dispatch implements launch.Executor.
func (c *Checker) Dispatch(ctx context.Context, d *launch.Dispatch) error {
	defer func() {
		c.latest = withoutRacyReads(c.findings)
		c.earlier.Add(c.latest...)
		c.findings = nil
	}()
	err := c.emu.Dispatch(ctx, d)
	if c.obs.m == nil {
		return err // it did not begin
	}
	if c.obs.d.clocks && len(c.obs.seen) > 0 && ctx.Err() == nil {
		// Once more, to see why the races are no synchronization.
		c.saved.restore()
		c.findings = nil
		c.obs.lenient, c.again = true, true
		err = c.emu.Dispatch(ctx, d)
		c.obs.lenient, c.again = false, false
	}
	last := c.emu.Last
	m, unwritten, raced := c.obs.m, c.obs.unwritten, c.obs.stopped
	undefined := c.undefined // of this run, not of those that follow
	races := c.obs.findings()
	if len(races) > 0 && c.opt.Seed != 0 && !c.obs.d.clocks && !c.opt.StopOnFinding && err == nil {
		races = c.canonical(ctx, d, races)
	}
	if f := c.stuckWarp(d, last); f != nil && ctx.Err() == nil {
		races = c.singly(ctx, d, f, races)
	}
	c.collect(c.obs, races)
	if !raced && ctx.Err() == nil && (!c.opt.StopOnFinding || !c.counts()) {
		if e := c.follow(ctx, d, m, undefined, unwritten); err == nil {
			err = e
		}
	}
	if last != nil {
		c.steps += last.Steps
		for _, f := range last.Findings {
			f.Severity = c.opt.SeverityOf(f.Code, f.Class)
			c.findings = append(c.findings, f)
		}
	}
	if err == nil && c.opt.StopOnFinding && c.counts() {
		c.stopped = true
		return errStopped
	}
	if err == nil {
		err = context.Cause(ctx) // which may have kept it from being run again
	}
	return err
}

// rerun runs a dispatch that has run once more from the same memory, with other
// options, and gives the races that it shows so, and how it ended. All else
// stays as the first run has left it.
func (c *Checker) rerun(ctx context.Context, d *launch.Dispatch, lenient bool, change func(*emu.Options)) ([]diag.Finding, error) {
	var after contents
	after.save(c.obs.m)
	obs, found, last, options := *c.obs, c.findings, c.emu.Last, c.emu.Options
	defer func() {
		*c.obs, c.findings, c.emu.Last, c.emu.Options = obs, found, last, options
		after.restore()
		c.again = false
	}()
	c.again, c.obs.lenient = true, lenient
	c.saved.restore()
	c.findings = nil
	o := &c.emu.Options
	o.Progress = nil
	o.Observe = func(m *emu.Machine) ([]emu.Observer, error) {
		if err := ask(m); err != nil {
			return nil, err
		}
		c.obs.begin(m)
		return []emu.Observer{c.obs}, nil
	}
	change(o)
	err := c.emu.Dispatch(ctx, d)
	return c.obs.findings(), err
}

// canonical gives the races that a dispatch shows in the canonical order, in
// place of those that it has shown, if they are between the same places: then
// reports do not depend on the seed.
func (c *Checker) canonical(ctx context.Context, d *launch.Dispatch, races []diag.Finding) []diag.Finding {
	list, err := c.rerun(ctx, d, false, func(o *emu.Options) { o.Seed = 0 })
	if err != nil {
		return races
	}
	keys := func(list []diag.Finding) []string {
		var out []string
		for i := range list {
			out = append(out, list[i].Class+bugKey(&list[i]))
		}
		slices.Sort(out)
		return out
	}
	if !slices.Equal(keys(list), keys(races)) {
		return races
	}
	return list
}

// stuckWarp is the finding of a dispatch that could not go on, if its warps could
// have been narrower.
func (c *Checker) stuckWarp(d *launch.Dispatch, r *emu.Result) *diag.Finding {
	if r == nil || c.obs.d.width == 1 || d.Subgroup.RequiredSize != 0 {
		return nil
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Code == diag.Deadlock || f.Code == diag.Livelock {
			return f
		}
	}
	return nil
}

// singly looks at a dispatch in which no thread could go on with warps of one
// thread: a lock that several threads of a warp take shows only there what it
// guards. It gives the races of before and those that come, and notes the
// outcome with the finding.
func (c *Checker) singly(ctx context.Context, d *launch.Dispatch, stuck *diag.Finding, races []diag.Finding) []diag.Finding {
	steps := c.emu.Last.Steps
	list, err := c.rerun(ctx, d, true, func(o *emu.Options) { o.Warp, o.Steps = 1, singleSteps+8*steps })
	known := map[string]bool{}
	for i := range races {
		known[bugKey(&races[i])] = true
	}
	hidden := 0
	for _, f := range list {
		if !known[bugKey(&f)] {
			f.Notes = append(f.Notes, diag.Note{Msg: "seen with --warp 1: with wider warps the kernel does not come to it"})
			races = append(races, f)
			hidden++
		}
	}
	note := ""
	switch {
	case err == nil && hidden > 0:
		note = "with --warp 1 the kernel ends: threads of one warp wait for each other; what it does then is a race, see there"
	case err == nil:
		note = "with --warp 1 the kernel ends: threads of one warp wait for each other"
	case hidden > 0:
		note = "with --warp 1 the kernel does not end either, but shows a race, see there"
	default:
		return races
	}
	stuck.Notes = append(stuck.Notes, diag.Note{Msg: note})
	return races
}

// singleSteps bounds the run with warps of one thread, besides what the first
// run took.
const singleSteps = 1 << 22

// counts reports whether there is a finding that is an error.
func (c *Checker) counts() bool {
	return slices.ContainsFunc(c.findings, func(f diag.Finding) bool { return f.Severity == diag.SeverityError })
}

// collect takes over what an observer has seen of a dispatch.
func (c *Checker) collect(o *observer, races []diag.Finding) {
	c.findings = append(c.findings, races...)
	c.checked += o.checked
	for why, n := range map[string]uint64{
		fmt.Sprintf("by threads beyond number %d", maxThreads):         o.missed.threads,
		fmt.Sprintf("after %d barriers of one tile", maxEpoch):         o.missed.epochs,
		fmt.Sprintf("at more than %d places of the program", maxSites): o.missed.sites,
	} {
		if n > 0 {
			c.missed[why] += n
		}
	}
	o.m = nil
}

// fault records a fault of the kernel and lets it go on as robust buffer
// access would.
func (c *Checker) fault(m *emu.Machine, w *warp.Warp, f *warp.Fault) bool {
	if !goesOn(f) {
		return false
	}
	there := c.index.w == w && c.index.tile == w.T.Index && c.index.line == m.Pos(f.PC)
	if f.Kind == warp.ArrayIndex {
		if f.Lanes.First() <= c.index.lane || !there {
			c.index.lanes = warp.Mask{}
		}
		c.index.w, c.index.tile, c.index.line, c.index.lane = w, w.T.Index, m.Pos(f.PC), f.Lanes.First()
		c.index.lanes = c.index.lanes.Or(f.Lanes)
	} else if there && c.index.lanes.Has(f.Lanes.First()) {
		return true // what its index says already
	}
	out := m.Fault(w, f)
	out.Count = 1 // the warp asks lane by lane
	out.Severity = c.opt.SeverityOf(out.Code, out.Class)
	c.findings = append(c.findings, out)
	if len(c.findings) > maxKept {
		c.findings = diag.Fold(c.findings)
	}
	return !c.opt.StopOnFinding || out.Severity != diag.SeverityError
}

// goesOn reports whether a kernel can go on after a fault.
func goesOn(f *warp.Fault) bool { return f.Kind != warp.UnreachableExecuted }

// maxKept is how many findings are kept before those of one bug are made one.
const maxKept = 4096

// Result is what the dispatches so far gave.
func (c *Checker) Result() *Result {
	r := &Result{Findings: c.earlier.Findings(), Stopped: c.stopped, Steps: c.steps}
	r.Coverage.Checked, r.Coverage.Schedules = c.checked, 1
	r.Coverage.Traced = slices.Sorted(slices.Values(c.traced))
	var why []string
	for w := range c.missed {
		why = append(why, w)
	}
	slices.SortFunc(why, strings.Compare)
	for _, w := range why {
		r.Coverage.Unchecked = append(r.Coverage.Unchecked, diag.Unchecked{Count: c.missed[w], Why: w})
	}
	return r
}

// Run checks a launch. The error is of what could not be run; findings are
// no errors. expects, if not nil, is given the result of each EXPECT.
func Run(ctx context.Context, l *launch.Launch, opt Options, expects func(*launch.ExpectResult)) (*Result, error) {
	c := NewChecker(opt)
	return c.runs(ctx, l, c, expects)
}

// runs lets ex, which is c or has c do its work, run a launch.
func (c *Checker) runs(ctx context.Context, l *launch.Launch, ex launch.Executor, expects func(*launch.ExpectResult)) (*Result, error) {
	summary, err := l.Execute(ctx, ex, expects)
	r := c.Result()
	r.Summary = summary
	var stopped *emu.StoppedError
	if errors.Is(err, errStopped) {
		r.Stopped, err = true, nil
	}
	if errors.As(err, &stopped) {
		r.Stopped, err = true, c.hidden(stopped.Findings)
	}
	return r, err
}

// hidden is the error of a launch that ended at a finding which does not count:
// what was left of it has not been checked, and no finding says so.
func (c *Checker) hidden(list []diag.Finding) error {
	var end *diag.Finding
	for i := range list {
		f := &list[i]
		switch {
		case f.Code == diag.DivergentBarrier: // after which threads go on
		case c.opt.SeverityOf(f.Code, f.Class) < diag.SeverityNote:
			return nil
		case end == nil:
			end = f
		}
	}
	if end == nil {
		return nil
	}
	return &diag.Error{Class: diag.NotRun, Pos: end.Position(), Msg: fmt.Sprintf(
		"the launch ended here (%s), although findings of that kind do not count: what was left of it has not been run", end.Rule())}
}

// contents is a copy of the memories that a dispatch may write.
type contents struct {
	live, copy [][]byte
}

func (c *contents) save(m *emu.Machine) {
	c.live, c.copy = c.live[:0], c.copy[:0]
	for _, mem := range m.Memories {
		if m.Written(mem) && mem.Data != nil {
			c.live = append(c.live, mem.Data)
			c.copy = append(c.copy, slices.Clone(mem.Data))
		}
	}
}

func (c *contents) restore() {
	for i := range c.live {
		copy(c.live[i], c.copy[i])
	}
}

// withoutRacyReads drops, from the findings of a dispatch, reads of memory that
// no one wrote where the reason is a race: the write came too late.
func withoutRacyReads(list []diag.Finding) []diag.Finding {
	racy := map[string]bool{}
	at := func(f *diag.Finding, a *diag.Access) string {
		if a.Pos.Line == 0 {
			return fmt.Sprintf("%s %%%d", f.Variable.Name, a.ID)
		}
		return fmt.Sprintf("%s %s:%d", f.Variable.Name, a.Pos.File, a.Pos.Line)
	}
	for i := range list {
		if f := &list[i]; f.Code == diag.Race {
			for k := range f.Accesses {
				racy[at(f, &f.Accesses[k])] = true
			}
		}
	}
	var out []diag.Finding
	for i := range list {
		if f := &list[i]; f.Code != diag.Uninitialized || !racy[at(f, &f.Accesses[0])] {
			out = append(out, *f)
		}
	}
	return out
}
