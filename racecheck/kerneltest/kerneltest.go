// Package kerneltest checks kernels in Go tests. Check fails with the report
// that the command prints, and Expect wants a kernel to be caught:
//
//	func TestReduce(t *testing.T) {
//		k := kerneltest.Load(t, "testdata/reduce.amber")
//		kerneltest.Check(t, k)
//	}
package kerneltest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// Kernel is what a test checks: a launch that can be carried out several
// times, each time with its memory as it was loaded.
type Kernel struct {
	Name string
	load func() (*launch.Launch, error)
}

// Load reads a launch from a file, as the command does: an AmberScript, or a
// module or shader that needs no buffers. The test fails at once if it cannot
// be read.
func Load(t testing.TB, path string) *Kernel { return LoadWith(t, path, launch.LoadOptions{}) }

// LoadWith is Load for a file that needs options: a bare module with its grid
// and bindings.
func LoadWith(t testing.TB, path string, opt launch.LoadOptions) *Kernel {
	t.Helper()
	return New(t, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), func() (*launch.Launch, error) {
		return launch.Load(path, opt)
	})
}

// New makes a kernel of a launch that is written in Go. make is called for
// every run.
func New(t testing.TB, name string, make func() (*launch.Launch, error)) *Kernel {
	t.Helper()
	if _, err := make(); err != nil {
		t.Fatalf("%v", err)
	}
	return &Kernel{Name: name, load: make}
}

// Option changes how Check and Expect run a kernel.
type Option func(*plan)

// plan is what Check does: a run for each width and seed.
type plan struct {
	opt    racecheck.Options
	widths []int
	seeds  []uint64
}

// Warp runs the kernel with warps of each of the given widths.
func Warp(lanes ...int) Option { return func(p *plan) { p.widths = lanes } }

// Seeds runs the kernel under each of the given schedules; 0 is the canonical
// one.
func Seeds(seeds ...uint64) Option { return func(p *plan) { p.seeds = seeds } }

// Severity gives a kind of finding another severity, by rule, class or code.
// Findings of severity SeverityOff are not made; notes do not fail a test.
func Severity(kind string, s diag.Severity) Option {
	return func(p *plan) { p.opt.Severity[kind] = s }
}

// Strict takes the Vulkan memory model literally, see racecheck.Options.
func Strict() Option { return func(p *plan) { p.opt.Strict = true } }

// AssumeLockstep takes threads of a warp to be ordered by running in lockstep.
func AssumeLockstep() Option { return func(p *plan) { p.opt.AssumeLockstep = true } }

// AllowSameValue sets what becomes of races that write the same value.
func AllowSameValue(v racecheck.SameValue) Option { return func(p *plan) { p.opt.SameValue = v } }

// Steps bounds a dispatch, in thread-instructions.
func Steps(n uint64) Option { return func(p *plan) { p.opt.Steps = n } }

func newPlan(opts []Option) *plan {
	p := &plan{opt: racecheck.Options{Severity: map[string]diag.Severity{}}, widths: []int{0}, seeds: []uint64{0}}
	for _, o := range opts {
		o(p)
	}
	return p
}

// Check runs a kernel under all checks, each run a subtest, and fails for
// every finding that is an error or a warning, every EXPECT that does not
// hold, and what could not be checked: accesses, or a launch that has nothing
// to run or did not come to its end. The failure is the text that
// the command prints.
func Check(t *testing.T, k *Kernel, opts ...Option) {
	t.Helper()
	newPlan(opts).run(t, k, func(t *testing.T, r *run) {
		t.Helper()
		if r.failed() {
			t.Errorf("%s", r.text())
		}
	})
}

// Expect runs a kernel that should be caught, each run a subtest, and fails
// unless it shows exactly the findings that the expectations describe, each at
// least once. A launch that runs nothing fails whatever is expected.
func Expect(t *testing.T, k *Kernel, want ...Expectation) {
	t.Helper()
	ExpectWith(t, k, nil, want...)
}

// ExpectWith is Expect with options.
func ExpectWith(t *testing.T, k *Kernel, opts []Option, want ...Expectation) {
	t.Helper()
	newPlan(opts).run(t, k, func(t *testing.T, r *run) {
		t.Helper()
		for _, e := range r.report.Errors {
			if e.Class == diag.NotRun {
				t.Errorf("%s\n%s", e.Msg, r.text())
			}
		}
		for _, problem := range unmet(r.report.Findings, want) {
			t.Errorf("%s\n%s", problem, r.text())
		}
	})
}

// unmet lists expectations that no finding fulfils, and findings that no
// expectation describes.
func unmet(found []diag.Finding, want []Expectation) []string {
	var out []string
	hit := make([]bool, len(found))
	for _, w := range want {
		ok := false
		for i := range found {
			if w.matches(&found[i]) {
				ok, hit[i] = true, true
			}
		}
		if !ok {
			out = append(out, fmt.Sprintf("expected %s, and it was not found", w))
		}
	}
	for i := range found {
		if f := &found[i]; !hit[i] && f.Severity < diag.SeverityNote {
			out = append(out, fmt.Sprintf("unexpected finding: %s on %s", f.Rule(), f.Variable))
		}
	}
	return out
}

// Expectation describes findings.
type Expectation struct {
	Code     diag.Code
	Class    string // empty: any
	Variable string // without indexes, "sums" or "sums.x"; empty: any
}

// Race expects a data race, on a variable if one is named.
func Race(variable ...string) Expectation { return expectation(diag.Race, "", variable) }

// RaceClass expects a data race of a class, on a variable if one is named.
func RaceClass(class string, variable ...string) Expectation {
	return expectation(diag.Race, class, variable)
}

// DivergentBarrier expects a barrier that not all threads of a tile reach.
func DivergentBarrier() Expectation { return Expectation{Code: diag.DivergentBarrier} }

// OutOfBounds expects an access outside of a variable.
func OutOfBounds(variable ...string) Expectation {
	return expectation(diag.OutOfBounds, "", variable)
}

// Uninitialized expects a use of a variable that no one wrote.
func Uninitialized(variable ...string) Expectation {
	return expectation(diag.Uninitialized, "", variable)
}

func expectation(code diag.Code, class string, variable []string) Expectation {
	e := Expectation{Code: code, Class: class}
	if len(variable) > 0 {
		e.Variable = variable[0]
	}
	return e
}

func (e Expectation) String() string {
	s := string(e.Code)
	if e.Class != "" {
		s += "/" + e.Class
	}
	if e.Variable != "" {
		s += " on " + e.Variable
	}
	return s
}

func (e *Expectation) matches(f *diag.Finding) bool {
	return f.Code == e.Code && (e.Class == "" || f.Class == e.Class) &&
		(e.Variable == "" || names(f.Variable, e.Variable))
}

// names reports whether name means the variable, or a part of it: "sums[3].x"
// is sums and sums.x; a member of a block without a name of its own, such as
// Data.sums, is sums too.
func names(variable diag.Element, name string) bool {
	v := "." + variable.Name + strings.ReplaceAll(variable.Members, "[]", "") + "."
	return strings.Contains(v, "."+name+".")
}

// run is one run of a kernel.
type run struct {
	launch *launch.Launch
	report diag.Report
}

// failed reports whether a test should fail for it.
func (r *run) failed() bool {
	for i := range r.report.Findings {
		if r.report.Findings[i].Severity < diag.SeverityNote {
			return true
		}
	}
	return len(r.report.Errors) > 0 || !r.report.Coverage.Complete()
}

func (r *run) text() string {
	var b strings.Builder
	diag.WriteText(&b, []*diag.Report{&r.report}, diag.TextOptions{Sources: launch.Sources(r.launch, &launch.LoadOptions{})})
	return strings.TrimRight(b.String(), "\n")
}

func (p *plan) run(t *testing.T, k *Kernel, check func(*testing.T, *run)) {
	t.Helper()
	for _, width := range p.widths {
		for _, seed := range p.seeds {
			name := k.Name
			if width != 0 {
				name += fmt.Sprintf("/warp=%d", width)
			}
			if seed != 0 {
				name += fmt.Sprintf("/seed=%d", seed)
			}
			t.Run(name, func(t *testing.T) {
				t.Helper()
				l, err := k.load()
				if err != nil {
					t.Fatalf("%v", err)
				}
				opt := p.opt
				opt.Warp, opt.Seed = width, seed
				check(t, carryOut(t, l, opt))
			})
		}
	}
}

// carryOut checks a launch and reports. A bug of ours is no report: it ends the
// test, with the stack of where it happened.
func carryOut(t testing.TB, l *launch.Launch, opt racecheck.Options) *run {
	t.Helper()
	out := &run{launch: l, report: diag.Report{Name: l.Name}}
	var failed diag.Folder
	r, err := racecheck.Run(t.Context(), l, opt, func(e *launch.ExpectResult) {
		if !e.OK() {
			failed.Add(diag.Finding{
				Code: diag.ExpectFailed, Severity: opt.SeverityOf(diag.ExpectFailed, ""), Pos: e.Expect.Pos,
				Message: e.String(), Variable: diag.Element{Name: e.Expect.Subject.Name()},
			})
		}
	})
	if b := diag.AsBug(err); b != nil {
		t.Fatalf("%v\n\n%s", b, b.Stack)
	}
	out.report.Findings = diag.Fold(append(r.Findings, failed.Findings()...))
	out.report.Coverage = &r.Coverage
	if err != nil {
		out.report.Errors = []*diag.Error{diag.AsError(err)}
	}
	return out
}
