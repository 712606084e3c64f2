package racecheck_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"ampdbg/diag"
	"ampdbg/launch"
	"ampdbg/racecheck"
)

// scripts finds the launch scripts of testdata.
func scripts(t testing.TB, pattern string) []string {
	list, err := filepath.Glob("../testdata/" + pattern)
	if err != nil || len(list) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	return list
}

// verdict is the rule of the one finding that a script's name promises, ""
// if it promises none. Of a rule that ends in "/", any class will do.
func verdict(path string) string {
	rule, _ := verdicts(path)
	return rule
}

// verdicts is verdict, and the same under Options.Strict: kernels named strict
// are clean without.
func verdicts(path string) (rule, strict string) {
	name := strings.TrimSuffix(filepath.Base(path), ".amber")
	name = strings.ReplaceAll(name, "_", "-")
	classOf := func(code diag.Code, rest string) string {
		best := ""
		for _, e := range diag.Explanations() {
			if e.Code == code && e.Class != "" && (rest == e.Class || strings.HasPrefix(rest, e.Class+"-")) && len(e.Class) > len(best) {
				best = e.Class
			}
		}
		return string(code) + "/" + best
	}
	kind, rest, _ := strings.Cut(name, "-")
	switch kind {
	case "race":
		return classOf(diag.Race, rest), ""
	case "diverge":
		return classOf(diag.DivergentBarrier, rest), ""
	case "undefined":
		return classOf(diag.UndefinedValue, rest), ""
	case "uninit":
		if strings.HasPrefix(rest, "undef") {
			return string(diag.UndefinedValue) + "/undef", ""
		}
		return string(diag.Uninitialized), ""
	case "oob":
		return string(diag.OutOfBounds), ""
	case "strict":
		return "", classOf(diag.Race, rest)
	case "spin":
		return "spin", ""
	case "fault":
		return rest, ""
	case "expect":
		return string(diag.ExpectFailed), ""
	}
	return "", ""
}

// TestStrictVerdicts checks the kernels of the Vulkan memory model literally:
// those named strict, and those that make available and visible all they must.
func TestStrictVerdicts(t *testing.T) {
	for _, path := range append(scripts(t, "race/strict_*.amber"), scripts(t, "race/norace_available*.amber")...) {
		want := []string(nil)
		if _, rule := verdicts(path); rule != "" {
			want = []string{rule}
		}
		r := check(t, path, racecheck.Options{Strict: true})
		if got := rules(r); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", path, got, want)
		}
		for i := range r.Findings {
			if len(r.Findings[i].Notes) == 0 {
				t.Errorf("%s: the finding does not say what is missing", path)
			}
		}
	}
}

// findRules checks a launch, and lists the rules of what is found.
func findRules(t *testing.T, l *launch.Launch, opt racecheck.Options) (found []string, r *racecheck.Result, err error) {
	failed := false
	r, err = racecheck.Run(t.Context(), l, opt, func(e *launch.ExpectResult) { failed = failed || !e.OK() })
	for _, f := range r.Findings {
		found = append(found, f.Rule())
	}
	if failed && len(found) == 0 {
		found = append(found, string(diag.ExpectFailed))
	}
	return found, r, err
}

// TestEveryKindIsShown ties each kind of finding to a kernel that shows it and
// to one that does not.
func TestEveryKindIsShown(t *testing.T) {
	for _, e := range diag.Explanations() {
		t.Run(strings.ReplaceAll(e.Rule(), "/", "_"), func(t *testing.T) {
			if elsewhere[e.Code] != "" {
				return
			}
			if e.Shows == "" || e.Clean == "" {
				t.Fatal("the table of findings names no kernel that shows it, or none that does not")
			}
			for _, name := range []string{e.Shows, e.Clean} {
				l, err := launch.Load("../testdata/"+name+".amber", launch.LoadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				strict := strings.HasPrefix(filepath.Base(e.Shows), "strict_") // looked for with --strict only
				found, _, err := findRules(t, l, racecheck.Options{Steps: 1 << 24, Strict: strict})
				if err != nil {
					t.Fatal(err)
				}
				if name == e.Clean && len(found) > 0 {
					t.Errorf("%s is not clean: %v", name, found)
				}
				has := func(r string) bool { return r == e.Rule() || e.Class == "" && strings.HasPrefix(r, string(e.Code)+"/") }
				if name == e.Shows && !slices.ContainsFunc(found, has) {
					t.Errorf("%s shows %v", name, found)
				}
			}
		})
	}
}

// TestVerdicts checks every script of testdata and compares what is found with
// what its name says.
func TestVerdicts(t *testing.T) {
	type count struct{ tp, fp, tn, fn int }
	table := map[string]*count{}
	for _, pattern := range []string{"race/*.amber", "diverge/*.amber", "spin/*.amber", "amp/*.amber", "features/*.amber"} {
		for _, path := range scripts(t, pattern) {
			folder := filepath.Base(filepath.Dir(path))
			c := table[folder]
			if c == nil {
				c = &count{}
				table[folder] = c
			}
			t.Run(folder+"/"+strings.TrimSuffix(filepath.Base(path), ".amber"), func(t *testing.T) {
				want := verdict(path)
				l, err := launch.Load(path, launch.LoadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				steps := uint64(1 << 28)
				if want == "spin" {
					steps = 1 << 22
				}
				found, r, err := findRules(t, l, racecheck.Options{Steps: steps})
				if d, ok := err.(*diag.Error); ok && d.Class == diag.Budget {
					found = append(found, "spin")
				} else if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(filepath.Base(path), "spin_lock_in_warp.") {
					// With warps of one thread the lock shows that it orders nothing.
					race := slices.Index(found, "race/intra-tile")
					if race < 0 {
						t.Errorf("found %v, want the race behind the lock too", found)
					} else {
						found = slices.Delete(found, race, race+1)
					}
				}
				if want == "spin" && len(found) == 1 && (found[0] == "deadlock" || found[0] == "livelock") {
					found[0] = "spin"
				}
				hit := slices.Index(found, want)
				switch {
				case want == "" && len(found) == 0:
					c.tn++
				case want == "":
					c.fp++
					t.Errorf("found %v in a clean kernel", found)
				case hit < 0:
					c.fn++
					t.Errorf("found %v, want %s", found, want)
				default:
					c.tp++
					if len(found) > 1 {
						c.fp++
						t.Errorf("found %v, want only %s", found, want)
					}
				}
				if !r.Coverage.Complete() {
					t.Errorf("not all was checked: %s", r.Coverage.String())
				}
			})
		}
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "folder\ttrue pos.\tfalse pos.\ttrue neg.\tfalse neg.\t")
	for _, folder := range []string{"race", "diverge", "spin", "amp", "features"} {
		c := table[folder]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", folder, c.tp, c.fp, c.tn, c.fn)
	}
	w.Flush()
	t.Log("\n" + b.String())
}
